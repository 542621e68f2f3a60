import { getNamedType, getNullableType, GraphQLError, isInterfaceType, isListType, isNonNullType, isObjectType, Kind } from 'graphql';
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

import type { OperationExecution } from '../../server/index.ts';
import { fragmentsOf, getOrCreate } from '../../shared/index.ts';
import type { LimitsFact } from '../../shared/index.ts';
import type { LimitsOptions } from './options.ts';
import { fieldAt, PageLimits } from './page-limits.ts';
import { findSizeInputs, SizeReader } from './sizes.ts';
import type { SizeInputs, Sizes } from './sizes.ts';

/** An operation with everything that its cost depends on. */
export type PricedOperation = Pick<OperationExecution, 'document' | 'operation' | 'variableValues'>;

/**
 * Computes the cost of operations.
 *
 * A field costs 1, and the selection of a list counts once for each item. The number of items is what the resolver gets as `first`, `last`
 * or `limit`, with all defaults: a number above 0, rounded up, or else that of `pageLimits` or `listSize`. A size in an input object can
 * only raise it. If the field is not a list itself, such as a connection, the number is that of the lists directly in it which have no
 * such arguments.
 * `{ books(first: 20) { title author { name } } }` costs 1 + 20 × 3. Fragments count at each spread, and for every type that they could
 * apply to. A field of an interface costs as much as the most expensive one of its objects. `@skip` and `@include` are ignored.
 * Introspection is free. `__typename` is free too, except in lists where it is alone or has an alias. An empty selection set costs as much
 * as `{ __typename }`.
 */
export class Prices implements LimitsFact {
  readonly maxCost: number | undefined;
  readonly pages: PageLimits | undefined;
  readonly listSize: number;
  readonly schema: GraphQLSchema;
  readonly #limits: LimitsOptions;
  readonly #sizeArguments: readonly string[];
  readonly #fields = new Map<GraphQLNamedType, Map<string, PricedField>>();
  readonly #known = new WeakMap<PricedOperation, number>();

  constructor(schema: GraphQLSchema, limits: LimitsOptions) {
    const { pageLimits, listSize = 10, sizeArguments = ['first', 'last', 'limit'] } = limits;
    this.schema = schema;
    this.#limits = limits;
    this.#sizeArguments = sizeArguments;
    this.listSize = listSize;
    this.maxCost = limits.maxCost;
    this.pages = pageLimits && new PageLimits(schema, pageLimits, sizeArguments);
    const unknown = Object.keys(limits.fields ?? {}).find((coordinate) => fieldAt(coordinate, schema) === undefined);
    if (unknown !== undefined)
      throw new TypeError(`Expected the option fields of limits to name fields of the schema, like "Query.books", got "${unknown}".`);
  }

  /** Computed once for each object. Throws for an operation that exceeds a limit. */
  costOf(priced: PricedOperation): number {
    const { operation } = priced;
    let cost = this.#known.get(priced);
    if (cost === undefined) {
      const { fixed, perItem, depth, aliases } = new Walk(this, priced).measureAll();
      cost = fixed + perItem * this.listSize;
      const { maxDepth = Infinity, maxAliases = Infinity, maxCost = Infinity } = this.#limits;
      if (depth > maxDepth) throw refusal(operation, `the operation to have at most ${maxDepth} levels of fields, got ${depth}`);
      if (aliases > maxAliases) throw refusal(operation, `the operation to have at most ${maxAliases} aliases, got ${shown(aliases)}`);
      // The cost of a list of infinite size is NaN if its items cost nothing.
      if (!(cost <= maxCost)) throw refusal(operation, `an operation that costs at most ${maxCost}, got one that costs ${shown(cost)}`);
      this.#known.set(priced, cost);
    }
    return cost;
  }

  costliest(priced: PricedOperation): { readonly cost: number; readonly costliest: string } {
    return new Walk(this, priced).costliest();
  }

