import { getNamedType, getNullableType, GraphQLError, isIntrospectionType, isListType, isNonNullType, responsePathAsArray } from 'graphql';
import type { ExecutionResult, GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import { isPromiseLike } from '../../../shared/index.ts';
import type { ExecutionInvocation } from '../../../shared/index.ts';
import { isAsyncIterable } from '../complete/async-lists.ts';
import { CopiedInputs } from '../plan/copied-inputs.ts';
import { sizeInLists, sizeOfRead } from '../costs.ts';
import { abandon, handleRejections } from '../promises.ts';
import { maxRecordedErrors, workOf } from '../costs.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { BudgetLimits } from '../budget.ts';
import type { ErrorHandling } from '../run.ts';
import { asPromises, collect, each, readAll, listsAround, mapItems } from './guarded-lists.ts';
import { isGraphQL17 } from '../../graphql-version.ts';

/** The limits of an execution. */
export interface Bounds {
  readonly invocation: ExecutionInvocation;
  readonly answerLimit: BudgetLimits | undefined;
  /** Default: errors propagate. graphql-js has no `keepsFinished`. */
  readonly errorHandling?: ErrorHandling | undefined;
  /** Only its `info` is called. */
  readonly observer?: ExecutionObserver | undefined;
  /** True when the response has one part. Default: false */
  readonly isWhole?: boolean;
}

/** Fails the pending promises of one execution's resolvers when it is canceled. */
export class DeadlineGuard {
  readonly inputs: CopiedInputs = new CopiedInputs();
  readonly #invocation: ExecutionInvocation;
  readonly #isWhole: boolean;
  readonly #observer: ExecutionObserver | undefined;
  readonly #waiting = new Set<(reason: Error) => void>();
  #reason: Error | undefined = undefined;
  #located: GraphQLError | undefined = undefined;
  #stop: (() => void) | undefined = undefined;
  readonly #answerLimit: BudgetLimits | undefined;
  #size = 0;
  #maxSize: number;
  #freeWork: number;
  #failures = 0;
  /** Set when the response is too large: the result is this error alone. */
  overflow: GraphQLError | undefined = undefined;
  readonly #halts: boolean;
  /** The field whose error has ended the execution. */
  #haltedAt: readonly (string | number)[] | undefined = undefined;

  constructor({ invocation, answerLimit, errorHandling, observer, isWhole = false }: Bounds) {
    this.#observer = observer;
    this.#halts = errorHandling?.halts ?? false;
    this.#invocation = invocation;
    this.#isWhole = isWhole;
    this.#answerLimit = answerLimit;
    this.#maxSize = answerLimit?.free ?? Infinity;
    this.#freeWork = answerLimit?.freeWork ?? Infinity;
  }

  /** `type`: that of the field. Undefined for `resolveType` and `isTypeOf`. */
  run(info: GraphQLResolveInfo, call: () => unknown, type: GraphQLOutputType | undefined): unknown {
    // Without an error for each of a million fields, because they are not returned.
    if (this.overflow !== undefined && !isNonNullType(type)) return null;
    if (this.#reason !== undefined) throw this.#failureBy(this.#reason);
    if (type !== undefined) this.#grow(String(info.path.key).length + charactersBesideName);
    // The operation's signal instead of graphql-js's, which fires after every execution.
    if (isGraphQL17) Reflect.set(info, 'getAbortSignal', () => this.#invocation.signal);
    this.#observer?.info?.(info);
    const value = this.#attempt(this.#halts ? () => this.#haltIfItFails(info, call) : call);
    // graphql-js stops reading when another field fails.
    if (type !== undefined && !isIntrospectionType(getNamedType(type))) handleRejections(value);
    if (Array.isArray(value)) this.#grow(value.length * listsAround(info.path) * sizeInLists);
    return this.#watch(value, type);
  }

  end(): void {
    this.#stop?.();
  }

  #attempt(call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      throw this.#countFailure(error);
    }
  }

  /** Failures beyond those that a response contains are work, as in planned executions. */
  #countFailure(error: unknown): unknown {
    if (this.#reason === undefined && ++this.#failures > maxRecordedErrors) this.#spend(workOf.error);
    return error;
  }

  /**
   * The error of a field after the cancellation. graphql-js uses an error with a path as it is; for any other it searches the document for
   * line and column, which would take seconds for a hundred thousand fields.
   */
  #failureBy(reason: Error): Error {
    if (this.overflow === undefined && ++this.#failures <= maxRecordedErrors) return reason;
    return (this.#located ??= new GraphQLError(reason.message, { path: [] }));
  }

  halted(result: ExecutionResult): ExecutionResult {
    const { errors } = result;
    if (!this.#halts || errors === undefined || !('data' in result)) return result;
    const path = this.#haltedAt?.join('.');
    return { errors: [errors.find((error) => error.path?.join('.') === path) ?? errors[0]!], data: null };
  }

  /** Errors of resolvers. Those of completion (a wrong type, null for a non-null type) are known only when graphql-js has ended. */
  #haltIfItFails(info: GraphQLResolveInfo, call: () => unknown): unknown {
    const halt = (error: unknown): never => {
      if (this.#reason === undefined) {
        const reason = error instanceof Error ? error : new Error(String(error));
        this.#haltedAt = responsePathAsArray(info.path);
        this.#cancel(reason);
        this.#invocation.stop?.(reason);
      }
      throw error;
    };
    try {
      const value = call();
      return isPromiseLike(value) ? Promise.resolve(value).catch(halt) : value;
    } catch (error) {
      return halt(error);
    }
  }

  /** Makes the promises in a value cancelable. */
  #watch(value: unknown, type: GraphQLOutputType | undefined): unknown {
    if (typeof value === 'string') this.#grow(value.length);
    if (typeof value !== 'object' || value === null) return value;
    if (isPromiseLike(value)) return this.#watchPromise(value, type);
    const list = getNullableType(type);
    return isListType(list) ? this.#watchList(value, list.ofType as GraphQLOutputType) : value;
  }

  #watchPromise(value: PromiseLike<unknown>, type: GraphQLOutputType | undefined): Promise<unknown> {
    const watched = this.#wait(value).then(
      (settled) => this.#watch(settled, type),
      (error: unknown) => {
        throw this.#countFailure(error);
      },
    );
    // graphql 16 drops the promises after a failing item: on cancellation they would reject unhandled.
    abandon(watched);
    return watched;
  }

  #watchList(items: object, type: GraphQLOutputType): unknown {
    const watch = (item: unknown): unknown => this.#watch(item, type);
    const take = (item: unknown): unknown => {
      // Ends the reading of a list that is being abandoned.
      if (this.overflow !== undefined) throw this.overflow;
      this.#grow(sizeOfRead);
      return watch(item);
    };
    if (Array.isArray(items)) {
      this.#grow(items.length);
      return asPromises(mapItems(items, watch), type);
    }
    if (isGraphQL17 && isAsyncIterable(items)) return this.#isWhole ? this.#collect(items, take) : this.#watchAsync(items, take);
    if (!(Symbol.iterator in items)) return items;
    if (!this.#isWhole) return each(items as Iterable<unknown>, take);
    // At once, as graphql-js would: values left in a generator cannot be watched.
    const all = readAll(items as Iterable<unknown>, () => this.#grow(sizeOfRead));
    return Array.isArray(all) ? asPromises(mapItems(all, watch), type) : all;
  }

  /** A promise of all items, which a response in one part needs anyway. graphql 17 would leave early rejections unhandled. */
  #collect(items: AsyncIterable<unknown>, take: (item: unknown) => unknown): Promise<unknown> {
    const iterator = items[Symbol.asyncIterator]();
    const watched = this.#wait(
      collect(iterator, (item) => {
        handleRejections(item);
        return take(item);
      }),
      () => abandon(iterator.return?.()),
    );
    abandon(watched);
    return watched;
  }

  #watchAsync(items: AsyncIterable<unknown>, watch: (item: unknown) => unknown): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = items[Symbol.asyncIterator]();
        const close = (): void => abandon(iterator.return?.());
        return {
          next: async () => {
            const step = (await this.#wait(iterator.next(), close)) as IteratorResult<unknown>;
            if (step.done === true) return step;
            handleRejections(step.value);
            return { done: false, value: watch(step.value) };
          },
          return: () => {
            close();
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    };
  }

  #wait(value: PromiseLike<unknown>, giveUp?: () => void): Promise<unknown> {
    this.#stop ??= this.#invocation.onCancel((reason) => this.#cancel(reason));
    return new Promise((resolve, reject) => {
      const late = (reason: Error): void => {
        giveUp?.();
        abandon(value);
        reject(this.#failureBy(reason));
      };
      const done = (): boolean => this.#waiting.delete(late);
      if (this.#reason === undefined) this.#waiting.add(late);
      else late(this.#reason);
      // Last, because it may cancel the execution, which then rejects this promise too.
      this.#spend(workOf.promise);
      Promise.resolve(value).then(resolve, reject).finally(done);
    });
  }

  #spend(work: number): void {
    this.#freeWork -= work;
    if (this.#freeWork < 0) this.#grow(Math.min(work, -this.#freeWork) * this.#answerLimit!.sizeOfWork);
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size <= this.#maxSize || this.overflow !== undefined) return;
    try {
      this.#maxSize = this.#answerLimit!.grow(this.#size, this.#freeWork < 0);
    } catch (error) {
      this.overflow = error as GraphQLError;
      this.#cancel(this.overflow);
      throw error;
    }
  }

  #cancel(reason: Error): void {
    this.#reason = reason;
    for (const late of this.#waiting) late(reason);
    this.#waiting.clear();
  }
}

/** Of a field in JSON: quotes, colon, comma and one character of a value. */
const charactersBesideName = 5;
