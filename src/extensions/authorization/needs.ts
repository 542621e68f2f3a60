import { getNamedType, GraphQLError, isAbstractType, isInterfaceType, isObjectType, Kind, print, visit } from 'graphql';
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  NamedTypeNode,
  ObjectValueNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValueNode,
  VariableNode,
} from 'graphql';

import type { OperationExecution } from '../../server/index.ts';
import type { RightsRule } from '../../shared/index.ts';
import { Rules } from './rules.ts';

/** An operation with its coerced variables. Undefined: what depends on variables counts as left out. */
type Given = Pick<OperationExecution, 'document' | 'operation'> & { readonly variableValues: Variables | undefined };

/** `named`: the types that representations name, read once for each field. */
type Asked = Given & { readonly named: Map<FieldNode, readonly EntityType[]> };

type Variables = Readonly<Record<string, unknown>>;

/** The object types that a value may have, and what their fields need, as far as it is known. */
class Types {
  readonly all: ReadonlySet<GraphQLObjectType>;
  readonly fields: Map<string, FieldNeeds> = new Map();

  constructor(all: Iterable<GraphQLObjectType>) {
    this.all = new Set(all);
  }
}

/** The needs of a field of one of several types, and the types of the objects that it may return. */
interface FieldNeeds {
  readonly rules: readonly RightsRule[];
  readonly returned: Types;
}

/** The rules of an operation, for all requests in which what was asked of their variables has the same answers. */
interface Found {
  readonly rules: readonly RightsRule[];
  readonly answers: ReadonlyMap<Question, unknown>;
}

type EntityType = GraphQLObjectType | GraphQLInterfaceType;

/** A variable in a condition, which is answered by its value, or a field `_entities`, by the names of the types in its representations. */
type Question = string | FieldNode;

interface Kept {
  readonly document: unknown;
  readonly found: Found[];
}

/** The most sets of answers for which the rules of an operation are kept. */
const maxKept = 8;

/** Finds the rules that operations need in one schema. */
export class Needs {
  readonly schema: GraphQLSchema;
  readonly rules: Rules;
  readonly #types = new Map<GraphQLNamedType, Types>();
  readonly #kept = new WeakMap<OperationDefinitionNode, Kept>();
  /** The rules whatever the variables are. */
  readonly #certain = new WeakMap<OperationDefinitionNode, Kept>();

  constructor(schema: GraphQLSchema, policies: object) {
    this.schema = schema;
    this.rules = new Rules(schema, policies);
  }

  /** The rules that an operation needs, once each. Throws an Error for a wrong rule. */
  of({ document, operation, variableValues }: Given): readonly RightsRule[] {
    const asked: Asked = { document, operation, variableValues, named: new Map() };
    const all = variableValues === undefined ? this.#certain : this.#kept;
    let kept = all.get(operation);
    if (kept?.document !== document) all.set(operation, (kept = { document, found: [] }));
    const { found } = kept!;
    const known = found.find(({ answers }) => this.#isSame(answers, asked));
    if (known !== undefined) return known.rules;
    const { rules, answers } = new Walk(this, asked).run();
    if (found.length === maxKept) found.length = 0;
    found.push({ rules: [...rules], answers });
    return found.at(-1)!.rules;
  }

  #isSame(answers: Found['answers'], asked: Asked): boolean {
    const now = (question: Question): unknown =>
      typeof question === 'string' ? asked.variableValues?.[question] : namesOf(this.typesIn(question, asked));
    for (const [question, answer] of answers) if (now(question) !== answer) return false;
    return true;
  }

