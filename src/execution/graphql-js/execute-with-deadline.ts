import { defaultFieldResolver, getNamedType, getNullableType, isIntrospectionType, isListType, isNonNullType, Kind } from 'graphql';
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLOutputType,
  GraphQLResolveInfo,
  OperationDefinitionNode,
} from 'graphql';

import type { ExecutionInvocation } from '../../message/invocation.ts';
import { isAsyncIterable } from '../complete/async-lists.ts';
import { allOrNone, collect, each, gathered, listsAround, mapped } from './guarded-lists.ts';
import { OwnInputs } from './own-inputs.ts';
import { isGraphQL17 } from './version.ts';
import { wrapResolvers } from './wrap-resolvers.ts';
import type { Around, SchemaFunction } from './wrap-resolvers.ts';
import { abandon, handleRejections, isThenable, toPromise } from '../promises.ts';
import { sizeInLists, sizeOfRead } from '../plan/planned-field.ts';
import type { AnswerBudget } from '../run.ts';

/**
 * Lets graphql-js execute, so that its answer is there when the time is up. What it still waits for then fails, field by
 * field, and the rest is answered. Its own way to end an execution, an AbortSignal, answers nothing at all.
 */
export function executeWithDeadline(
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
  args: ExecutionArgs,
  bounds: Bounds,
): ExecutionResult | Promise<ExecutionResult> {
  const guard = guardExecution(args, { ...bounds, isWhole: true });
  const result = execute(guard.args);
  const check = (whole: ExecutionResult): ExecutionResult => {
    const error = guard.overflow();
    return error === undefined ? whole : { errors: [error] };
  };
  return result instanceof Promise ? result.finally(guard.end).then(check) : check(result);
}

/** The bounds of an execution: its time, or the size of its answer. */
export interface Bounds {
  readonly invocation: ExecutionInvocation;
  readonly answerLimit: AnswerBudget | undefined;
  /** True when the answer comes in one part. Default: false */
  readonly isWhole?: boolean;
}

/** An execution under way. */
export interface GuardedExecution {
  readonly args: ExecutionArgs;
  readonly end: () => void;
  /** The error of an answer that has become too large: it stands for the whole of it. */
  readonly overflow: () => GraphQLError | undefined;
}

/** The same for an execution that goes on after its first result: its caller has to call `end`. */
export function guardExecution(args: ExecutionArgs, bounds: Bounds): GuardedExecution {
  wrapResolvers(args.schema, args.document, guarding);
  handleRejections(args.rootValue);
  const guard = new DeadlineGuard(bounds);
  // Resolvers see the operation's node, and nothing else that belongs to one execution alone: this one does.
  const document = withOwnOperation(args.document, args.operationName, (operation) => guards.set(operation, guard));
  return {
    args: { ...args, document, fieldResolver: withGuard(args.fieldResolver ?? defaultFieldResolver, 3) },
    end: () => guard.end(),
    overflow: () => guard.overflow,
  };
}

const guards = new WeakMap<OperationDefinitionNode, DeadlineGuard>();

/** The same document with an operation of its own in it, by which one execution is known. */
export function withOwnOperation(
  document: DocumentNode,
  name: string | null | undefined,
  take: (operation: OperationDefinitionNode) => void,
): DocumentNode {
  const definitions = document.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.name?.value !== (name ?? undefined)) return definition;
    const own = { ...definition };
    take(own);
    return own;
  });
  return { ...document, definitions };
}

/** Its `info` is the fourth argument of a resolver, and the third of the functions that say which type an object has. */
type InfoPlace = 2 | 3;

const guarding: Around = {
  resolve: (original) => withGuard(original, 3),
  resolveType: (original) => withGuard(original, 2),
  isTypeOf: (original) => withGuard(original, 2),
};

/** The same function, but in an execution that may end before its time nothing is begun after that, and nothing waited for. */
function withGuard(asked: SchemaFunction, place: InfoPlace): () => unknown {
  return function guarded(this: unknown, ...values: unknown[]): unknown {
    const info = values[place] as GraphQLResolveInfo;
    const ask = (): unknown => Reflect.apply(asked, this, values);
    const own = guards.get(info.operation);
    if (own === undefined) return ask();
    if (place === 2) return own.run(info, ask, undefined);
    own.inputs.own(values[1] as Record<string, unknown>, info);
    return own.run(info, ask, info.returnType);
  };
}

