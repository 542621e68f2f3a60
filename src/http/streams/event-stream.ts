import type { ChunkStream } from '../../message/http-messages.ts';
import type { PayloadStream, SubsequentPayload } from '../../operation/types.ts';

/** The writing of payloads, and the callback for the end. */
export interface PayloadWriting {
  /** Must not throw: what JSON cannot carry becomes an error in its place. */
  readonly toJSON: (payload: SubsequentPayload) => string;
  /** The last of them has been handed over. */
  readonly onEnd: () => void;
  /** The client left before that. */
  readonly onLeave: () => void;
  /** Ends the payloads when the process is about to end. */
  readonly onStop: () => void;
}

/** Everything that is written in addition to the payloads. */
export interface EventStreamSettings extends PayloadWriting {
  /** Events that are there already. Default: none. */
  readonly first?: string | undefined;
  /** Calls back once, so many milliseconds later. Returns what takes it back. Default: `setTimeout`. */
  readonly setTimer?: ((milliseconds: number, callback: () => void) => () => void) | undefined;
}

/**
 * Milliseconds of silence before a comment is sent. Load balancers and proxies take a connection for dead after 30 to
 * 60 s without a byte; and a client that has left is noticed by writing only.
 */
const heartbeatInterval = 12_000;
/** A comment (HTML standard, section 9.2.5): clients skip it. */
const heartbeat = ':\n\n';

/** A result as an event. JSON text has no line breaks, which would end the field. */
export function nextEvent(json: string): string {
  return `event: next\ndata: ${json}\n\n`;
}

/** Says that nothing will come any more: without it clients take the end of the body for a broken connection. */
export const completeEvent = 'event: complete\ndata: \n\n';

/**
 * Payloads → server-sent events, as the GraphQL over SSE protocol has them in its distinct connections mode: one
 * stream for each operation, an event for each result, one for the end.
 */
export class EventStream implements ChunkStream {
  readonly #payloads: PayloadStream;
  readonly #settings: EventStreamSettings;
  #state: 'new' | 'open' | 'ended' = 'new';
  #isPulling = false;
  /** The payload that came before it was asked for: at most one, since the next is read only on demand. */
  #arrived: string | undefined;
  #resolve: ((result: IteratorResult<string>) => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(payloads: PayloadStream, settings: EventStreamSettings) {
    this.#payloads = payloads;
    this.#settings = settings;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#state === 'ended') return Promise.resolve(end);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#state === 'new') {
        this.#state = 'open';
        // At once, for some clients and proxies do not take a stream for open before its first byte.
        this.#deliver(heartbeat + (this.#settings.first ?? ''));
      } else if (this.#arrived === undefined) {
        this.#stopTimer = (this.#settings.setTimer ?? setTimer)(heartbeatInterval, () => this.#deliver(heartbeat));
        void this.#pull();
      } else {
        this.#deliver(this.#arrived);
      }
    });
  }

  return(): Promise<IteratorResult<string>> {
    if (this.#state !== 'ended') {
      this.#state = 'ended';
      this.#settings.onLeave();
      void this.#payloads.return();
      this.#settle(end);
    }
    return Promise.resolve(end);
  }

  stop(): void {
    this.#settings.onStop();
  }

  /** One at a time: a heartbeat goes out while a payload is awaited. */
  async #pull(): Promise<void> {
    if (this.#isPulling) return;
    this.#isPulling = true;
    const { done, value } = await this.#payloads.next();
    this.#isPulling = false;
    if (this.#state !== 'ended') this.#deliver(done === true ? completeEvent : nextEvent(this.#settings.toJSON(value)));
  }

  #deliver(chunk: string): void {
    this.#arrived = chunk;
    if (this.#resolve === undefined) return;
    this.#arrived = undefined;
    if (chunk === completeEvent) {
      this.#state = 'ended';
      this.#settings.onEnd();
    }
    this.#settle({ done: false, value: chunk });
  }

  #settle(result: IteratorResult<string>): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

const end: IteratorResult<string> = { done: true, value: undefined };

function setTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
