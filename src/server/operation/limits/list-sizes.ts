import { getNamedType, isInputObjectType, Kind } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLInputField, GraphQLInputType, OperationDefinitionNode, ValueNode } from 'graphql';

/** The numbers of items that a client asks a field for. */
export interface GivenSizes {
  readonly least: number;
  readonly most: number;
  /** Whether one of them is called `first`, and one `last`. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** An argument, or a field of an input object. Without a type, the defaults of its fields do not count. */
interface Input extends Partial<Pick<GraphQLInputField, 'defaultValue'>> {
  readonly name: string;
  readonly type?: GraphQLInputType;
}

/** The arguments that give a number of items, unless `maxCost.sizeArguments` lists others. */
export const defaultSizeArguments: readonly string[] = ['first', 'last', 'limit'];

/** Reads how many items a field is asked for, from arguments such as `first`. */
export class SizeArguments {
  readonly #names: readonly string[];
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;
  /** Created when first needed. */
  #defaults: Map<string, ValueNode | undefined> | undefined = undefined;
  #known: Map<object, GivenSizes | undefined> | undefined = undefined;
  /** The fields with a default, by input object. */
  #defaulted: Map<GraphQLInputType, readonly GraphQLInputField[]> | undefined = undefined;

  constructor(names: readonly string[], operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}) {
    this.#names = names;
    this.#operation = operation;
    this.#variables = variables;
  }

  /** The largest size among the field's arguments, including defaults of the schema. Undefined if there is none, or all are null. */
  of(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    let largest: number | undefined;
    for (const argument of field.args) {
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      const sizes = this.#isGiven(given?.value) ? this.#inNode(argument, given!.value) : this.#inDefault(argument);
      if (sizes !== undefined && !(sizes.most <= (largest ?? -1))) largest = sizes.most;
    }
    return largest;
  }

  /** The sizes in the arguments of a node, without defaults of the schema. Undefined if there are none. */
  givenTo({ arguments: given = [] }: FieldNode): GivenSizes | undefined {
    return joined(given.map(({ name, value }) => this.#inNode({ name: name.value }, value)));
  }

  /** False for a variable without a value: the argument has the default of the schema, which a null would replace. */
  #isGiven(node: ValueNode | undefined): boolean {
    if (node?.kind !== Kind.VARIABLE) return node !== undefined;
    return Object.hasOwn(this.#variables, node.name.value) || this.#defaultOf(node.name.value) !== undefined;
  }

  #inNode(input: Input, node: ValueNode): GivenSizes | undefined {
    if (node.kind === Kind.VARIABLE) {
      const variable = node.name.value;
      if (Object.hasOwn(this.#variables, variable)) return this.#inValue(input, this.#variables[variable]);
      const byDefault = this.#defaultOf(variable);
      return byDefault === undefined ? undefined : this.#inNode(input, byDefault);
    }
    if (node.kind === Kind.LIST) {
      if (this.#names.includes(input.name)) return sizeOf(input.name, node.values.length);
      return this.#once(node, () => node.values.map((item) => this.#inNode(input, item)));
    }
    if (node.kind === Kind.OBJECT) {
      const given = node.fields.filter(({ value }) => this.#isGiven(value)).map(({ name, value }) => [name.value, value] as const);
      return this.#once(node, () => this.#inFields(input, given, (field, value) => this.#inNode(field, value)));
    }
    return 'value' in node ? this.#inValue(input, node.value) : undefined;
  }

  /** A size is a number, or a numeric string: a custom scalar may accept strings. A list is as large as it is long. */
  #inValue(input: Input, value: unknown): GivenSizes | undefined {
    const { name } = input;
    if (Array.isArray(value)) {
      if (this.#names.includes(name)) return sizeOf(name, value.length);
      return this.#once(value, () => value.map((item: unknown) => this.#inValue(input, item)));
    }
    if (typeof value === 'object' && value !== null) {
      return this.#once(value, () => this.#inFields(input, Object.entries(value), (field, one) => this.#inValue(field, one)));
    }
    if (!this.#names.includes(name) || (typeof value !== 'number' && typeof value !== 'string') || value === '') return undefined;
    const size = Number(value);
    return Number.isNaN(size) ? undefined : sizeOf(name, size);
  }

  /** The sizes in the given fields of an input object, and in the defaults of the others. */
  #inFields<T>(
    { type }: Input,
    given: readonly (readonly [name: string, value: T])[],
    sizesIn: (field: Input, value: T) => GivenSizes | undefined,
  ): (GivenSizes | undefined)[] {
    const object = type && getNamedType(type);
    if (!isInputObjectType(object)) return given.map(([name, value]) => sizesIn({ name }, value));
    const fields = object.getFields();
    this.#defaulted ??= new Map();
    let defaulted = this.#defaulted.get(object);
    if (defaulted === undefined) this.#defaulted.set(object, (defaulted = Object.values(fields).filter(hasDefault)));
    return [
      ...given.map(([name, value]) => sizesIn(fields[name] ?? { name }, value)),
      ...defaulted.filter(({ name }) => !given.some(([one]) => one === name)).map((field) => this.#inDefault(field)),
    ];
  }

  /** Each value is searched once: a variable may be as large as a request, and every field may use it. */
  #once(owner: object, sizesIn: () => readonly (GivenSizes | undefined)[]): GivenSizes | undefined {
    const known = (this.#known ??= new Map());
    if (!known.has(owner)) known.set(owner, joined(sizesIn()));
    return known.get(owner);
  }

  #defaultOf(variable: string): ValueNode | undefined {
    this.#defaults ??= new Map(
      this.#operation.variableDefinitions?.map((definition) => [definition.variable.name.value, definition.defaultValue]),
    );
    return this.#defaults.get(variable);
  }

  #inDefault(input: Input): GivenSizes | undefined {
    const { literal, value } = defaultOf(input);
    return literal === undefined ? this.#inValue(input, value) : this.#inNode(input, literal);
  }
}

/** graphql 16 has the default as a value, 17 as a literal or a value. */
function defaultOf(input: Input): { readonly literal?: ValueNode; readonly value?: unknown } {
  return (input as { readonly default?: ReturnType<typeof defaultOf> }).default ?? { value: input.defaultValue };
}

function hasDefault(input: Input): boolean {
  const { literal, value } = defaultOf(input);
  return literal !== undefined || value !== undefined;
}

function sizeOf(name: string, size: number): GivenSizes {
  return { least: size, most: size, isFirst: name === 'first', isLast: name === 'last' };
}

function joined(parts: readonly (GivenSizes | undefined)[]): GivenSizes | undefined {
  let all: GivenSizes | undefined;
  for (const sizes of parts) {
    if (sizes === undefined) continue;
    all =
      all === undefined
        ? sizes
        : {
            least: Math.min(all.least, sizes.least),
            most: Math.max(all.most, sizes.most),
            isFirst: all.isFirst || sizes.isFirst,
            isLast: all.isLast || sizes.isLast,
          };
  }
  return all;
}