  /** The types that representations name, sorted, as resolvers get them: in literals, variables, and variables in literals. */
  typesIn(node: FieldNode, { operation, variableValues: given, named }: Asked): readonly EntityType[] {
    const variableValues = given ?? {};
    const known = named.get(node);
    if (known !== undefined) return known;
    const value = node.arguments?.find((one) => one.name.value === 'representations')?.value;
    const { args, type: returned } = this.schema.getQueryType()!.getFields()[node.name.value]!;
    // Resolvers get the default of the argument, which may name any type.
    if (value === undefined || (value.kind === Kind.VARIABLE && variableValues[value.name.value] === undefined))
      return given === undefined ? [] : [...this.typesOf(getNamedType(returned)).all];
    const scalar = getNamedType(args.find(({ name }) => name === 'representations')!.type) as GraphQLScalarType;
    // A method of graphql 17, which prefers it.
    const coerce = (scalar.coerceInputLiteral ?? scalar.parseLiteral) as GraphQLScalarType['parseLiteral'];
    const read = (item: ValueNode): unknown => {
      if (item.kind === Kind.VARIABLE) return variableValues[item.name.value];
      if (item.kind === Kind.OBJECT) assertTypeName(item, operation);
      // The literal that graphql 17 gives to this function has no variables.
      if (scalar.coerceInputLiteral !== undefined) visit(item, { Variable: refuse });
      return coerce.call(scalar, item, variableValues);
    };
    const names = new Set<unknown>();
    for (const item of value.kind === Kind.LIST ? value.values : [value]) {
      const part = read(item);
      for (const one of Array.isArray(part) ? part : [part])
        names.add((one as { readonly __typename?: unknown } | null | undefined)?.__typename);
    }
    // A resolver may also find a type by the key `["User"]` of an object.
    const strings = [...names].flat(Number.POSITIVE_INFINITY).filter((name) => typeof name === 'string');
    const types = strings.map((name) => this.schema.getType(name)).filter((type) => isObjectType(type) || isInterfaceType(type));
    types.sort((one, other) => (one.name < other.name ? -1 : 1));
    named.set(node, types);
    return types;
  }

  /** The object types of a type; none of a leaf type. */
  typesOf(type: GraphQLNamedType): Types {
    let types = this.#types.get(type);
    if (types === undefined)
      this.#types.set(
        type,
        (types = new Types(isAbstractType(type) ? this.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [])),
      );
    return types;
  }

  /** `__typename` needs the rules of the types that it may name. The type of a field is read from each object type, which may narrow it. */
  ofField({ all, fields }: Types, name: string): FieldNeeds {
    const known = fields.get(name);
    if (known !== undefined) return known;
    const rules = new Set<RightsRule>();
    const returned = new Set<GraphQLNamedType>();
    for (const type of all) {
      const field = name === '__typename' ? undefined : type.getFields()[name];
      for (const rule of this.rules.ofType(type)) rules.add(rule);
      if (field === undefined) continue;
      for (const rule of this.rules.ofField(type, field)) rules.add(rule);
      returned.add(getNamedType(field.type));
    }
    const each = Array.from(returned, (type) => this.typesOf(type));
    const needs: FieldNeeds = {
      rules: [...rules],
      returned: each.length === 1 ? each[0]! : new Types(each.flatMap(({ all: some }) => [...some])),
    };
    fields.set(name, needs);
    return needs;
  }
}

/**
 * The way through one operation. What a selection set needs is the sum of what it needs for each object type, so that each is read once,
 * however many ways lead there. It may be recursive, because the nesting of documents has been limited before.
 */
class Walk {
  readonly rules = new Set<RightsRule>();
  readonly answers = new Map<Question, unknown>();
  readonly #needs: Needs;
  readonly #asked: Asked;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The types with which fragments are spread, by name. */
  readonly #spread = new Map<string, Types[]>();
  readonly #narrowed = new Map<Types, Map<string, Types>>();

