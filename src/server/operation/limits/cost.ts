import { getNamedType, getNullableType, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  GraphQLArgument,
  ValueNode,
} from 'graphql';

import type { BatchBudget } from './batch-budget.ts';
import { fragmentsOf } from './document-size.ts';
import { shown, tooMuch } from './limits.ts';

/** How the cost of an operation is computed before it runs. */
export interface CostOptions {
  /** The highest cost of an operation that runs. */
  readonly limit: number;
  /** The number of items of a list without a size argument. Default: 10. */
  readonly listSize?: number;
  /** Arguments, or fields of input objects in arguments, that give the number of items. Default: first, last, limit. */
  readonly sizeArguments?: readonly string[];
  /** The cost of single fields, for example `{ 'Query.search': 50 }`. Default: 1. */
  readonly fields?: Readonly<Record<string, number>>;
}

/** The options with defaults filled in. */
export type CostSettings = Required<CostOptions>;

/** An operation with what its cost depends on. */
export interface CostInput {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Throws when an operation costs more than the limit.
 *
 * A field costs 1, and the selection of a list counts once for each item. The number of items is the field's argument `first`, `last` or
 * `limit`: a literal, a variable or a default. If the field is not a list itself, such as a connection, the argument is the size of the
 * lists directly in it, and of lists in its objects if it is larger than `listSize`. Without such an argument the number is `listSize`.
 * `{ books(first: 20) { title author { name } } }` costs 1 + 20 × 3. Fragments count at each spread, and for every type that they could
 * apply to. `@skip` and `@include` are ignored. Introspection is free. `__typename` is free too, except in lists where it is alone or
 * has an alias. An empty selection set costs as much as `{ __typename }`.
 */
export function assertCost(settings: CostSettings, input: CostInput, budget?: BatchBudget): void {
  const rootType = input.schema.getRootType(input.operation.operation);
  const { fixed, perItem, perDeepItem } = new CostCounter(settings, input).costOf(rootType ?? undefined, input.operation.selectionSet);
  const cost = fixed + (perItem + perDeepItem) * settings.listSize;
  if (cost > settings.limit) {
    throw tooMuch(`Expected an operation that costs at most ${settings.limit}, got one that costs ${shown(cost)}.`, input.operation);
  }
  budget?.spend('maxCost', cost, input.operation);
}

/**
 * The cost of a selection set: a fixed part, a part for each item of the lists directly in it, and a part for each item of lists in its
 * objects. The field around it may know how many items there are. The parts are separate, so that a fragment is computed once even if it is
 * spread in fields of many sizes: the limit must not be the attack.
 */
interface Cost {
  readonly fixed: number;
  readonly perItem: number;
  readonly perDeepItem: number;
  /** `__typename` alone or under an alias, and empty selection sets: what they cost for each item of a list. */
  readonly typenames: number;
}

const free: Cost = { fixed: 0, perItem: 0, perDeepItem: 0, typenames: 0 };

class CostCounter {
  readonly #settings: CostSettings;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #costs = new Map<string, Cost>();
  readonly #sizes: SizeArguments;

  constructor(settings: CostSettings, { schema, document, operation, variables }: CostInput) {
    this.#settings = settings;
    this.#schema = schema;
    this.#fragments = fragmentsOf(document);
    this.#sizes = new SizeArguments(settings.sizeArguments, operation, variables);
  }

  /** This may be recursive, because the depth of the document has been limited before (FragmentNesting). */
  costOf(parentType: GraphQLNamedType | undefined, selectionSet: SelectionSetNode): Cost {
    // `__typename` is free next to other fields: clients add it everywhere. Alone it still makes the server load all objects of a list,
    // and so does an empty selection set.
    if (selectionSet.selections.every(isTypename)) return { ...free, typenames: Math.max(1, selectionSet.selections.length) };
    let sum = free;
    for (const selection of selectionSet.selections) {
      sum = add(sum, this.#costOfSelection(parentType, selection));
    }
    return sum;
  }

  #costOfSelection(parentType: GraphQLNamedType | undefined, selection: SelectionNode): Cost {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#costOfFragment(selection.name.value);
    if (selection.kind === Kind.FIELD) return this.#costOfField(parentType, selection);
    const type = selection.typeCondition === undefined ? parentType : this.#schema.getType(selection.typeCondition.name.value);
    return this.costOf(type, selection.selectionSet);
  }

  #costOfFragment(name: string): Cost {
    const known = this.#costs.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return free;
    const cost = this.costOf(this.#schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
    this.#costs.set(name, cost);
    return cost;
  }

