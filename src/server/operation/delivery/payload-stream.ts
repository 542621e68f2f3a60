import type { GraphQLError } from 'graphql';

import { closeSource } from '../../../executor/index.ts';
import type { ExecutionInvocation, PromiseOrValue } from '../../../shared/index.ts';
import { toGraphQLError } from '../errors.ts';
import { formatFailure, formatResult } from '../format-errors.ts';
import type { PayloadOutcome, PayloadStream, SubsequentPayload } from '../types.ts';
import type { Operation, ReadyOperation } from '../operation.ts';
import type { Stage } from '../around.ts';
import type { OperationExecution } from '../plugin.ts';
import { describeExecution } from '../run-operation.ts';

/** The source of a stream of payloads. */
export interface PayloadSource<T> {
  readonly source: AsyncIterator<T>;
  readonly invocation?: ExecutionInvocation;
  readonly toPayload: (value: T) => PromiseOrValue<PayloadOutcome>;
  /** Creates the last payload of a stream that fails or ends early. Must not throw. */
  readonly toLastPayload: (thrown: unknown, unsent: SubsequentPayload | undefined) => PromiseOrValue<PayloadOutcome>;
}

/**
 * Turns the values of a source into payloads, one at a time, each on demand.
 *
 * This is not a generator, whose `return()` would wait until the source yields the next value, which may never happen. Here `return()`
 * ends the source at once, even while a value is awaited. It does not use `Promise.race` with a promise that lives as long as the stream,
 * because each race would leak a reaction, and a subscription may last for days.
 */
export class SourcedPayloads<T> implements PayloadStream {
  readonly #from: PayloadSource<T>;
  #ended = false;
  #last: Promise<PayloadOutcome> | undefined;
  /** Resolves the pending call of `next`. */
  #resolve: ((result: IteratorResult<PayloadOutcome>) => void) | undefined;

  constructor(from: PayloadSource<T>) {
    this.#from = from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<PayloadOutcome>> {
    if (this.#ended) return this.#takeLast();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.#pull();
    });
  }

  return(): Promise<IteratorResult<PayloadOutcome>> {
    this.#last = undefined;
    this.#end();
    this.#settle(end);
    return Promise.resolve(end);
  }

  finish(reason: GraphQLError, unsent?: SubsequentPayload): void {
    if (!this.#ended) this.#endWith(reason, unsent);
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#from.source.next();
      if (this.#ended) return;
      // Any true value counts, as in `for await`.
      if (done) {
        this.#ended = true;
        this.#settle(end);
        return;
      }
      const payload = await this.#from.toPayload(value);
      if (!this.#ended) this.#settle({ done: false, value: payload });
    } catch (thrown) {
      if (!this.#ended) this.#endWith(thrown);
    }
  }

  #endWith(thrown: unknown, unsent?: SubsequentPayload): void {
    this.#end();
    this.#last = Promise.resolve(this.#from.toLastPayload(thrown, unsent));
    const resolve = this.#resolve;
    this.#resolve = undefined;
    if (resolve !== undefined) void this.#takeLast().then(resolve);
  }

  async #takeLast(): Promise<IteratorResult<PayloadOutcome>> {
    const last = this.#last;
    if (last === undefined) return end;
    this.#last = undefined;
    return { done: false, value: await last };
  }

  /** Does not wait for the source: one that hangs must not delay the end of the stream. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    closeSource(this.#from.source, this.#from.invocation);
  }

  #settle(result: IteratorResult<PayloadOutcome>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

const end: IteratorResult<PayloadOutcome> = { done: true, value: undefined };

/**
 * The result that ends a stream early, because its source or a hook failed, or the call was ended. Never rejects. If formatError fails, it
 * is not called again.
 */
export async function lastResult({ settings, hooks, invocation }: Operation, thrown: unknown): Promise<PayloadOutcome> {
  const error = toGraphQLError(thrown);
  try {
    if (hooks !== undefined) {
      const calling = hooks.call('didEncounterSubsequentErrors', [error]).then(() => true);
      // A hanging hook does not delay the end.
      await invocation.untilLate(calling, () => true);
    }
    return { result: formatResult(settings, { errors: [error] }), errors: [error] };
  } catch (failure) {
    return { result: formatFailure(settings, failure), errors: [error] };
  }
}

/** Opens the stream of an operation. */
export function openStream(operation: ReadyOperation, stream: PayloadStream): void {
  const stage = operation.settings.stages?.payload;
  operation.stream = stage === undefined ? stream : payloadsInStage(stream, stage, operation);
}

/** The payloads of a stream, each inside the stage `payload` of the plugins, which also see the end, however it comes. */
function payloadsInStage(
  stream: PayloadStream,
  stage: Stage<OperationExecution, PayloadOutcome | undefined>,
  operation: ReadyOperation,
): PayloadStream {
  const { invocation } = operation;
  const execution = describeExecution(operation);
  let isOver = false;
  /** True after the outcome of a stage that did not call `next`: asked again, it could answer without end. */
  let isLast = false;
  let isPending = false;
  const take = async (next: () => Promise<IteratorResult<PayloadOutcome>>): Promise<IteratorResult<PayloadOutcome>> => {
    let pulled: Promise<IteratorResult<PayloadOutcome>> | undefined;
    const toOutcome = ({ done, value }: IteratorResult<PayloadOutcome>): PayloadOutcome | undefined => {
      isOver ||= done === true;
      return done === true ? undefined : value;
    };
    const run = async (): Promise<PayloadOutcome | undefined> => toOutcome(await (pulled = next()));
    // The error becomes the last payload, which goes to the pull that is pending, if there is one.
    const fail = async (thrown: unknown): Promise<PayloadOutcome | undefined> => {
      if (isOver) return undefined;
      stream.finish(toGraphQLError(thrown));
      const [pending, last] = [await pulled, await stream.next()];
      return toOutcome(last.done === true ? (pending ?? last) : last);
    };
    isPending = true;
    const outcome = await stage(execution, { run, invocation, fail });
    isPending = false;
    if (isOver || outcome === undefined) return end;
    isLast = pulled === undefined;
    const { result } = outcome;
    return { done: false, value: isLast && 'hasNext' in result ? { ...outcome, result: { ...result, hasNext: false } } : outcome };
  };
  const wrapped: PayloadStream = {
    [Symbol.asyncIterator]: () => wrapped,
    next: () => (isOver ? stream.next() : isLast ? wrapped.return() : take(() => stream.next())),
    return: async () => {
      const ended = await stream.return();
      // A pending stage sees this end.
      if (!isOver && !isPending) await take(async () => ended);
      isOver = true;
      return ended;
    },
    finish: (reason, unsent) => stream.finish(reason, unsent),
  };
  return wrapped;
}