/** Ends the waits of one execution's resolvers when its time is up. */
class DeadlineGuard {
  readonly inputs: OwnInputs = new OwnInputs();
  readonly #invocation: ExecutionInvocation;
  readonly #isWhole: boolean;
  readonly #waiting = new Set<(reason: Error) => void>();
  #reason: Error | undefined = undefined;
  #stop: (() => void) | undefined = undefined;
  readonly #answerLimit: AnswerBudget | undefined;
  #size = 0;
  #maxSize: number;
  /** Why the answer is an error and nothing else: it has become too large. */
  overflow: GraphQLError | undefined = undefined;

  constructor({ invocation, answerLimit, isWhole = false }: Bounds) {
    this.#invocation = invocation;
    this.#isWhole = isWhole;
    this.#answerLimit = answerLimit;
    this.#maxSize = answerLimit?.free ?? Infinity;
  }

  run(info: GraphQLResolveInfo, ask: () => unknown, type: GraphQLOutputType | undefined): unknown {
    // Without an error for each field: there may be a million, and none will be seen.
    if (this.overflow !== undefined && !isNonNullType(type)) return null;
    if (this.#reason !== undefined) throw this.#reason;
    // A field; else the question for a type.
    if (type !== undefined) this.#grow(String(info.path.key).length + charactersBesideName);
    // The signal of the operation, in place of one that fires after every execution.
    if (isGraphQL17) Reflect.set(info, 'getAbortSignal', () => this.#invocation.signal);
    const value = ask();
    // graphql-js may never read all of it: another field that fails makes it drop the rest.
    if (type !== undefined && !isIntrospectionType(getNamedType(type))) handleRejections(value);
    if (Array.isArray(value)) this.#grow(value.length * listsAround(info.path) * sizeInLists);
    return this.#watch(value, type);
  }

  end(): void {
    this.#stop?.();
  }

  /** A value that graphql-js may have to wait for: the wait can be ended. */
  #watch(value: unknown, type: GraphQLOutputType | undefined): unknown {
    if (typeof value === 'string') this.#grow(value.length);
    if (typeof value !== 'object' || value === null) return value;
    if (isThenable(value)) return this.#watchPromise(value, type);
    const list = getNullableType(type);
    return isListType(list) ? this.#watchList(value, list.ofType as GraphQLOutputType) : value;
  }

  #watchPromise(value: PromiseLike<unknown>, type: GraphQLOutputType | undefined): Promise<unknown> {
    const watched = this.#wait(value).then((settled) => this.#watch(settled, type));
    // graphql 16 lets go of the promises behind an item that fails: without this they would fail unhandled when the time is up.
    abandon(watched);
    return watched;
  }

  #watchList(items: object, type: GraphQLOutputType): unknown {
    const watch = (item: unknown): unknown => this.#watch(item, type);
    const take = (item: unknown): unknown => {
      // What is read of a list that has been given up is read by who abandons it, and must come to an end.
      if (this.overflow !== undefined) throw this.overflow;
      this.#grow(sizeOfRead);
      return watch(item);
    };
    if (Array.isArray(items)) {
      this.#grow(items.length);
      return allOrNone(mapped(items, watch), type);
    }
    if (isGraphQL17 && isAsyncIterable(items)) return this.#isWhole ? this.#collect(items, take) : this.#watchAsync(items, take);
    if (!(Symbol.iterator in items)) return items;
    if (!this.#isWhole) return each(items as Iterable<unknown>, take);
    // All of it at once, as graphql-js is about to: values left in a generator cannot be watched.
    const all = gathered(items as Iterable<unknown>, () => this.#grow(sizeOfRead));
    return allOrNone(mapped(all, watch), type);
  }

  /**
   * A promise of all items: an answer in one part waits for them anyway. graphql 17 reads one after another, and meanwhile lets
   * those that have failed go unhandled.
   */
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
        reject(reason);
      };
      const done = (): boolean => this.#waiting.delete(late);
      if (this.#reason === undefined) this.#waiting.add(late);
      else late(this.#reason);
      toPromise(value).then(resolve, reject).finally(done);
    });
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size <= this.#maxSize || this.overflow !== undefined) return;
    try {
      this.#maxSize = this.#answerLimit!.grow(this.#size, false);
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

/** Of a field in JSON: quotes, colon, comma and the least that a value has. */
const charactersBesideName = 5;