  #costOfField(parentType: GraphQLNamedType | undefined, node: FieldNode): Cost {
    const field = fieldOf(parentType, node.name.value);
    // __typename, __schema and __type are not among a type's fields.
    if (field === undefined) return isTypename(node) && node.alias !== undefined ? { ...free, typenames: 1 } : free;
    const fieldCost = this.#settings.fields[`${parentType?.name}.${field.name}`] ?? 1;
    if (node.selectionSet === undefined) return { ...free, fixed: fieldCost };

    const inner = this.costOf(getNamedType(field.type), node.selectionSet);
    const size = this.#sizes.of(field, node);
    const { listSize } = this.#settings;
    if (isListType(getNullableType(field.type))) {
      const item = inner.fixed + inner.typenames + (inner.perItem + inner.perDeepItem) * listSize;
      return size === undefined ? { ...free, fixed: fieldCost, perItem: item } : { ...free, fixed: fieldCost + item * size };
    }
    const { perItem, perDeepItem, typenames } = inner;
    if (size === undefined) return { ...free, fixed: fieldCost + inner.fixed, perDeepItem: perItem + perDeepItem, typenames };
    return { ...free, fixed: fieldCost + inner.fixed + perItem * size + perDeepItem * Math.max(size, listSize), typenames };
  }
}

function add(one: Cost, other: Cost): Cost {
  return {
    fixed: one.fixed + other.fixed,
    perItem: one.perItem + other.perItem,
    perDeepItem: one.perDeepItem + other.perDeepItem,
    typenames: one.typenames + other.typenames,
  };
}

function isTypename(selection: SelectionNode): boolean {
  return selection.kind === Kind.FIELD && selection.name.value === '__typename';
}

function fieldOf(type: GraphQLNamedType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Reads how many items a field is asked for, from arguments such as `first`. */
class SizeArguments {
  readonly #names: ReadonlySet<string>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #defaults = new Map<string, ValueNode>();
  readonly #known = new Map<object, number | undefined>();

  constructor(names: readonly string[], operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}) {
    this.#names = new Set(names);
    this.#variables = variables;
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue !== undefined) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  /** The largest size among the field's arguments; undefined if there is none. */
  of(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    return largestOf(field.args, (argument) => {
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      return (given === undefined ? undefined : this.#sizeOfNode(argument.name, given.value)) ?? this.#sizeOfDefault(argument);
    });
  }

  #sizeOfNode(name: string, node: ValueNode): number | undefined {
    if (node.kind === Kind.VARIABLE) {
      const variable = node.name.value;
      if (Object.hasOwn(this.#variables, variable)) return this.#sizeOfValue(name, this.#variables[variable]);
      const byDefault = this.#defaults.get(variable);
      return byDefault === undefined ? undefined : this.#sizeOfNode(name, byDefault);
    }
    if (node.kind === Kind.LIST) return this.#largestIn(node, node.values, (item) => this.#sizeOfNode(name, item));
    if (node.kind === Kind.OBJECT) {
      return this.#largestIn(node, node.fields, (field) => this.#sizeOfNode(field.name.value, field.value));
    }
    return 'value' in node ? this.#sizeOfValue(name, node.value) : undefined;
  }

  /** The size given by a number, or by a numeric string: a custom scalar may accept strings. */
  #sizeOfValue(name: string, value: unknown): number | undefined {
    if (Array.isArray(value)) return this.#largestIn(value, value as unknown[], (item) => this.#sizeOfValue(name, item));
    if (typeof value === 'object' && value !== null) {
      return this.#largestIn(value, Object.keys(value), (key) => this.#sizeOfValue(key, (value as Record<string, unknown>)[key]));
    }
    if (!this.#names.has(name) || (typeof value !== 'number' && typeof value !== 'string') || value === '') return undefined;
    const size = Number(value);
    return size >= 0 ? size : undefined;
  }

  /** Each value is searched once: a variable may be as large as a request, and every field may use it. */
  #largestIn<T>(owner: object, items: readonly T[], sizeOf: (item: T) => number | undefined): number | undefined {
    if (!this.#known.has(owner)) this.#known.set(owner, largestOf(items, sizeOf));
    return this.#known.get(owner);
  }

  /** graphql 16 has the default as a value, 17 as a literal or a value. */
  #sizeOfDefault(argument: GraphQLArgument): number | undefined {
    const { default: later, defaultValue } = argument as { default?: { literal?: ValueNode; value?: unknown }; defaultValue?: unknown };
    if (later?.literal !== undefined) return this.#sizeOfNode(argument.name, later.literal);
    return this.#sizeOfValue(argument.name, later?.value ?? defaultValue);
  }
}

function largestOf<T>(items: readonly T[], sizeOf: (item: T) => number | undefined): number | undefined {
  let largest: number | undefined;
  for (const item of items) {
    const size = sizeOf(item);
    if (size !== undefined && !(size <= (largest ?? -1))) largest = size;
  }
  return largest;
}