  /** Returns undefined if the type does not list the field, as with `__typename`, `__schema` and `__type`. */
  fieldOf(type: GraphQLNamedType | undefined, name: string): PricedField | undefined {
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
    const definition = type.getFields()[name];
    if (definition === undefined) return undefined;
    const fields = getOrCreate(this.#fields, type, () => new Map<string, PricedField>());
    return getOrCreate(fields, name, () => this.#price(type, definition));
  }

  #price(type: GraphQLObjectType | GraphQLInterfaceType, { name, type: returned }: GraphQLField<unknown, unknown>): PricedField {
    const objects = isInterfaceType(type) ? this.schema.getPossibleTypes(type) : [type];
    const all = objects.length === 0 ? [type] : objects;
    const variants = new Map<string, SizedField>();
    let isOpen = false;
    for (const one of all) {
      const field = one.getFields()[name]!;
      const names = this.#sizeArguments;
      const inputs = findSizeInputs(field, name === '_entities' ? [...names, 'representations'] : names);
      const page = this.pages?.pageOf(one, field);
      if (inputs.direct.length + inputs.objects.length === 0) isOpen = true;
      else variants.set(JSON.stringify([inputs, page]), { inputs, max: page?.max, byDefault: page?.size ?? this.listSize });
    }
    const ofType = this.#limits.fields?.[`${type.name}.${name}`];
    const cost = Math.max(...all.map((one) => this.#costOfField(one, name)), isInterfaceType(type) ? (ofType ?? 0) : 0);
    return { cost, type: getNamedType(returned), dimensions: dimensionsOf(returned), variants: [...variants.values()], isOpen };
  }

  /** A field of an object costs as much as the same field of its interface, unless `fields` sets its own cost. */
  #costOfField(type: GraphQLObjectType | GraphQLInterfaceType, name: string): number {
    const { fields = {} } = this.#limits;
    const ofInterfaces = type.getInterfaces().flatMap((one) => fields[`${one.name}.${name}`] ?? []);
    return fields[`${type.name}.${name}`] ?? (ofInterfaces.length === 0 ? 1 : Math.max(...ofInterfaces));
  }
}

/** A field of a type; of an interface, with the strictest rules of its objects. */
interface PricedField {
  readonly cost: number;
  readonly type: GraphQLNamedType;
  /** 0: no list; 2: a list of lists. */
  readonly dimensions: number;
  /** The fields of the objects, as far as their sizes differ. */
  readonly variants: readonly SizedField[];
  /** True if an object has no size arguments, so that the field around the list gives the number of items. */
  readonly isOpen: boolean;
}

interface SizedField {
  readonly inputs: SizeInputs;
  /** The limits of `pageLimits`. */
  readonly max: number | undefined;
  /** The number of items that counts without a size. */
  readonly byDefault: number;
}

function dimensionsOf(type: GraphQLOutputType): number {
  if (isNonNullType(type)) return dimensionsOf(type.ofType);
  return isListType(type) ? 1 + dimensionsOf(getNullableType(type.ofType)) : 0;
}

/**
 * The cost of a selection set: a fixed part, and a part for each item of the lists directly in it, whose number the field around it may
 * know. The parts are separate, so that a fragment is computed once even if it is spread in fields of many sizes: the limit must not be the
 * attack.
 */
interface Measure {
  fixed: number;
  perItem: number;
  /** The cost of `__typename`, with or without an alias, and of empty selection sets, for each item of a list. */
  typenames: number;
  /** Levels of fields. An introspection field is one level: graphql-js limits its depth, and it loads no data. */
  depth: number;
  aliases: number;
}

/** The walk through one operation. It may be recursive, because the nesting of the document has been limited before. */
class Walk {
  readonly #prices: Prices;
  readonly #operation: OperationDefinitionNode;
  /** Undefined if the schema has no such type. */
  readonly #root: GraphQLNamedType | undefined;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<string, Measure>();
  readonly #sizes: SizeReader;

  constructor(prices: Prices, { document, operation, variableValues }: PricedOperation) {
    this.#prices = prices;
    this.#operation = operation;
    this.#root = prices.schema.getRootType(operation.operation) ?? undefined;
    this.#fragments = fragmentsOf(document);
    this.#sizes = new SizeReader(variableValues);
  }

  measureAll(): Measure {
    return this.#measure(this.#root, this.#operation.selectionSet);
  }

  #measure(parentType: GraphQLNamedType | undefined, { selections }: SelectionSetNode): Measure {
    const sum: Measure = { fixed: 0, perItem: 0, typenames: 0, depth: 0, aliases: 0 };
    for (const selection of selections) this.#addSelection(sum, parentType, selection);
    // `__typename` is free next to other fields: clients add it everywhere. Alone it still makes the server load all objects of a list,
    // and so does an empty selection set.
    if (selections.every(isTypename)) sum.typenames = Math.max(1, selections.length);
    return sum;
  }

  /** Follows the selections that cost the most, as long as each costs more than half of those around it. */
  costliest(): { readonly cost: number; readonly costliest: string } {
    const { selections } = this.#operation.selectionSet;
    const costOf = (type: GraphQLNamedType | undefined, some: readonly SelectionNode[]): number => {
      const { fixed, perItem } = this.#measure(type, { kind: Kind.SELECTION_SET, selections: some });
      return fixed + perItem * this.#prices.listSize;
    };
    const path: string[] = [];
    const cost = costOf(this.#root, selections);
    let [type, inside, around] = [this.#root, selections, cost];
    while (inside.length > 0) {
      const costs = inside.map((one) => costOf(type, [one]));
      const most = Math.max(...costs);
      const chosen = inside[costs.indexOf(most)]!;
      const isLeaf = chosen.kind === Kind.FIELD && chosen.selectionSet === undefined;
      if (path.length > 0 && (isLeaf || most * 2 <= around)) break;
      around = most;
      if (chosen.kind === Kind.FIELD) {
        path.push((chosen.alias ?? chosen.name).value);
        type = this.#prices.fieldOf(type, chosen.name.value)?.type;
        inside = chosen.selectionSet?.selections ?? [];
        around = costOf(type, inside);
      } else {
        const { typeCondition, selectionSet } = chosen.kind === Kind.INLINE_FRAGMENT ? chosen : this.#fragments.get(chosen.name.value)!;
        if (typeCondition !== undefined) type = this.#prices.schema.getType(typeCondition.name.value);
        inside = selectionSet.selections;
      }
    }
    return { cost, costliest: path.join('.') };
  }

  #addSelection(sum: Measure, parentType: GraphQLNamedType | undefined, selection: SelectionNode): void {
    if (selection.kind === Kind.FIELD) this.#addField(sum, parentType, selection);
    else if (selection.kind === Kind.FRAGMENT_SPREAD) add(sum, this.#measureFragment(selection.name.value));
    else {
      const type = selection.typeCondition === undefined ? parentType : this.#prices.schema.getType(selection.typeCondition.name.value);
      add(sum, this.#measure(type, selection.selectionSet));
    }
  }

  #measureFragment(name: string): Measure {
    return getOrCreate(this.#known, name, () => {
      const { typeCondition, selectionSet } = this.#fragments.get(name)!;
      return this.#measure(this.#prices.schema.getType(typeCondition.name.value), selectionSet);
    });
  }

  #addField(sum: Measure, parentType: GraphQLNamedType | undefined, node: FieldNode): void {
    const hasAlias = node.alias !== undefined;
    if (hasAlias) sum.aliases += 1;
    const field = this.#prices.fieldOf(parentType, node.name.value);
    if (field === undefined) {
      sum.depth = Math.max(sum.depth, 1);
      if (hasAlias && isTypename(node)) sum.typenames += 1;
      return;
    }
    const { cost, type, dimensions, isOpen } = field;
    const most = this.#largestOf(field, node);
    const { listSize } = this.#prices;
    const inner = node.selectionSet === undefined ? leaf : this.#measure(type, node.selectionSet);
    sum.fixed += cost;
    sum.aliases += inner.aliases;
    sum.depth = Math.max(sum.depth, inner.depth + 1);
    if (dimensions === 0) {
      sum.fixed += inner.fixed + inner.perItem * (isOpen ? Math.max(most, listSize) : most);
      sum.typenames += inner.typenames;
      return;
    }
    const item = (inner.fixed + inner.typenames + inner.perItem * listSize) * listSize ** (dimensions - 1);
    if (most > 0) sum.fixed += item * most;
    if (isOpen) sum.perItem += item;
  }

  /** Returns the largest number of items among the objects that may be behind an interface; 0 if the field has no size arguments. */
  #largestOf({ variants }: PricedField, node: FieldNode): number {
    let most = 0;
    for (const { inputs, max, byDefault } of variants) {
      const sizes = this.#sizes.read(inputs, node);
      if (max !== undefined) assertPage(node, sizes, max);
      most = Math.max(most, sizes.count(byDefault));
    }
    return most;
  }
}

