import { getNamedType, GraphQLError, isAbstractType, isInterfaceType, isObjectType, Kind, print, visit } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  InlineFragmentNode,
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
interface Asked extends Pick<OperationExecution, 'document' | 'operation'> {
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/** Object types, as the bits of their numbers: operations may combine a thousand types with each other thousands of times. */
type Types = bigint;

/** The fields of a name: in which types each rule counts, and in which each type is returned. `known`: the types that have been read. */
interface KnownFields {
  known: Types;
  readonly rules: Map<RightsRule, Types>;
  readonly returned: Map<GraphQLNamedType, Types>;
}

/** The rules of an operation, for all requests in which what was asked of their variables has the same answers. */
interface Found {
  readonly document: DocumentNode;
  /** True for the rules whatever the variables are. */
  readonly isCertain: boolean;
  readonly rules: readonly RightsRule[];
  readonly answers: readonly (readonly [Question, unknown])[];
}

/** A variable in a condition, which is answered by its value, or a field `_entities`, by the names of the types in its representations. */
type Question = string | FieldNode;

/** The most sets of answers for which the rules of an operation are kept. */
const maxKept = 8;

/** Finds the rules that operations need in one schema. */
export class Needs {
  readonly rules: Rules;
  readonly #schema: GraphQLSchema;
  readonly #objects: GraphQLObjectType[] = [];
  readonly #types = new Map<GraphQLNamedType, Types>();
  readonly #fields = new Map<string, KnownFields>();
  readonly #kept = new WeakMap<OperationDefinitionNode, Found[]>();

  constructor(schema: GraphQLSchema, policies: object) {
    this.#schema = schema;
    this.rules = new Rules(schema, policies);
  }

