import type { GraphQLResolveInfo } from 'graphql';

type Resolver = (...given: any[]) => unknown;

/** Resolves one field of many parents. */
export type BatchFunction = (parents: readonly any[], args: any, context: any, info: GraphQLResolveInfo) => unknown;

/**
 * The result of `batch`, an ordinary resolver. The planned executor calls its function for all parents at once, and every other executor for
 * each parent.
 *
 * TypeScript infers the context of its function from `contextType`, which no value has: inferred from the parameters, it would be
 * mixed with those of other functions in a resolver map. The second signature keeps the parameters of ordinary resolvers inferred.
 *
 * Entries export it as BatchedFieldResolver. TypeScript compares a function of another context with the first type of a union, by name,
 * that can be called. That must be FieldResolver, so that the last line of its error names the property that is missing.
 */
export interface ResolverOfBatch<TContext = any, TResult = any> {
  (parent: any, args: any, context: any, info: GraphQLResolveInfo): TResult | Promise<TResult>;
  <T>(parent: any, args: any, context: any, info: GraphQLResolveInfo & T): TResult | Promise<TResult>;
  readonly isBatched: true;
  readonly contextType?: (context: TContext) => void;
}

/** How the planned executor calls a batched resolver; to every other executor it is an ordinary one. */
export interface BatchMark {
  readonly call: BatchFunction;
  /** Number of parents of one call. */
  readonly maxSize: number;
  /** The code that runs batched fields: a BatchRunner. Bundles without `batch` do not contain it. */
  readonly runner: object;
}

/** A wrapper of a batched resolver, and a batched resolver of another copy of this package, have no mark: they are ordinary resolvers. */
const marks = new WeakMap<Resolver, BatchMark>();

export function markBatched(resolve: Resolver, mark: BatchMark): void {
  marks.set(resolve, mark);
  Object.defineProperties(resolve, { bind: { value: bindUnlessBatched }, isBatched: { value: true } });
}

/** Returns a batched resolver itself: makeExecutableSchema binds resolvers to their map, and a bound function would lose the mark. Batched resolvers do not use `this`. */
function bindUnlessBatched(this: Resolver, ...given: readonly [unknown, ...unknown[]]): Resolver {
  return marks.has(this) ? this : (Function.prototype.bind.apply(this, given as never) as Resolver);
}

/** Returns the mark of a resolver that `batch` made; undefined for other resolvers. */
export function batchOf(resolve: Resolver): BatchMark | undefined {
  return marks.get(resolve);
}
