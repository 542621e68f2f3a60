import { GraphQLEnumType, isEnumType, isInputObjectType, isListType, isNonNullType, Kind, specifiedScalarTypes } from 'graphql';
import type {
  GraphQLArgument,
  GraphQLInputField,
  GraphQLInputFieldMap,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLLeafType,
  NameNode,
  ObjectValueNode,
  ValueNode,
} from 'graphql';

import {
  absent,
  askGraphQLJS,
  coerceLiteral,
  leafLiteral,
  listOf,
  made,
  ownCopyOf,
  put,
  readLiteral,
  valueOf,
  VariableValue,
} from './made-values.ts';
import type { Prepared } from './made-values.ts';

/** The value of a literal of a document, or of the schema, for an argument or input field of this type. */
export function prepareLiteral(inputType: GraphQLInputType, node: ValueNode): Prepared {
  const nonNull = isNonNullType(inputType);
  if (node.kind === Kind.VARIABLE) return new VariableValue(node.name.value, nonNull);
  if (node.kind === Kind.NULL) return nonNull ? undefined : null;
  const type = nonNull ? inputType.ofType : inputType;
  if (isListType(type)) return prepareList(type.ofType, node);
  if (isInputObjectType(type)) return node.kind === Kind.OBJECT ? prepareObject(type, node) : undefined;
  return prepareLeaf(type, node);
}

/** The built-in scalars, each with the function it had when it came: one that was replaced since is called. */
const builtIn = new Map<GraphQLLeafType, unknown>(specifiedScalarTypes.map((type) => [type, type[coerceLiteral]]));

/** A value of those, and of an enum, is the same in every run. */
function prepareLeaf(type: GraphQLLeafType, node: ValueNode): Prepared {
  const itsOwn = isEnumType(type) ? GraphQLEnumType.prototype[coerceLiteral] : builtIn.get(type);
  return itsOwn !== undefined && itsOwn === type[coerceLiteral] ? readLiteral(type, node) : leafLiteral(type, node);
}

