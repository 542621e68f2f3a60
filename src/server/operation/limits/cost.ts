import { getNamedType, getNullableType, GraphQLError, isInterfaceType, isListType, isNonNullType, isObjectType, Kind } from 'graphql';
import type {
  DocumentNode,
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

import { fragmentsOf } from './document-size.ts';
import { shown, tooMuch } from './limits.ts';
import type { PageLimits } from './page-limits.ts';
import { defaultSizeArguments, findSizeInputs, SizeReader } from './sizes.ts';
import type { SizeInputs, Sizes } from './sizes.ts';

/** How the cost of an operation is computed before it runs. */
export interface CostRules {
  /** The number of items of a list without a size. Default: 10. */
  readonly listSize?: number;
  /**
   * Arguments that give the number of items, or fields of input objects in arguments, which can only raise it; a list gives its length.
   * Default: first, last, limit.
   */
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
export interface PricedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The coerced variables. Undefined if they are invalid: then nothing runs. */
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/** Throws when an operation costs more than the limit. */
export function assertCost({ limit }: CostSettings, cost: number, operation: OperationDefinitionNode): void {
  // The cost of a list of infinite size is NaN if its items cost nothing.
  if (!(cost <= limit)) throw tooMuch(`Expected an operation that costs at most ${limit}, got one that costs ${shown(cost)}.`, operation);
}

/**
 * Computes the cost of operations.
 *
 * A field costs 1, and the selection of a list counts once for each item. The number of items is what the resolver gets as `first`, `last`
 * or `limit`, with all defaults; a whole number from 1, or else that of `pageLimits` or `listSize`. A size in an input object can only raise
 * it. If the field is not a list itself, such as a connection, the number is that of the lists directly in it.
 * `{ books(first: 20) { title author { name } } }` costs 1 + 20 × 3. Fragments count at each spread, and for every type that they could
 * apply to. A field of an interface costs as much as the most expensive one of its objects. `@skip` and `@include` are ignored.
 * Introspection is free. `__typename` is free too, except in lists where it is alone or has an alias. An empty selection set costs as much
 * as `{ __typename }`.
 */
export class Prices {
  readonly rules: Required<CostRules>;
  readonly #schema: GraphQLSchema;
  readonly #pageLimits: PageLimits | undefined;
  readonly #fields = new Map<GraphQLNamedType, Map<string, PricedField>>();
  readonly #known = new WeakMap<PricedOperation, number>();

  constructor(schema: GraphQLSchema, rules: Required<CostRules>, pageLimits: PageLimits | undefined) {
    this.rules = rules;
    this.#schema = schema;
    this.#pageLimits = pageLimits;
  }

  /** Computed once for each object. Throws if a field is asked for too many items, for fewer than none, or in both directions. */
  costOf(priced: PricedOperation): number {
    let cost = this.#known.get(priced);
    if (cost === undefined) {
      const { document, operation, variableValues } = priced;
      const counter = new CostCounter(this, this.#schema, document, variableValues ?? {});
      const { fixed, perItem } = counter.costOf(this.#schema.getRootType(operation.operation) ?? undefined, operation.selectionSet);
      this.#known.set(priced, (cost = variableValues === undefined ? 0 : fixed + perItem * this.rules.listSize));
    }
    return cost;
  }

  /** Undefined for `__typename`, `__schema` and `__type`, which are not among a type's fields. */
  fieldOf(type: GraphQLNamedType | undefined, name: string): PricedField | undefined {
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
    let fields = this.#fields.get(type);
    if (fields === undefined) this.#fields.set(type, (fields = new Map<string, PricedField>()));
    let field = fields.get(name);
    if (field !== undefined) return field;
    const definition = type.getFields()[name];
    if (definition === undefined) return undefined;
    fields.set(name, (field = this.#price(type, definition)));
    return field;
  }

  #price(type: GraphQLObjectType | GraphQLInterfaceType, { name, type: returned }: GraphQLField<unknown, unknown>): PricedField {
    const objects = isInterfaceType(type) ? this.#schema.getPossibleTypes(type) : [type];
    const all = objects.length === 0 ? [type] : objects;
    const variants = new Map<string, SizedField>();
    let isOpen = false;
    for (const one of all) {
      const field = one.getFields()[name]!;
      const inputs = findSizeInputs(
        field,
        name === '_entities' ? [...this.rules.sizeArguments, 'representations'] : this.rules.sizeArguments,
      );
      const page = this.#pageLimits?.pageOf(one, field);
      if (inputs.direct.length + inputs.objects.length === 0) isOpen = true;
      else variants.set(JSON.stringify([inputs, page]), { inputs, max: page?.max, byDefault: page?.default?.size });
    }
    const ofType = this.rules.fields[`${type.name}.${name}`];
    const cost = Math.max(...all.map((one) => this.#costOfField(one, name)), isInterfaceType(type) ? (ofType ?? 0) : 0);
    return { cost, type: getNamedType(returned), dimensions: dimensionsOf(returned), variants: [...variants.values()], isOpen };
  }

  /** An object's field costs as much as the interface's, unless it has a cost of its own. */
  #costOfField(type: GraphQLObjectType | GraphQLInterfaceType, name: string): number {
    const { fields } = this.rules;
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
  /** One of the objects has no size arguments. */
  readonly isOpen: boolean;
}

interface SizedField {
  readonly inputs: SizeInputs;
  /** The limits of `pageLimits`. */
  readonly max: number | undefined;
  readonly byDefault: number | undefined;
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
interface Cost {
  fixed: number;
  perItem: number;
  /** `__typename` alone or under an alias, and empty selection sets: what they cost for each item of a list. */
  typenames: number;
}

class CostCounter {
  readonly #prices: Prices;
  readonly #schema: GraphQLSchema;
  readonly #listSize: number;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #costs = new Map<string, Cost>();
  readonly #sizes: SizeReader;

  constructor(prices: Prices, schema: GraphQLSchema, document: DocumentNode, variables: Readonly<Record<string, unknown>>) {
    this.#prices = prices;
    this.#schema = schema;
    this.#listSize = prices.rules.listSize;
    this.#fragments = fragmentsOf(document);
    this.#sizes = new SizeReader(variables);
  }

  /** This may be recursive, because the depth of the document has been limited before. */
  costOf(parentType: GraphQLNamedType | undefined, { selections }: SelectionSetNode): Cost {
    const sum: Cost = { fixed: 0, perItem: 0, typenames: 0 };
    // `__typename` is free next to other fields: clients add it everywhere. Alone it still makes the server load all objects of a list,
    // and so does an empty selection set.
    if (selections.every(isTypename)) sum.typenames = Math.max(1, selections.length);
    else for (const selection of selections) this.#addSelection(sum, parentType, selection);
    return sum;
  }

  #addSelection(sum: Cost, parentType: GraphQLNamedType | undefined, selection: SelectionNode): void {
    if (selection.kind === Kind.FIELD) this.#addField(sum, parentType, selection);
    else if (selection.kind === Kind.FRAGMENT_SPREAD) add(sum, this.#costOfFragment(selection.name.value));
    else {
      const type = selection.typeCondition === undefined ? parentType : this.#schema.getType(selection.typeCondition.name.value);
      add(sum, this.costOf(type, selection.selectionSet));
    }
  }

  #costOfFragment(name: string): Cost {
    const known = this.#costs.get(name);
    if (known !== undefined) return known;
    const { typeCondition, selectionSet } = this.#fragments.get(name)!;
    const cost = this.costOf(this.#schema.getType(typeCondition.name.value), selectionSet);
    this.#costs.set(name, cost);
    return cost;
  }

  #addField(sum: Cost, parentType: GraphQLNamedType | undefined, node: FieldNode): void {
    const field = this.#prices.fieldOf(parentType, node.name.value);
    if (field === undefined) {
      if (isTypename(node) && node.alias !== undefined) sum.typenames += 1;
      return;
    }
    const { cost, type, dimensions } = field;
    const { most, isOpen } = this.#sizesOf(field, node);
    sum.fixed += cost;
    if (node.selectionSet === undefined) return;
    const inner = this.costOf(type, node.selectionSet);
    if (dimensions === 0) {
      sum.fixed += inner.fixed + inner.perItem * (isOpen ? Math.max(most, this.#listSize) : most);
      sum.typenames += inner.typenames;
      return;
    }
    const item = (inner.fixed + inner.typenames + inner.perItem * this.#listSize) * this.#listSize ** (dimensions - 1);
    if (most > 0) sum.fixed += item * most;
    if (isOpen) sum.perItem += item;
  }

  /**
   * The largest number of items of the objects that may be behind an interface, and whether one of them has as many as the field around it
   * says.
   */
  #sizesOf({ variants, isOpen: isAlwaysOpen }: PricedField, node: FieldNode): { readonly most: number; readonly isOpen: boolean } {
    let most = 0;
    let isOpen = isAlwaysOpen;
    for (const { inputs, max, byDefault } of variants) {
      const sizes = this.#sizes.read(inputs, node);
      if (max !== undefined) assertPage(node, sizes, max);
      const size = sizes.count(byDefault, this.#listSize);
      if (size === undefined) isOpen = true;
      else most = Math.max(most, size);
    }
    return { most, isOpen };
  }
}

function add(sum: Cost, { fixed, perItem, typenames }: Cost): void {
  sum.fixed += fixed;
  sum.perItem += perItem;
  sum.typenames += typenames;
}

function isTypename(selection: SelectionNode): boolean {
  return selection.kind === Kind.FIELD && selection.name.value === '__typename';
}

function assertPage(node: FieldNode, { isFirst, isLast, least, most }: Sizes, max: number): void {
  // Without a limit, as for the references of a subgraph, a field may have such names for other things.
  if (max >= Number.MAX_SAFE_INTEGER) return;
  if (isFirst && isLast) throw refusal(node, 'asked for its first or its last items, got both "first" and "last"');
  if (least < 0 || most > max) throw refusal(node, `asked for 0 to ${max} items, got ${least < 0 ? least : most}`);
}

/** The error has only names that the client has sent, because the schema may be a secret. */
function refusal(node: FieldNode, expected: string): GraphQLError {
  return new GraphQLError(`Expected the field "${node.name.value}" to be ${expected}.`, {
    nodes: node,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}
