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
import { defaultSizeArguments, SizeArguments } from './list-sizes.ts';
import type { PageLimits } from './page-limits.ts';

/** How the cost of an operation is computed before it runs. */
export interface CostRules {
  /** The number of items of a list without a size argument. Default: 10. */
  readonly listSize?: number;
  /** Arguments, or fields of input objects in arguments, that give the number of items; a list gives its length. Default: first, last, limit. */
  readonly sizeArguments?: readonly string[];
  /** The cost of single fields, for example `{ 'Query.search': 50 }`. Default: 1. */
  readonly fields?: Readonly<Record<string, number>>;
}

/** The option `maxCost`. */
export interface CostOptions extends CostRules {
  /** The highest cost of an operation that runs. */
  readonly limit: number;
}

/** The options with defaults filled in. */
export type CostSettings = Required<CostOptions>;

/** The rules of a server without `maxCost`. */
export const defaultCostRules: Required<CostRules> = { listSize: 10, sizeArguments: defaultSizeArguments, fields: {} };

/** An operation with what its cost depends on. */
export interface CostInput {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Undefined: fields without a size argument have `listSize` items. */
  readonly pageLimits?: PageLimits | undefined;
}

/** Throws when an operation costs more than the limit. */
export function assertCost(settings: CostSettings, input: CostInput, budget?: BatchBudget): void {
  const cost = operationCost(settings, input);
  // The cost of a list of infinite size is NaN if its items cost nothing.
  if (!(cost <= settings.limit)) {
    throw tooMuch(`Expected an operation that costs at most ${settings.limit}, got one that costs ${shown(cost)}.`, input.operation);
  }
  budget?.spend('maxCost', cost, input.operation);
}

/**
 * The cost of an operation.
 *
 * A field costs 1, and the selection of a list counts once for each item. The number of items is the field's argument `first`, `last` or
 * `limit`: a literal, a variable or a default. If the field is not a list itself, such as a connection, the argument is the size of the
 * lists directly in it, and of lists in its objects if it is larger than `listSize`. Without such an argument the number is that of
 * `pageLimits`, or else `listSize`.
 * `{ books(first: 20) { title author { name } } }` costs 1 + 20 × 3. Fragments count at each spread, and for every type that they could
 * apply to. `@skip` and `@include` are ignored. Introspection is free. `__typename` is free too, except in lists where it is alone or
 * has an alias. An empty selection set costs as much as `{ __typename }`.
 */
export function operationCost(rules: Required<CostRules>, input: CostInput): number {
  const rootType = input.schema.getRootType(input.operation.operation);
  const { fixed, perItem, perDeepItem } = new CostCounter(rules, input).costOf(rootType ?? undefined, input.operation.selectionSet);
  return fixed + (perItem + perDeepItem) * rules.listSize;
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
  readonly #settings: Required<CostRules>;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #costs = new Map<string, Cost>();
  readonly #sizes: SizeArguments;
  readonly #pageLimits: PageLimits | undefined;

  constructor(settings: Required<CostRules>, { schema, document, operation, variables, pageLimits }: CostInput) {
    this.#settings = settings;
    this.#schema = schema;
    this.#fragments = fragmentsOf(document);
    this.#sizes = new SizeArguments(settings.sizeArguments, operation, variables);
    this.#pageLimits = pageLimits;
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
    const size = this.#sizes.of(field, node) ?? this.#pageLimits?.defaultFor(parentType!, field)?.size;
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
