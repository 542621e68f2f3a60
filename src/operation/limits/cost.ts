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
} from 'graphql';

import type { BatchBudget } from './batch-budget.ts';
import { fragmentsOf } from './document-size.ts';
import { shown, tooMuch } from './limits.ts';
import { SizeArguments } from './size-arguments.ts';

/** How the cost of an operation is reckoned before it runs. */
export interface CostOptions {
  /** The highest cost of an operation that runs. */
  readonly limit: number;
  /** Items that a list counts for when no argument says how many. Default: 10. */
  readonly listSize?: number;
  /** Arguments, or fields of an input object in an argument, that say how many. Default: first, last, limit. */
  readonly sizeArguments?: readonly string[];
  /** What single fields cost themselves, for example `{ 'Query.search': 50 }`. Default: 1. */
  readonly fields?: Readonly<Record<string, number>>;
}

/** The same with defaults filled in. */
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
 * A field costs 1, and what is selected in a list counts once for each of its items. How many items: the field's argument
 * `first`, `last` or `limit`, literal, variable or default; where the field itself is no list, as a connection is, the
 * argument speaks of the lists directly in it, and of those in objects there where it is more than `listSize`; else
 * `listSize`. `{ books(first: 20) { title author { name } } }` costs 1 + 20 × 3. Fragments count wherever they are spread and for every type they could apply to; `@skip` and
 * `@include` are not looked at; what describes the schema is free; so is `__typename`, save in lists where it stands alone or has an alias.
 */
export function assertCost(settings: CostSettings, input: CostInput, budget?: BatchBudget): void {
  const rootType = input.schema.getRootType(input.operation.operation);
  const { fixed, perItem, perDeepItem } = new Reckoner(settings, input).reckon(rootType ?? undefined, input.operation.selectionSet);
  const cost = fixed + (perItem + perDeepItem) * settings.listSize;
  if (cost > settings.limit) {
    throw tooMuch(`Expected an operation that costs at most ${settings.limit}, got one that costs ${shown(cost)}.`, input.operation);
  }
  budget?.spend('maxCost', cost, input.operation);
}

/**
 * The cost of a selection set: a part that is fixed, and parts for each item of the lists directly in it, and in objects
 * in it, whose size the field around it may know. Kept apart, so that a fragment is reckoned once, however many sizes surround its spreads: the
 * limit must not be the attack.
 */
interface Cost {
  readonly fixed: number;
  readonly perItem: number;
  readonly perDeepItem: number;
  /** `__typename` alone or under an alias: what it costs for each item of a list. */
  readonly typenames: number;
}

const free: Cost = { fixed: 0, perItem: 0, perDeepItem: 0, typenames: 0 };

class Reckoner {
  readonly #settings: CostSettings;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #reckoned = new Map<string, Cost>();
  readonly #sizes: SizeArguments;

  constructor(settings: CostSettings, { schema, document, operation, variables }: CostInput) {
    this.#settings = settings;
    this.#schema = schema;
    this.#fragments = fragmentsOf(document);
    this.#sizes = new SizeArguments(settings.sizeArguments, operation, variables);
  }

  /** Calls itself for every level, which the document has only so many of: see FragmentNesting. */
  reckon(parentType: GraphQLNamedType | undefined, selectionSet: SelectionSetNode): Cost {
    // Asked for beside others, as clients do everywhere, it is free; asked for alone it makes all the objects of a list.
    if (selectionSet.selections.every(isTypename)) return { ...free, typenames: selectionSet.selections.length };
    let sum = free;
    for (const selection of selectionSet.selections) {
      sum = add(sum, this.#reckonSelection(parentType, selection));
    }
    return sum;
  }

  #reckonSelection(parentType: GraphQLNamedType | undefined, selection: SelectionNode): Cost {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#reckonFragment(selection.name.value);
    if (selection.kind === Kind.FIELD) return this.#reckonField(parentType, selection);
    const type = selection.typeCondition === undefined ? parentType : this.#schema.getType(selection.typeCondition.name.value);
    return this.reckon(type, selection.selectionSet);
  }

  #reckonFragment(name: string): Cost {
    const known = this.#reckoned.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return free;
    const cost = this.reckon(this.#schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
    this.#reckoned.set(name, cost);
    return cost;
  }

  #reckonField(parentType: GraphQLNamedType | undefined, node: FieldNode): Cost {
    const field = fieldOf(parentType, node.name.value);
    // __typename, __schema and __type are nobody's fields.
    if (field === undefined) return isTypename(node) && node.alias !== undefined ? { ...free, typenames: 1 } : free;
    const own = this.#settings.fields[`${parentType?.name}.${field.name}`] ?? 1;
    if (node.selectionSet === undefined) return { ...free, fixed: own };

    const inner = this.reckon(getNamedType(field.type), node.selectionSet);
    const size = this.#sizes.of(field, node);
    const { listSize } = this.#settings;
    if (isListType(getNullableType(field.type))) {
      const item = inner.fixed + inner.typenames + (inner.perItem + inner.perDeepItem) * listSize;
      return size === undefined ? { ...free, fixed: own, perItem: item } : { ...free, fixed: own + item * size };
    }
    const { perItem, perDeepItem, typenames } = inner;
    if (size === undefined) return { ...free, fixed: own + inner.fixed, perDeepItem: perItem + perDeepItem, typenames };
    return { ...free, fixed: own + inner.fixed + perItem * size + perDeepItem * Math.max(size, listSize), typenames };
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
