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

/** What makes a resolver a batched one. The planned executor calls `call`; to every other executor it is an ordinary resolver. */
export interface BatchMark {
  readonly call: BatchFunction;
  /** Number of parents of one call. */
  readonly maxSize: number;
  /** The code that runs it: a BatchRunner. Bundles without `batch` do not contain it. */
  readonly runner: { readonly copy: object };
}

/** Identifies this copy of the package: a bundle may contain two. */
export const thisCopy: object = {};

/** On each batched resolver. Wrappers may come from another copy. */
const batchMark = Symbol.for('graphql-functions.batch');

type Marked = Resolver & { [batchMark]?: BatchMark };

export function markBatched(resolve: Resolver, mark: BatchMark): void {
  (resolve as Marked)[batchMark] = mark;
  // Makers of schemas bind resolvers to their map, and a bound function would not be marked. It does not use `this`.
  Object.defineProperties(resolve, { bind: { value: () => resolve }, isBatched: { value: true } });
}

/** Undefined for an ordinary resolver. */
export function batchOf(resolve: Resolver): BatchMark | undefined {
  return (resolve as Marked)[batchMark];
}

/** Wraps a resolver. A batched one stays batched: then a second wrapper gets the list of parents, once for each call. */
export function wrapResolver<T extends Resolver>(original: T, around: (resolve: T, isBatched: boolean) => T): T {
  const wrapped = around(original, false);
  const mark = batchOf(original);
  if (mark !== undefined) markBatched(wrapped, { ...mark, call: around(mark.call as unknown as T, true) as unknown as BatchFunction });
  return wrapped;
}
