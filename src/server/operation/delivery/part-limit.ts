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

import { abandon, isAsyncIterable, wrapResolvers } from '../../../executor/index.ts';
import type { Around } from '../../../executor/index.ts';
import { createError } from '../errors.ts';
import { ObjectParts } from './object-parts.ts';
import type { IncrementalUsage } from './incremental-usage.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/**
 * Limits the number of parts of an answer: deferred fragments, counted for each object they apply to, and streamed lists. A field whose
 * objects would exceed the limit fails before the first of them is executed.
 *
 * graphql-js takes 10 to 20 µs for a part, and 70 µs for each of 50,000. A request of 52 KB with 470 deferred fragments of one field each,
 * in a list of 400 rows, blocked the process for 35 s.
 */
export function withPartLimit(args: ExecutionArgs, limit: Limit): ExecutionArgs {
  wrapResolvers(args.schema, withoutLeaves(limit.usage.document), counting);
  // guardExecution has copied the operation node, so it identifies this execution.
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

/** A copy with only the fields that can contain parts. The resolvers of other fields are not wrapped. */
function withoutLeaves(document: DocumentNode): DocumentNode {
  const known = documents.get(document);
  if (known !== undefined) return known;
  const copy = visit(document, {
    Field: ({ selectionSet, directives }) => (selectionSet === undefined && (directives ?? []).length === 0 ? null : undefined),
  });
  documents.set(document, copy);
  return copy;
}

/** Parts are counted in fifths: five streamed items take about as long as one part. */
const unitsOfPart = 5;
/** Number of fields that fail with an error. Further nullable fields are null without one, because an error takes as long as a part. */
const maxRefusals = 100;

interface Limit {
  readonly usage: IncrementalUsage;
  readonly maxParts: number;
}

/** A field of an operation, merged from one or more field nodes. */
interface MergedField {
  readonly nodes: readonly FieldNode[];
  readonly type: GraphQLNamedType;
  /** The number of items that are not streamed. Infinity: the field is not streamed. */
  readonly initialCount: number;
  /** Units per object, by its type. */
  readonly byType: Map<GraphQLNamedType, number>;
  /** The maximum of units per object, over all possible types. */
  most?: number;
}

/** The position of a value within the result of a resolver. */
interface Place {
  readonly field: MergedField;
  readonly info: GraphQLResolveInfo;
  readonly type: GraphQLOutputType;
  /** That of the field; Infinity for a nested list. */
  readonly initialCount: number;
}

class PartLimit {
  readonly #schema: GraphQLSchema;
  readonly #limit: Limit;
  readonly #fields = new Map<FieldNode | undefined, MergedField[]>();
  #units = 0;
  /** The total that the last refused field would have reached. */
  #attempted = 0;
  #refusals = 0;
  #lastError: GraphQLError | undefined;

  constructor(schema: GraphQLSchema, operation: OperationDefinitionNode, limit: Limit) {
    this.#schema = schema;
    this.#limit = limit;
    const root = schema.getRootType(operation.operation);
    const selections = [{ selectionSet: operation.selectionSet, around: outside }];
    if (root) this.#units = new ObjectParts(schema, limit.usage, root).count(selections) * unitsOfPart;
  }

  /** Counts the parts of a field's value, when it is available. */
  watch(value: unknown, info: GraphQLResolveInfo): unknown {
    const field = this.#fieldOf(info);
    if (field.initialCount === Infinity && this.#mostOf(field) === 0) return value;
    return this.#count(value, { field, info, type: info.returnType, initialCount: field.initialCount });
  }

  #count(value: unknown, place: Place): unknown {
    if (value === null || value === undefined) return value;
    if (isPromiseLike(value)) {
      const later = Promise.resolve(value).then((settled) => this.#count(settled, place));
      // graphql-js stops waiting for it if a sibling field fails.
      abandon(later);
      return later;
    }
    const list = getNullableType(place.type);
    if (!isListType(list)) return this.#take(this.#unitsOf(value, place)) ? value : this.#refuse(place);
    if (typeof value !== 'object') return value;
    const ofItem: Place = { ...place, type: list.ofType as GraphQLOutputType, initialCount: Infinity };
    if (Array.isArray(value)) return this.#countArray(value, place, ofItem);
    if (!isAsyncIterable(value) && !(Symbol.iterator in value)) return value;
    if (!this.#takeStream(place)) return this.#refuse(place);
    if (isAsyncIterable(value)) return this.#asyncItems(value, place.initialCount, ofItem);
    return this.#items(value as Iterable<unknown>, place.initialCount, ofItem);
  }

  /** Counts all items at once: an array that exceeds the limit is refused as a whole. */
  #countArray(items: readonly unknown[], place: Place, ofItem: Place): unknown {
    const streamed = items.length - place.initialCount;
    let units = streamed >= 0 ? streamed + unitsOfPart : 0;
    const isOfLists = isListType(getNullableType(ofItem.type));
    if (!isOfLists && this.#mostOf(place.field) > 0) for (const item of items) units += this.#unitsOf(item, place);
    if (!this.#take(units)) return this.#refuse(place);
    return isOfLists ? items.map((item) => this.#count(item, ofItem)) : items;
  }

  /** Counts items one by one: an iterable may be infinite, and fails at the item that exceeds the limit. */
  *#items(items: Iterable<unknown>, initialCount: number, ofItem: Place): Iterable<unknown> {
    let index = 0;
    for (const item of items) yield this.#countItem(item, index++ >= initialCount, ofItem);
  }

  /** Not a generator: its `return` would wait for a `next` that the source has not answered yet. */
  #asyncItems(items: AsyncIterable<unknown>, initialCount: number, ofItem: Place): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = items[Symbol.asyncIterator]();
        let index = 0;
        let isOver = false;
        return {
          next: async () => {
            if (isOver) return over;
            const step = await iterator.next();
            if (step.done === true) return step;
            try {
              return { done: false, value: this.#countItem(step.value, index++ >= initialCount, ofItem) };
            } catch (refusal) {
              // The executor may try to read on.
              isOver = true;
              abandon(iterator.return?.());
              throw refusal;
            }
          },
          return: () => iterator.return?.() ?? Promise.resolve(over),
        };
      },
    };
  }

  /** The length is not known yet, so assume that the list is long enough to be streamed. */
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
    else this.#attempted = after;
    return after === this.#units;
  }

  #refuse({ info, type }: Place): null {
    if (this.#refusals++ < maxRefusals || isNonNullType(type)) throw this.#error(info);
    return null;
  }

  /** graphql-js does not copy a located error, so after `maxRefusals` the last error is reused for further fields. */
  #error(info: GraphQLResolveInfo): GraphQLError {
    if (this.#refusals > maxRefusals && this.#lastError !== undefined) return this.#lastError;
    const [most, attempted] = [this.#limit.maxParts, Math.ceil(this.#attempted / unitsOfPart)];
    const error = createError(
      'RESULT_TOO_LARGE',
      `Expected @defer and @stream to divide an answer into at most ${most} parts, got at least ${attempted}. ` +
        'Request fewer objects at a time, or defer the list as a whole.',
    );
    return (this.#lastError = locatedError(error, info.fieldNodes, responsePathAsArray(info.path)));
  }

  /** Units of one object. The value may also be a string or number, if its resolvers only need an id. */
  #unitsOf(object: unknown, { field }: Place): number {
    if (object === null || object === undefined) return 0;
    if (!isAbstractType(field.type)) return this.#unitsOfType(field, field.type);
    const name = (object as { readonly __typename?: unknown }).__typename;
    const type = typeof name === 'string' ? this.#schema.getType(name) : undefined;
    return type === undefined ? this.#mostOf(field) : this.#unitsOfType(field, type);
  }

  /** The units of an object whose type is not known yet: those of the possible type with the most parts. */
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

const outside: ReadonlySet<undefined> = new Set([undefined]);
const over: IteratorResult<unknown> = { done: true, value: undefined };
