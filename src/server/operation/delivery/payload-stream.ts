import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import { closeSource } from '../../../executor/index.ts';
import type { ExecutionInvocation } from '../../../shared/index.ts';
import { toGraphQLError } from '../errors.ts';
import { formatFailure, formatResult } from '../format-errors.ts';
import type { PayloadStream, SubsequentPayload } from '../types.ts';
import type { Operation } from '../operation.ts';
import type { Stage } from '../around.ts';
import type { OperationExecution, PayloadOutcome } from '../plugin.ts';
import { describeExecution } from '../run-operation.ts';

/** The source of a stream of payloads. */
export interface PayloadSource<T> {
  readonly source: AsyncIterator<T>;
  readonly invocation?: ExecutionInvocation;
  readonly toPayload: (value: T) => SubsequentPayload | Promise<SubsequentPayload>;
  /** Creates the last payload of a stream that fails or ends early. Must not throw. */
  readonly toLastPayload: (thrown: unknown, unsent: SubsequentPayload | undefined) => SubsequentPayload | Promise<SubsequentPayload>;
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
  #last: Promise<SubsequentPayload> | undefined;
  /** Resolves the pending call of `next`. */
  #resolve: ((result: IteratorResult<SubsequentPayload>) => void) | undefined;

  constructor(from: PayloadSource<T>) {
    this.#from = from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<SubsequentPayload>> {
    if (this.#ended) return this.#takeLast();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.#pull();
    });
  }

  return(): Promise<IteratorResult<SubsequentPayload>> {
    this.#last = undefined;
    this.#end();
    this.#settle(end);
    return Promise.resolve(end);
  }

  finish(reason: GraphQLError, unsent?: SubsequentPayload): void {
    if (!this.#ended) this.#endWith(reason, unsent);
  }

  errorsOf(payload: SubsequentPayload): readonly GraphQLError[] {
    return thrownErrors.get(payload) ?? [];
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

  async #takeLast(): Promise<IteratorResult<SubsequentPayload>> {
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

  #settle(result: IteratorResult<SubsequentPayload>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

/** The original errors are kept outside of the payloads, which contain only what clients may read. */
const thrownErrors = new WeakMap<SubsequentPayload, readonly GraphQLError[]>();

/** Records the errors behind a payload as they were thrown. */
export function withThrown(payload: SubsequentPayload, errors: readonly GraphQLError[] = []): SubsequentPayload {
  if (errors.length > 0) thrownErrors.set(payload, errors);
  return payload;
}

const end: IteratorResult<SubsequentPayload> = { done: true, value: undefined };

/**
 * The result that ends a stream early, because its source or a hook failed, or the call was ended. Never rejects. If formatError fails, it
 * is not called again.
 */
export async function lastResult({ settings, hooks, invocation }: Operation, thrown: unknown): Promise<FormattedExecutionResult> {
  const error = toGraphQLError(thrown);
  try {
    if (hooks !== undefined) {
      const calling = hooks.call('didEncounterSubsequentErrors', [error]).then(() => true);
      // A hanging hook does not delay the end.
      await invocation.untilLate(calling, () => true);
    }
    return withThrown(formatResult(settings, { errors: [error] }), [error]);
  } catch (failure) {
    return withThrown(formatFailure(settings, failure), [error]);
  }
}

/** Opens the stream of an operation. */
export function openStream(operation: Operation, stream: PayloadStream): void {
  const stage = operation.settings.stages?.payload;
  operation.stream = stage === undefined ? stream : payloadsInStage(stream, stage, operation);
}

/** The payloads of a stream, each inside the stage `payload` of the plugins, which also see the end, however it comes. */
function payloadsInStage(
  stream: PayloadStream,
  stage: Stage<OperationExecution, PayloadOutcome | undefined>,
  operation: Operation,
): PayloadStream {
  const { invocation } = operation;
  const execution = describeExecution(operation);
  let isOver = false;
  /** True after the outcome of a stage that did not call `next`: asked again, it could answer without end. */
  let isLast = false;
  let isPending = false;
  const take = async (next: () => Promise<IteratorResult<SubsequentPayload>>): Promise<IteratorResult<SubsequentPayload>> => {
    let pulled: Promise<IteratorResult<SubsequentPayload>> | undefined;
    const toOutcome = ({ done, value }: IteratorResult<SubsequentPayload>): PayloadOutcome | undefined => {
      isOver ||= done === true;
      return done === true ? undefined : { result: value as SubsequentPayload, errors: stream.errorsOf(value as SubsequentPayload) };
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
    const { result, errors } = outcome;
    return { done: false, value: withThrown(isLast && 'hasNext' in result ? { ...result, hasNext: false } : result, errors) };
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
    errorsOf: (payload) => stream.errorsOf(payload),
  };
  return wrapped;
}