function prepareList(type: GraphQLInputType, node: ValueNode): Prepared {
  const nodes = node.kind === Kind.LIST ? node.values : [node];
  const items: Prepared[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const item = prepareLiteral(type, nodes[at]!);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return listOf(items, isNonNullType(type));
}

function prepareObject(type: GraphQLInputObjectType, { fields: nodes }: ObjectValueNode): Prepared {
  const inputs = inputFieldsOf(type);
  /** The fields for which it has been prepared, and those of them that the object may have. */
  let prepared: readonly PreparedInput[] | undefined;
  let members: readonly Member[] | undefined;
  return made((run) => {
    const fields = inputs.current();
    if (fields !== prepared) {
      prepared = fields;
      members = membersOf(fields, nodes);
    }
    if (members === undefined) return undefined;
    // Without prototype in either major.
    const object = Object.create(null) as Record<string, unknown>;
    let count = 0;
    for (const { field, given } of members) {
      let value = valueOf(given, run);
      if (value === absent) value = valueOf(field.whenAbsent(), run);
      if (value === absent) continue;
      if (value === undefined || (value === null && type.isOneOf)) return undefined;
      put(object, field.name, value);
      count++;
    }
    return type.isOneOf && (count !== 1 || nodes.length !== 1) ? undefined : object;
  });
}

/** A field of an input object that a document gives, or that has a default. */
interface Member {
  readonly field: PreparedInput;
  readonly given: Prepared;
}

/**
 * Of the fields of the type those that the object may have. Filters have a hundred fields, of which each use gives one: to look at
 * all of them for each object of an answer took 8 µs, and a request of 8 KB 180 ms. Undefined: graphql-js decides.
 */
function membersOf(fields: readonly PreparedInput[], nodes: readonly GivenNode[]): readonly Member[] | undefined {
  // graphql-js refuses a field that the type does not know.
  if (nodes.some((node) => !fields.some(({ name }) => name === node.name.value))) return undefined;
  return prepareGiven(fields, nodes)
    ?.map((given, at) => ({ field: fields[at]!, given }))
    .filter(({ given }) => given !== absent);
}

/** An argument or a field of an input object in a document. */
interface GivenNode {
  readonly name: NameNode;
  readonly value: ValueNode;
}

/** Of each input its value. Undefined: graphql-js decides. */
export function prepareGiven(inputs: readonly PreparedInput[], nodes: readonly GivenNode[]): readonly Prepared[] | undefined {
  const prepared: Prepared[] = [];
  // Where there are few, a look at each takes less time. The last of a name counts, as in graphql-js.
  const byName = nodes.length > fewNodes ? new Map(nodes.map((node) => [node.name.value, node])) : undefined;
  for (let at = 0; at < inputs.length; at++) {
    const { name, type } = inputs[at]!;
    const node = byName === undefined ? lastNamed(nodes, name) : byName.get(name);
    const one = node === undefined ? inputs[at]!.whenAbsent() : prepareLiteral(type, node.value);
    if (one === undefined) return undefined;
    prepared.push(one);
  }
  return prepared;
}

const fewNodes = 12;

function lastNamed(nodes: readonly GivenNode[], name: string): GivenNode | undefined {
  for (let at = nodes.length - 1; at >= 0; at--) if (nodes[at]!.name.value === name) return nodes[at];
  return undefined;
}

/** How many executions have begun. */
let executions = 0;

/** To be called when an execution begins: the schema may be another one than in the last. */
export function lookAgain(): void {
  executions++;
}

/** The fields of an input type, with what need be known of each once. */
export class InputFields {
  readonly #type: GraphQLInputObjectType;
  // Prepared when the first value comes, for the types of fields need not be complete before.
  #known: GraphQLInputFieldMap | undefined = undefined;
  #fields: readonly PreparedInput[] = [];
  #lookedAt = -1;

  constructor(type: GraphQLInputObjectType) {
    this.#type = type;
  }

  /** The same list as long as the schema has them as they were. Looked at once for each execution that begins. */
  current(): readonly PreparedInput[] {
    if (this.#lookedAt === executions) return this.#fields;
    this.#lookedAt = executions;
    const known = this.#type.getFields();
    if (this.#known !== known || !areCurrent(this.#fields)) {
      this.#known = known;
      this.#fields = Object.values(known).map((field) => new PreparedInput(field));
    }
    return this.#fields;
  }
}

const inputFields = new WeakMap<GraphQLInputObjectType, InputFields>();

export function inputFieldsOf(type: GraphQLInputObjectType): InputFields {
  let known = inputFields.get(type);
  if (known === undefined) inputFields.set(type, (known = new InputFields(type)));
  return known;
}

/** True when the schema still has them as they were prepared. */
export function areCurrent(inputs: readonly PreparedInput[]): boolean {
  for (let at = 0; at < inputs.length; at++) if (!inputs[at]!.isCurrent()) return false;
  return true;
}

/** graphql 17 knows a default as `default`, and in the older form as `defaultValue`. */
type DefaultInput = { readonly literal?: ValueNode } | undefined;

/** An argument, or a field of an input type. */
export class PreparedInput {
  readonly input: GraphQLArgument | GraphQLInputField;
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly #default: DefaultInput;
  readonly #defaultValue: unknown;
  #whenAbsent: Prepared = notPrepared;

  constructor(input: GraphQLArgument | GraphQLInputField) {
    this.input = input;
    this.name = input.name;
    this.type = input.type;
    this.#default = defaultOf(input);
    this.#defaultValue = input.defaultValue;
  }

  isCurrent(): boolean {
    const { input } = this;
    return input.type === this.type && input.defaultValue === this.#defaultValue && defaultOf(input) === this.#default;
  }

  /** Its value where none is given. An object or a list is made anew each time: graphql-js hands out the same one, into which a resolver can write. */
  whenAbsent(): Prepared {
    if (this.#whenAbsent === notPrepared) this.#whenAbsent = this.#prepareDefault();
    return this.#whenAbsent;
  }

  #prepareDefault(): Prepared {
    const input = this.#default;
    if (input?.literal !== undefined) return prepareLiteral(this.type, input.literal);
    const value = input === undefined ? this.#defaultValue : askGraphQLJS({ type: this.type, default: input });
    if (value === undefined) return input === undefined && !isNonNullType(this.type) ? absent : undefined;
    return ownCopyOf(this.type, value);
  }
}

const notPrepared = Symbol('not prepared');

function defaultOf(input: GraphQLArgument | GraphQLInputField): DefaultInput {
  return (input as { readonly default?: DefaultInput }).default;
}