const leaf: Measure = { fixed: 0, perItem: 0, typenames: 0, depth: 0, aliases: 0 };

function add(sum: Measure, { fixed, perItem, typenames, depth, aliases }: Measure): void {
  sum.fixed += fixed;
  sum.perItem += perItem;
  sum.typenames += typenames;
  sum.depth = Math.max(sum.depth, depth);
  sum.aliases += aliases;
}

function isTypename(selection: SelectionNode): boolean {
  return selection.kind === Kind.FIELD && selection.name.value === '__typename';
}

function assertPage(node: FieldNode, { isFirst, isLast, least, most }: Sizes, max: number): void {
  // If there is no limit, as for the references of a subgraph, arguments of these names may mean something else.
  if (max >= Number.MAX_SAFE_INTEGER) return;
  // The errors have only names that the client has sent, because the schema may be a secret.
  const field = `the field "${node.name.value}" to be asked for`;
  if (isFirst && isLast) throw refusal(node, `${field} its first or its last items, got both "first" and "last"`);
  if (least < 0 || most > max) throw refusal(node, `${field} 0 to ${max} items, got ${least < 0 ? least : most}`);
}

function refusal(node: FieldNode | OperationDefinitionNode, expected: string): GraphQLError {
  return new GraphQLError(`Expected ${expected}.`, { nodes: node, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}

/** Formats a number for a message: with fragments it can be astronomical. */
function shown(amount: number): string {
  return amount < 1e9 ? String(amount) : 'more than a billion';
}