  /** The rules that an operation needs, once each. Throws an Error for a wrong rule. */
  of({ document, operation, variableValues }: Asked): readonly RightsRule[] {
    const asked: Asked = { document, operation, variableValues };
    const isCertain = variableValues === undefined;
    const named = new Map<FieldNode, string>();
    const answerTo = (question: Question): unknown => {
      if (typeof question === 'string') return variableValues?.[question];
      if (!named.has(question)) named.set(question, this.#namesIn(question, asked));
      return named.get(question);
    };
    const isSame = (one: Found): boolean =>
      one.document === document && one.isCertain === isCertain && one.answers.every(([question, answer]) => answerTo(question) === answer);
    const kept = this.#kept.get(operation) ?? [];
    const known = kept.find(isSame);
    if (known !== undefined) return known.rules;
    const { rules, answers } = this.#walk(new Walk(asked));
    const found = { document, isCertain, rules: [...rules], answers: [...answers] };
    this.#kept.set(operation, kept.length === maxKept ? [found] : [...kept, found]);
    return found.rules;
  }

  /** The object types of a type; none of a leaf type. */
  typesOf(type: GraphQLNamedType): Types {
    let types = this.#types.get(type);
    if (types === undefined) {
      types = isObjectType(type) ? 1n << BigInt(this.#objects.push(type) - 1) : 0n;
      if (isAbstractType(type)) for (const one of this.#schema.getPossibleTypes(type)) types |= this.typesOf(one);
      this.#types.set(type, types);
    }
    return types;
  }

  /** `__typename` needs the rules of the types that it may name. */
  rulesOf(types: Types, name: string): readonly RightsRule[] {
    return [...this.#fieldsOf(types, name).rules].flatMap(([rule, owners]) => ((owners & types) === 0n ? [] : [rule]));
  }

  /** The type of a field is read from each object type, which may narrow it. */
  returnedBy(types: Types, name: string): Types {
    let all = 0n;
    for (const [type, owners] of this.#fieldsOf(types, name).returned) if ((owners & types) !== 0n) all |= this.typesOf(type);
    return all;
  }

  #fieldsOf(types: Types, name: string): KnownFields {
    let fields = this.#fields.get(name);
    if (fields === undefined) this.#fields.set(name, (fields = { known: 0n, rules: new Map(), returned: new Map() }));
    const unknown = types & ~fields.known;
    if (unknown === 0n) return fields;
    for (const type of this.#members(unknown)) {
      const own = name === '__typename' ? undefined : type.getFields()[name];
      const bit = this.typesOf(type);
      for (const rule of own === undefined ? this.rules.of(type) : this.rules.of(own, type)) add(fields.rules, rule, bit);
      if (own !== undefined) add(fields.returned, getNamedType(own.type), bit);
    }
    fields.known |= types;
    return fields;
  }

  #members(types: Types): readonly GraphQLObjectType[] {
    const found: GraphQLObjectType[] = [];
    const digits = types.toString(2);
    for (let at = digits.indexOf('1'); at !== -1; at = digits.indexOf('1', at + 1)) found.push(this.#objects[digits.length - 1 - at]!);
    return found.toReversed();
  }

  /**
   * Reads each fragment after all that spread it, once, for all types that lead to it: what a selection set needs is the sum of what it needs
   * for each object type. It may be recursive, because the nesting of documents has been limited before.
   */
  #walk(walk: Walk): Walk {
    const { selectionSet, operation } = walk.asked.operation;
    this.#select(selectionSet, this.typesOf(this.#schema.getRootType(operation)!), walk);
    for (const { name, selectionSet: selected } of [...walk.spreadIn(selectionSet)].toReversed())
      this.#select(selected, walk.spread.get(name.value) ?? 0n, walk);
    for (const [name, types] of walk.reached) for (const rule of this.rulesOf(types, name)) walk.rules.add(rule);
    return walk;
  }

  #select({ selections }: SelectionSetNode, types: Types, walk: Walk): void {
    if (types === 0n) return;
    for (const node of selections) {
      if (walk.isLeftOut(node)) continue;
      if (node.kind === Kind.FIELD) this.#readField(node, types, walk);
      else if (node.kind === Kind.INLINE_FRAGMENT) this.#select(node.selectionSet, this.#narrow(types, node), walk);
      else add(walk.spread, node.name.value, this.#narrow(types, walk.fragments.get(node.name.value)!));
    }
  }

  #narrow(types: Types, { typeCondition }: Pick<InlineFragmentNode, 'typeCondition'>): Types {
    return typeCondition === undefined ? types : types & this.typesOf(this.#schema.getType(typeCondition.name.value)!);
  }

  #readField(node: FieldNode, types: Types, walk: Walk): void {
    const name = node.name.value;
    // `introspection` decides about the schema, and `routerSecret` about the text of a subgraph.
    if (name === '__schema' || name === '__type') return;
    const query = this.#schema.getQueryType();
    const ofQuery = query && name.startsWith('_') && (types & this.typesOf(query)) !== 0n ? query.getFields()[name] : undefined;
    const named = ofQuery && getNamedType(ofQuery.type).name;
    // An interface of Query may have other types, whose fields answer with anything.
    const isCertain = ofQuery !== undefined && types === this.typesOf(query!);
    if (name !== '_service' || named !== '_Service' || !isCertain) add(walk.reached, name, types);
    if (node.selectionSet === undefined) return;
    const returned = this.returnedBy(types, name);
    const isEntities = name === '_entities' && named === '_Entity' && ofQuery!.args.some((one) => one.name === 'representations');
    const entities = isEntities ? this.#entities(node, walk) & returned : returned;
    this.#select(node.selectionSet, isCertain ? entities : returned, walk);
  }

  /** The types of the entities that representations name. Their reference resolvers run, whatever is selected. */
  #entities(node: FieldNode, walk: Walk): Types {
    const names = this.#namesIn(node, walk.asked);
    walk.answers.set(node, names);
    let all = 0n;
    for (const type of names.split(' ').flatMap((name) => this.#schema.getType(name) ?? [])) {
      all |= this.typesOf(type);
      for (const rule of this.rules.of(type)) walk.rules.add(rule);
    }
    add(walk.reached, '__typename', all);
    return all;
  }

  /** The names of the types in representations, sorted, as resolvers get them: in literals, variables, and variables in literals. */
  #namesIn(node: FieldNode, asked: Asked): string {
    const { variableValues } = asked;
    const value = node.arguments?.find((one) => one.name.value === 'representations')?.value;
    const { args, type } = this.#schema.getQueryType()!.getFields()[node.name.value]!;
    const scalar = getNamedType(args.find(({ name }) => name === 'representations')!.type) as GraphQLScalarType;
    const isGiven = value !== undefined && (value.kind !== Kind.VARIABLE || variableValues?.[value.name.value] !== undefined);
    // Resolvers get the default of the argument, which may name any type.
    const all = variableValues === undefined ? 0n : this.typesOf(getNamedType(type));
    const names = isGiven ? typenamesIn(value, scalar, asked) : this.#members(all).map(({ name }) => name);
    // A resolver may also find a type by the key `["User"]` of an object.
    const strings = new Set(names.flat(Number.POSITIVE_INFINITY).filter((name) => typeof name === 'string'));
    return [...strings]
      .filter((name) => [isObjectType, isInterfaceType].some((is) => is(this.#schema.getType(name))))
      .toSorted()
      .join(' ');
  }
}

/** The way through one operation. */
class Walk {
  readonly asked: Asked;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The types with which fragments are spread, by name. */
  readonly spread = new Map<string, Types>();
  /** The types of which a field is reached, by its name. */
  readonly reached = new Map<string, Types>();
  readonly rules = new Set<RightsRule>();
  readonly answers = new Map<Question, unknown>();

  constructor(asked: Asked) {
    this.asked = asked;
    this.fragments = new Map(
      asked.document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
  }

  /** Fragments, each before all that spread it. */
  spreadIn({ selections }: SelectionSetNode, read: Set<FragmentDefinitionNode> = new Set()): ReadonlySet<FragmentDefinitionNode> {
    for (const node of selections) {
      const next = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value)! : node;
      if (next.selectionSet === undefined || read.has(next as FragmentDefinitionNode)) continue;
      this.spreadIn(next.selectionSet, read);
      if (next.kind === Kind.FRAGMENT_DEFINITION) read.add(next);
    }
    return read;
  }

  /** Only what is certainly left out: `@include` by a variable that is null fails, and counts. */
  isLeftOut({ directives = [] }: SelectionNode): boolean {
    const valueOf = (name: string): unknown => {
      const value = directives.find((one) => one.name.value === name)?.arguments?.find((one) => one.name.value === 'if')?.value;
      if (value?.kind !== Kind.VARIABLE) return value?.kind === Kind.BOOLEAN ? value.value : undefined;
      const { variableValues } = this.asked;
      if (variableValues === undefined) return name === 'skip';
      this.answers.set(value.name.value, variableValues[value.name.value]);
      return variableValues[value.name.value];
    };
    return directives.length > 0 && (valueOf('skip') === true || valueOf('include') === false);
  }
}

function add<Key>(all: Map<Key, Types>, key: Key, types: Types): void {
  all.set(key, (all.get(key) ?? 0n) | types);
}

/** The values of `__typename` in representations, as resolvers get them. */
function typenamesIn(value: ValueNode, scalar: GraphQLScalarType, { operation, variableValues = {} }: Asked): readonly unknown[] {
  // A method of graphql 17, which prefers it, and gives it a literal without variables.
  const { coerceInputLiteral } = scalar;
  const coerce = (coerceInputLiteral ?? scalar.parseLiteral) as GraphQLScalarType['parseLiteral'];
  const Variable = (nodes: VariableNode): void => {
    const { type } = operation.variableDefinitions!.find(({ variable }) => variable.name.value === nodes.name.value)!;
    if (coerceInputLiteral === undefined && /^String!?$/.test(print(type))) return;
    const message = 'Expected representations without variables, or __typename in them to be a String.';
    throw new GraphQLError(message, { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  };
  const read = (item: ValueNode): unknown => {
    if (item.kind === Kind.VARIABLE) return variableValues[item.name.value];
    // Of variables whose scalar changes values, graphql 17 gives resolvers the value that the client has sent, graphql 16 the coerced one.
    const names = item.kind === Kind.OBJECT ? item.fields.filter(({ name }) => name.value === '__typename') : [];
    for (const part of coerceInputLiteral === undefined ? names : [item]) visit(part, { Variable });
    return coerce.call(scalar, item, variableValues);
  };
  const parts = (value.kind === Kind.LIST ? value.values : [value]).flatMap(read);
  return parts.map((part) => (part as { readonly __typename?: unknown } | null | undefined)?.__typename);
}
