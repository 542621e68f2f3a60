import type { ChunkStream } from '../../../shared/index.ts';
import type { PayloadStream, SubsequentPayload } from '../../operation/types.ts';

/** How payloads are written, and callbacks for the end of the stream. */
export interface PayloadWriting {
  /** Writes a payload as JSON. Must not throw: a value without a JSON form becomes an error. */
  readonly toJSON: (payload: SubsequentPayload) => string;
  /** Called when the last chunk has been read. */
  readonly onEnd: () => void;
  /** Called if the client disconnects before that. */
  readonly onLeave: () => void;
  /** Ends the payloads, because the process is about to end. */
  readonly onStop: () => void;
}

export interface EventStreamSettings extends PayloadWriting {
  /** Events before the payloads. Default: none. */
  readonly first?: string | undefined;
}

/**
 * Milliseconds without a payload before a comment is sent. Load balancers and proxies close a connection after 30 to 60 s without a
 * byte, and only a write notices that a client has disconnected.
 */
const heartbeatInterval = 12_000;
/** A comment, which clients skip (HTML standard, section 9.2.5). */
const heartbeat = ':\n\n';

/** A result as an event. JSON has no line breaks, which would end the field. */
export function nextEvent(json: string): string {
  return `event: next\ndata: ${json}\n\n`;
}

/** The end of the stream. Without it, clients take the end of the body for a broken connection. */
export const completeEvent = 'event: complete\ndata: \n\n';

/**
 * Payloads → server-sent events, in the distinct connections mode of the GraphQL over SSE protocol: one stream for each operation, one
 * event for each result and one for the end.
 */
export class EventStream implements ChunkStream {
  readonly #payloads: PayloadStream;
  readonly #settings: EventStreamSettings;
  #state: 'new' | 'open' | 'ended' = 'new';
  #isPulling = false;
  /** A payload that arrived before it was read. At most one, because the next is requested on demand. */
  #arrived: string | undefined;
  #resolve: ((result: IteratorResult<string>) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
        // At once, because some clients and proxies wait for the first byte.
        this.#deliver(heartbeat + (this.#settings.first ?? ''));
      } else if (this.#arrived === undefined) {
        this.#timer = setTimeout(() => this.#deliver(heartbeat), heartbeatInterval);
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

  /** Reads one payload at a time, and sends heartbeats while it waits. */
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

const end: IteratorResult<string> = { done: true, value: undefined };
