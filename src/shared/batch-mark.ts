import type { GraphQLResolveInfo } from 'graphql';

type Resolver = (...given: any[]) => unknown;

/** Resolves one field of many parents. */
export type BatchFunction = (parents: readonly any[], args: any, context: any, info: GraphQLResolveInfo) => unknown;

/**
 * What `batch` returns: an ordinary resolver. The planned executor calls its function for all parents at once, and every other executor for
 * each parent.
 *
 * TypeScript infers the context of its function from `contextType`, which no value has: inferred from the parameters, it would be
 * mixed with those of other functions in a resolver map. The second signature keeps the parameters of ordinary resolvers inferred.
 */
export interface BatchedFieldResolver<TContext = any, TResult = any> {
  (parent: any, args: any, context: any, info: GraphQLResolveInfo): TResult | Promise<TResult>;
  <T>(parent: any, args: any, context: any, info: GraphQLResolveInfo & T): TResult | Promise<TResult>;
  readonly isBatched: true;
  readonly contextType?: (context: TContext) => void;
}

/** The mark of a batched resolver. The planned executor calls `call`; to every other executor it is an ordinary resolver. */
export interface BatchMark {
  /** The marked function itself. A wrapper that inherits the mark is a different function and does not count. */
  readonly resolve: Resolver;
  readonly call: BatchFunction;
  /** Number of parents of one call. */
  readonly maxSize: number;
  /** The code that runs it: a BatchRunner. Bundles without `batch` do not contain it. */
  readonly runner: { readonly copy: object };
}

/** Identifies this copy of the package: a bundle may contain two. */
export const thisCopy: object = {};

/** The property of the mark on each batched resolver. Wrappers may come from another copy of the package. */
const batchMark = Symbol.for('graphql-functions.batch');

type Marked = Resolver & { [batchMark]?: BatchMark };

export function markBatched(resolve: Resolver, mark: Omit<BatchMark, 'resolve'>): void {
  (resolve as Marked)[batchMark] = { ...mark, resolve };
  Object.defineProperties(resolve, { bind: { value: bindUnlessBatched }, isBatched: { value: true } });
}

/** Returns a batched resolver itself: makeExecutableSchema binds resolvers to their map, and a bound function would lose the mark. Batched resolvers do not use `this`. */
function bindUnlessBatched(this: Resolver, ...given: readonly [unknown, ...unknown[]]): Resolver {
  return batchOf(this) === undefined ? (Function.prototype.bind.apply(this, given as never) as Resolver) : this;
}

/** Undefined for an ordinary resolver, such as a proxy of a batched one, or a function that has its properties or its prototype. */
export function batchOf(resolve: Resolver): BatchMark | undefined {
  const mark = (resolve as Marked)[batchMark];
  return mark?.resolve === resolve ? mark : undefined;
}
