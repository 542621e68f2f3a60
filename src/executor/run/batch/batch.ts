import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';

import { describe, isPromiseLike } from '../../../shared/index.ts';
import { markBatched } from '../../batch-mark.ts';
import type { ResolverOfBatch, BatchFunction } from '../../batch-mark.ts';
import { workOf } from '../../costs.ts';
import type { BatchRunner } from './batch-types.ts';
import { assertValues, BatchedValue, openBatchesOf } from './batch-calls.ts';

/** The value of one parent, a promise of it, or the error of its field. */
type BatchedResult<TResult> = TResult | Error | null | undefined;

/**
 * Resolves a field for many parents with one call. `parents` are in the order of the response, in a new array. The result has one value
 * for each parent, in the same order; an Error fails the field of its parent alone.
 */
export type BatchResolver<TParent = any, TArgs = any, TContext = any, TResult = any> = (
  parents: readonly TParent[],
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo,
) => readonly BatchedResult<TResult>[] | Promise<readonly BatchedResult<TResult>[]>;

export interface BatchOptions {
  /** The most parents of one call. More parents make several calls at the same time. Default: no limit */
  readonly maxSize?: number;
}

/**
 * Makes a resolver that is called once for all parents at one place of an operation, instead of once for each:
 *
 *     Book: { author: batch((books) => authorsByIds(books.map((book) => book.authorId))) }
 *
 * The parents of one call have the same type and the same arguments. The call is made when the objects above are complete: at the end of
 * the synchronous work if nothing is asynchronous, otherwise when the microtasks of the turn have drained. A result of another length
 * fails the field of every parent. `info.path` has no indexes of lists. Not for fields of Mutation, which run one after another.
 * Throws a TypeError if the function is missing, or `maxSize` is no positive integer.
 */
export function batch<TParent = any, TArgs = any, TContext = any, TResult = any>(
  resolve: BatchResolver<TParent, TArgs, TContext, TResult>,
): ResolverOfBatch<TContext, TResult>;
export function batch<TParent = any, TArgs = any, TContext = any, TResult = any>(
  options: BatchOptions,
  resolve: BatchResolver<TParent, TArgs, TContext, TResult>,
): ResolverOfBatch<TContext, TResult>;
export function batch(...given: readonly unknown[]): ResolverOfBatch {
  const [options, call] = given.length > 1 ? given : [{}, given[0]];
  if (typeof call !== 'function') throw new TypeError(`batch expects a function that takes a list of parents, got ${describe(call)}.`);
  const { maxSize = Infinity } = (options ?? {}) as BatchOptions;
  if (maxSize !== Infinity && !(Number.isSafeInteger(maxSize) && maxSize > 0))
    throw new TypeError(`batch expects maxSize to be a positive integer, got ${describe(maxSize)}.`);
  const resolve = oneByOne(call as BatchFunction);
  markBatched(resolve, { call: call as BatchFunction, maxSize, runner });
  return resolve as ResolverOfBatch;
}

/** Creates an ordinary resolver for executors that do not support batches. */
function oneByOne(call: BatchFunction): GraphQLFieldResolver<unknown, unknown> {
  return (parent, args, context, info) => {
    const values = call([parent], args, context, info);
    const only = (list: unknown): unknown => {
      const [value] = assertValues(list, 1, info);
      if (value instanceof Error) throw value;
      return value;
    };
    return isPromiseLike(values) ? values.then(only) : only(values);
  };
}

const runner: BatchRunner = {
  startField(run, field, source, parent, mark) {
    run.budget.spend(workOf.promise);
    const value = new BatchedValue(run, field, source, parent);
    openBatchesOf(run).add(value, mark);
    return value;
  },
};
