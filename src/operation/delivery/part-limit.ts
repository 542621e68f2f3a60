import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isListType,
  isNonNullType,
  locatedError,
  responsePathAsArray,
  visit,
} from 'graphql';
import type {
  DocumentNode,
  ExecutionArgs,
  FieldNode,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { wrapResolvers } from '../../execution/graphql-js/wrap-resolvers.ts';
import type { Around } from '../../execution/graphql-js/wrap-resolvers.ts';
import { isAsyncIterable } from '../../execution/complete/async-lists.ts';
import { abandon, isThenable, toPromise } from '../../execution/promises.ts';
import { createError } from '../errors.ts';
import { ObjectParts } from './object-parts.ts';
import type { IncrementalUsage } from './incremental-usage.ts';

/**
 * The same execution, which divides its answer into so many parts at most: fragments of `@defer` for each of the objects that
 * they stand in, and streamed lists. A field with whose objects there would be more fails, before the first of them is looked at.
 *
 * Why: graphql-js takes 10 to 20 µs for a part, and with 50,000 of them 70 µs each. 470 fragments of one field each, in a list of
 * 400 rows, took a request of 52 KB 35 s, in which the process did nothing else.
 */
export function withPartLimit(args: ExecutionArgs, limit: Limit): ExecutionArgs {
  wrapResolvers(args.schema, withoutLeaves(limit.usage.document), counting);
  // It belongs to this execution alone: see guardExecution.
  const operation = getOperationAST(args.document, args.operationName)!;
  limits.set(operation, new PartLimit(args.schema, operation, limit));
  return { ...args, fieldResolver: counted(args.fieldResolver ?? defaultFieldResolver) };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const limits = new WeakMap<OperationDefinitionNode, PartLimit>();
const counting: Around = { resolve: (original) => counted(original as Resolver) };

function counted(resolve: Resolver): Resolver {
  return function limited(this: unknown, ...values) {
    const value: unknown = Reflect.apply(resolve, this, values);
    const limit = limits.get(values[3].operation);
    return limit === undefined ? value : limit.watch(value, values[3]);
  };
}

const documents = new WeakMap<DocumentNode, DocumentNode>();

/** The fields that may have parts in them. Others keep their resolvers as they are. */
function withoutLeaves(document: DocumentNode): DocumentNode {
  const known = documents.get(document);
  if (known !== undefined) return known;
  const copy = visit(document, {
    Field: ({ selectionSet, directives }) => (selectionSet === undefined && (directives ?? []).length === 0 ? null : undefined),
  });
  documents.set(document, copy);
  return copy;
}

/** Parts are counted in fifths: five streamed items take as long as a part, or a little less. */
const unitsOfPart = 5;
/** Fields that fail with an error of their own. Others are null without one: an error takes as long as a part. */
const maxRefusals = 100;

/** What an operation asks for, and the most parts of its answer. */
interface Limit {
  readonly usage: IncrementalUsage;
  readonly maxParts: number;
}

/** A field of a document, as the executor merges it from several. */
interface MergedField {
  readonly nodes: readonly FieldNode[];
  readonly type: GraphQLNamedType;
  /** The items before the first that is streamed. Infinity: none is. */
  readonly initialCount: number;
  /** Units of an object, by its type. */
  readonly byType: Map<GraphQLNamedType, number>;
  /** The most units that an object may have. */
  most?: number;
}

/** A value within the one that a resolver has returned. */
interface Place {
  readonly field: MergedField;
  readonly info: GraphQLResolveInfo;
  readonly type: GraphQLOutputType;
  /** As that of the field; Infinity for a list in a list. */
  readonly initialCount: number;
}

class PartLimit {
  readonly #schema: GraphQLSchema;
  readonly #limit: Limit;
  readonly #fields = new Map<FieldNode | undefined, MergedField[]>();
  #units = 0;
  /** The units there would have been, had the last field not been refused. */
  #asked = 0;
  #refusals = 0;
  #lastError: GraphQLError | undefined;

  constructor(schema: GraphQLSchema, operation: OperationDefinitionNode, limit: Limit) {
    this.#schema = schema;
    this.#limit = limit;
    const root = schema.getRootType(operation.operation);
    const selections = [{ selectionSet: operation.selectionSet, around: outside }];
    if (root) this.#units = new ObjectParts(schema, limit.usage, root).count(selections) * unitsOfPart;
  }

  /** The value of a field, whose parts are counted when it comes. */
  watch(value: unknown, info: GraphQLResolveInfo): unknown {
    const field = this.#fieldOf(info);
    if (field.initialCount === Infinity && this.#mostOf(field) === 0) return value;
    return this.#count(value, { field, info, type: info.returnType, initialCount: field.initialCount });
  }

  #count(value: unknown, place: Place): unknown {
    if (value === null || value === undefined) return value;
    if (isThenable(value)) {
      const later = toPromise(value).then((settled) => this.#count(settled, place));
      // graphql-js lets go of it where a field beside it fails.
      abandon(later);
      return later;
    }
    const list = getNullableType(place.type);
    if (!isListType(list)) return this.#take(this.#unitsOf(value, place)) ? value : this.#refuse(place);
    if (typeof value !== 'object') return value;
    const ofItem: Place = { ...place, type: list.ofType as GraphQLOutputType, initialCount: Infinity };
    if (Array.isArray(value)) return this.#countArray(value, place, ofItem);
    if (isAsyncIterable(value)) return this.#asyncItems(value, place, ofItem);
    if (!(Symbol.iterator in value)) return value;
    return this.#items(value as Iterable<unknown>, place, ofItem);
  }

  /** All at once: a list that does not fit is refused as a whole. */
  #countArray(items: readonly unknown[], place: Place, ofItem: Place): unknown {
    const streamed = items.length - place.initialCount;
    let units = streamed >= 0 ? streamed + unitsOfPart : 0;
    const isOfLists = isListType(getNullableType(ofItem.type));
    if (!isOfLists && this.#mostOf(place.field) > 0) for (const item of items) units += this.#unitsOf(item, place);
    if (!this.#take(units)) return this.#refuse(place);
    return isOfLists ? items.map((item) => this.#count(item, ofItem)) : items;
  }

  /** One after another: such a list may have no end, and fails at the item that does not fit any more. */
  #items(items: Iterable<unknown>, place: Place, ofItem: Place): unknown {
    if (!this.#takeStream(place)) return this.#refuse(place);
    return {
      [Symbol.iterator]: () => {
        const iterator = items[Symbol.iterator]();
        const counter = new ItemCounter(place.initialCount, () => iterator.return?.());
        const count = (item: unknown, isStreamed: boolean): unknown => this.#countItem(item, isStreamed, ofItem);
        return {
          next: () => (counter.isOver ? over : counter.take(iterator.next(), count)),
          return: () => iterator.return?.() ?? over,
        };
      },
    };
  }

  #asyncItems(items: AsyncIterable<unknown>, place: Place, ofItem: Place): unknown {
    if (!this.#takeStream(place)) return this.#refuse(place);
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = items[Symbol.asyncIterator]();
        const counter = new ItemCounter(place.initialCount, () => abandon(iterator.return?.()));
        const count = (item: unknown, isStreamed: boolean): unknown => this.#countItem(item, isStreamed, ofItem);
        return {
          next: async () => (counter.isOver ? over : counter.take(await iterator.next(), count)),
          return: () => iterator.return?.() ?? Promise.resolve(over),
        };
      },
    };
  }

  /** Its length is not known yet: it is taken to be long enough to be streamed. */
  #takeStream({ initialCount }: Place): boolean {
    return initialCount === Infinity || this.#take(unitsOfPart);
  }

  #countItem(item: unknown, isStreamed: boolean, place: Place): unknown {
    if (!isStreamed || this.#take(1)) return this.#count(item, place);
    abandon(item);
    throw this.#error(place.info);
  }

  #take(units: number): boolean {
    const after = this.#units + units;
    if (after <= this.#limit.maxParts * unitsOfPart) this.#units = after;
    else this.#asked = after;
    return after === this.#units;
  }

  #refuse({ info, type }: Place): null {
    if (this.#refusals++ < maxRefusals || isNonNullType(type)) throw this.#error(info);
    return null;
  }

  /** One that has a path is repeated by graphql-js as it is: the last one need not be made again for each of many fields. */
  #error(info: GraphQLResolveInfo): GraphQLError {
    if (this.#refusals > maxRefusals && this.#lastError !== undefined) return this.#lastError;
    const [most, asked] = [this.#limit.maxParts, Math.ceil(this.#asked / unitsOfPart)];
    const error = createError(
      'RESULT_TOO_LARGE',
      `Expected @defer and @stream to divide an answer into at most ${most} parts, got at least ${asked}. ` +
        'Ask for fewer objects at a time, or defer the list as a whole.',
    );
    return (this.#lastError = locatedError(error, info.fieldNodes, responsePathAsArray(info.path)));
  }

  /** Of an object, which may be a text or a number where its resolvers want no more than its id. */
  #unitsOf(object: unknown, { field }: Place): number {
    if (object === null || object === undefined) return 0;
    if (!isAbstractType(field.type)) return this.#unitsOfType(field, field.type);
    const name = (object as { readonly __typename?: unknown }).__typename;
    const type = typeof name === 'string' ? this.#schema.getType(name) : undefined;
    return type === undefined ? this.#mostOf(field) : this.#unitsOfType(field, type);
  }

  /** Where the type of an object is not known yet, it is taken to be the one with the most parts. */
  #mostOf(field: MergedField): number {
    return (field.most ??= isAbstractType(field.type)
      ? Math.max(0, ...this.#schema.getPossibleTypes(field.type).map((type) => this.#unitsOfType(field, type)))
      : this.#unitsOfType(field, field.type));
  }

  #unitsOfType(field: MergedField, type: GraphQLNamedType): number {
    const known = field.byType.get(type);
    if (known !== undefined) return known;
    const { defersAround } = this.#limit.usage;
    const selections = field.nodes.map((node) => ({ selectionSet: node.selectionSet, around: defersAround.get(node) ?? outside }));
    const units = new ObjectParts(this.#schema, this.#limit.usage, type).count(selections) * unitsOfPart;
    field.byType.set(type, units);
    return units;
  }

  #fieldOf({ fieldNodes, returnType }: GraphQLResolveInfo): MergedField {
    const [first] = fieldNodes;
    const known = this.#fields.get(first);
    const same = known?.find(({ nodes }) => nodes.length === fieldNodes.length && nodes.every((node, at) => node === fieldNodes[at]));
    if (same !== undefined) return same;
    const { directives } = this.#limit.usage;
    const stream = first === undefined ? undefined : directives.active(first, 'stream');
    const initialCount = stream === undefined ? Infinity : directives.initialCount(stream);
    const field: MergedField = { nodes: fieldNodes, type: getNamedType(returnType), initialCount, byType: new Map() };
    if (known === undefined) this.#fields.set(first, [field]);
    else known.push(field);
    return field;
  }
}

/** Reads a list item by item, up to the one that is refused. Whoever executes may read on: that list is over. */
class ItemCounter {
  isOver = false;
  readonly #initialCount: number;
  readonly #close: () => void;
  #index = 0;

  constructor(initialCount: number, close: () => void) {
    this.#initialCount = initialCount;
    this.#close = close;
  }

  take(step: IteratorResult<unknown>, count: (item: unknown, isStreamed: boolean) => unknown): IteratorResult<unknown> {
    if (step.done === true) return step;
    try {
      return { done: false, value: count(step.value, this.#index++ >= this.#initialCount) };
    } catch (refusal) {
      this.isOver = true;
      this.#close();
      throw refusal;
    }
  }
}

const outside: ReadonlySet<undefined> = new Set([undefined]);
const over: IteratorResult<unknown> = { done: true, value: undefined };
