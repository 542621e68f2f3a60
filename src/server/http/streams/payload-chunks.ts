import type { ChunkStream } from '../../../shared/index.ts';
import type { PayloadStream, SubsequentPayload } from '../../operation/types.ts';

/** How a body of several parts is written. */
export interface StreamFormat {
  /** The media type. */
  readonly type: string;
  readonly opening: string;
  /** A result as a part. JSON has no line breaks. */
  readonly part: (json: string) => string;
  /** The end of the stream. Without it, clients take the end of the body for a broken connection. */
  readonly closing: string;
  /** Sent first, and after each interval without a part. Undefined: nothing is. */
  readonly heartbeat?: string;
}

/**
 * Server-sent events, in the distinct connections mode of the GraphQL over SSE protocol: one stream for each operation, one event for each
 * result and one for the end. Clients skip the heartbeat, which is a comment (HTML standard, section 9.2.5).
 */
export const eventFormat: StreamFormat = {
  type: 'text/event-stream; charset=utf-8',
  opening: '',
  part: (json) => `event: next\ndata: ${json}\n\n`,
  closing: 'event: complete\ndata: \n\n',
  heartbeat: ':\n\n',
};

/**
 * Milliseconds without a part before a heartbeat is sent. Load balancers and proxies close a connection after 30 to 60 s without a byte, and
 * only a write notices that a client has disconnected.
 */
const heartbeatInterval = 12_000;

/** How payloads are written, and callbacks for the end of the stream. */
export interface PayloadWriting {
  /** The JSON of the first part. Undefined: it is a payload. */
  readonly first?: string | undefined;
  /** Writes a payload as JSON. Undefined: it cannot be sent, and another one, which ends the stream, takes its place. Must not throw. */
  readonly toJSON: (payload: SubsequentPayload) => string | undefined;
  /** Called when the last chunk has been read. */
  readonly onEnd: () => void;
  /** Called if the client disconnects before that. */
  readonly onLeave: () => void;
  /** Ends the payloads, because the process is about to end. */
  readonly onStop: () => void;
}

/** Payloads → the chunks of a body. */
export class PayloadChunks implements ChunkStream {
  readonly #payloads: PayloadStream;
  readonly #format: StreamFormat;
  readonly #writing: PayloadWriting;
  #state: 'new' | 'open' | 'ended' = 'new';
  #isPulling = false;
  /** A part that arrived before it was read. At most one, because the next is requested on demand. */
  #arrived: string | undefined;
  /** True if `#arrived` is the last chunk. */
  #isLast = false;
  #resolve: ((result: IteratorResult<string>) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(payloads: PayloadStream, format: StreamFormat, writing: PayloadWriting) {
    this.#payloads = payloads;
    this.#format = format;
    this.#writing = writing;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#state === 'ended') return Promise.resolve(end);
    const { opening, part, heartbeat = '' } = this.#format;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#state === 'new') {
        const { first } = this.#writing;
        this.#state = 'open';
        // At once, because some clients and proxies wait for the first byte.
        this.#deliver(heartbeat + opening + (first === undefined ? '' : part(first)));
      } else if (this.#arrived === undefined) {
        if (heartbeat !== '') this.#timer = setTimeout(() => this.#deliver(heartbeat), heartbeatInterval);
        void this.#pull();
      } else {
        this.#deliver(this.#arrived);
      }
    });
  }

  return(): Promise<IteratorResult<string>> {
    if (this.#state !== 'ended') {
      this.#writing.onLeave();
      this.#end();
      this.#settle(end);
    }
    return Promise.resolve(end);
  }

  stop(): void {
    this.#writing.onStop();
  }

  /** Reads one payload at a time, while heartbeats are sent. */
  async #pull(): Promise<void> {
    if (this.#isPulling) return;
    this.#isPulling = true;
    const { done, value } = await this.#payloads.next();
    this.#isPulling = false;
    if (this.#state === 'ended') return;
    const { part, closing } = this.#format;
    const json = done === true ? undefined : this.#writing.toJSON(value);
    if (done !== true && json === undefined) return this.#pull();
    this.#isLast = done === true || value.hasNext === false;
    this.#deliver((json === undefined ? '' : part(json)) + (this.#isLast ? closing : ''));
  }

  #deliver(chunk: string): void {
    this.#arrived = chunk;
    if (this.#resolve === undefined) return;
    this.#arrived = undefined;
    if (this.#isLast) {
      this.#end();
      this.#writing.onEnd();
    }
    this.#settle({ done: false, value: chunk });
  }

  #end(): void {
    this.#state = 'ended';
    void this.#payloads.return();
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