  constructor(needs: Needs, asked: Asked) {
    this.#needs = needs;
    this.#asked = asked;
    const fragments = asked.document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  /** Reads each fragment after all that spread it, once, for all types that lead to it. */
  run(): this {
    const { operation } = this.#asked;
    this.#select(operation.selectionSet, this.#needs.typesOf(this.#needs.schema.getRootType(operation.operation)!));
    for (const name of spreadIn(operation.selectionSet, this.#fragments)) {
      const given = this.#spread.get(name) ?? [];
      const types = given.length === 1 ? given[0]! : new Types(given.flatMap(({ all }) => [...all]));
      this.#select(this.#fragments.get(name)!.selectionSet, types);
    }
    return this;
  }

  #select(selectionSet: SelectionSetNode, types: Types): void {
    if (types.all.size === 0) return;
    for (const node of selectionSet.selections) {
      if (this.#isLeftOut(node)) continue;
      if (node.kind === Kind.FIELD) this.#readField(node, types);
      else if (node.kind === Kind.INLINE_FRAGMENT) this.#select(node.selectionSet, this.#narrow(types, node.typeCondition));
      else {
        const name = node.name.value;
        const narrowed = this.#narrow(types, this.#fragments.get(name)!.typeCondition);
        const given = this.#spread.get(name);
        if (given === undefined) this.#spread.set(name, [narrowed]);
        else if (!given.includes(narrowed)) given.push(narrowed);
      }
    }
  }

  #readField(node: FieldNode, types: Types): void {
    const { schema } = this.#needs;
    const name = node.name.value;
    // `introspection` decides about the schema, and `routerSecret` about the text of a subgraph.
    if (name === '__schema' || name === '__type') return;
    const query = schema.getQueryType();
    const ofQuery = name.startsWith('_') && query && types.all.has(query) ? query.getFields()[name] : undefined;
    const named = ofQuery && getNamedType(ofQuery.type).name;
    const { rules, returned } = this.#needs.ofField(types, name);
    // An interface of Query may have other types, whose fields answer with anything.
    const isCertain = types.all.size === 1;
    if (name !== '_service' || named !== '_Service' || !isCertain) for (const rule of rules) this.rules.add(rule);
    if (node.selectionSet === undefined) return;
    const isEntities = name === '_entities' && named === '_Entity' && ofQuery!.args.some((one) => one.name === 'representations');
    const entities = isEntities ? this.#entities(node, returned) : returned;
    this.#select(node.selectionSet, isCertain ? entities : returned);
  }

  /** The types of the entities that representations name. Their reference resolvers run, whatever is selected. */
  #entities(node: FieldNode, { all }: Types): Types {
    const { rules } = this.#needs;
    const found = this.#needs.typesIn(node, this.#asked);
    this.answers.set(node, namesOf(found));
    const objects = new Set(found.flatMap((type) => [...this.#needs.typesOf(type).all]));
    for (const type of [...found, ...objects]) for (const rule of rules.ofType(type)) this.rules.add(rule);
    return new Types([...objects].filter((type) => all.has(type)));
  }

  /** Only what is certainly left out: `@include` by a variable that is null fails, and counts. */
  #isLeftOut({ directives = [] }: SelectionNode): boolean {
    const valueOf = (name: string): unknown => {
      const value = directives.find((one) => one.name.value === name)?.arguments?.find((one) => one.name.value === 'if')?.value;
      if (value?.kind !== Kind.VARIABLE) return value?.kind === Kind.BOOLEAN ? value.value : undefined;
      const { variableValues } = this.#asked;
      if (variableValues === undefined) return name === 'skip';
      const given = variableValues[value.name.value];
      this.answers.set(value.name.value, given);
      return given;
    };
    return directives.length > 0 && (valueOf('skip') === true || valueOf('include') === false);
  }

  #narrow(types: Types, typeCondition: NamedTypeNode | undefined): Types {
    if (typeCondition === undefined) return types;
    const condition = typeCondition.name.value;
    let known = this.#narrowed.get(types);
    if (known === undefined) this.#narrowed.set(types, (known = new Map<string, Types>()));
    let narrowed = known.get(condition);
    if (narrowed === undefined) {
      const allowed = this.#needs.typesOf(this.#needs.schema.getType(condition)!);
      const [few, many] = types.all.size < allowed.all.size ? [types, allowed] : [allowed, types];
      const both = [...few.all].filter((one) => many.all.has(one));
      // Of types that are known already, the needs of their fields are known, too.
      narrowed = both.length === types.all.size ? types : both.length === allowed.all.size ? allowed : new Types(both);
      known.set(condition, narrowed);
    }
    return narrowed;
  }
}

function namesOf(types: readonly EntityType[]): string {
  return types.map(({ name }) => name).join(' ');
}

/** The names of fragments, each after all that spread it. */
function spreadIn(root: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): readonly string[] {
  const read = new Set<string>();
  const visitAll = ({ selections }: SelectionSetNode): void => {
    for (const node of selections)
      if (node.kind !== Kind.FRAGMENT_SPREAD) {
        if (node.selectionSet !== undefined) visitAll(node.selectionSet);
      } else if (!read.has(node.name.value)) {
        visitAll(fragments.get(node.name.value)!.selectionSet);
        read.add(node.name.value);
      }
  };
  visitAll(root);
  return [...read].toReversed();
}

/**
 * Throws for a literal whose `__typename` is a variable of a scalar that may change values: graphql 17 gives resolvers the value that the
 * client has sent, graphql 16 the coerced one.
 */
function assertTypeName(literal: ObjectValueNode, { variableDefinitions = [] }: OperationDefinitionNode): void {
  const isOfString = ({ name }: VariableNode): boolean =>
    variableDefinitions.some(({ variable, type }) => variable.name.value === name.value && /^String!?$/.test(print(type)));
  const Variable = (node: VariableNode): void => (isOfString(node) ? undefined : refuse(node));
  for (const { name, value } of literal.fields) if (name.value === '__typename') visit(value, { Variable });
}

function refuse(nodes: VariableNode): never {
  const message = 'Expected representations without variables, or __typename in them to be a String.';
  throw new GraphQLError(message, { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}
