import type { GraphQLError } from 'graphql';

import type { PayloadStream, SubsequentPayload } from '../types.ts';

/** The source of a stream of payloads. */
export interface PayloadSource<T> {
  readonly source: AsyncIterator<T>;
  readonly toPayload: (value: T) => SubsequentPayload | Promise<SubsequentPayload>;
  /** The last payload of a stream that fails, or is ended before its source. Must not throw. */
  readonly toLastPayload: (thrown: unknown) => SubsequentPayload | Promise<SubsequentPayload>;
}

/**
 * Values of a source → payloads, one at a time and each only when it is asked for.
 *
 * No generator: `return()` of one waits until its source has given the next value, which may be never. Here it ends the
 * source at once, also while a value is awaited. And no `Promise.race` against a promise that lives as long as the
 * stream: each race would leave a reaction behind, in a subscription that lasts for days.
 */
export class SourcedPayloads<T> implements PayloadStream {
  readonly #from: PayloadSource<T>;
  #ended = false;
  #last: Promise<SubsequentPayload> | undefined;
  /** Answers the call of `next` that is waiting. */
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

  finish(reason: GraphQLError): void {
    if (this.#ended) return;
    this.#endWith(reason);
  }

  errorsOf(payload: SubsequentPayload): readonly GraphQLError[] {
    return thrownErrors.get(payload) ?? [];
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#from.source.next();
      if (this.#ended) return;
      if (done === true) {
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

  #endWith(thrown: unknown): void {
    this.#end();
    this.#last = Promise.resolve(this.#from.toLastPayload(thrown));
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

  /** Not waited for: a source that is stuck must not hold up the end of the stream. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void closeSource(this.#from.source);
  }

  #settle(result: IteratorResult<SubsequentPayload>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

/** By payload, beside it: nothing of a payload but what the client may read is written. */
const thrownErrors = new WeakMap<SubsequentPayload, readonly GraphQLError[]>();

/** The same payload, whose errors were these when they were thrown. */
export function withThrown(payload: SubsequentPayload, errors: readonly GraphQLError[] = []): SubsequentPayload {
  if (errors.length > 0) thrownErrors.set(payload, errors);
  return payload;
}

const end: IteratorResult<SubsequentPayload> = { done: true, value: undefined };

/** Runs up to the first wait at once. What a source says at its end has no reader any more. */
export async function closeSource(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // See above.
  }
}
