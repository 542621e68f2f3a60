import type { ChunkStream } from '../../../shared/index.ts';
import type { IncrementalExecution } from '../../operation/delivery/delivery.ts';
import type { PayloadStream } from '../../operation/types.ts';
import type { PayloadWriting } from './event-stream.ts';

export interface MultipartSettings extends PayloadWriting {
  /** The JSON of the first part. */
  readonly first: string;
}

/** Writes parts. It belongs to the option's value, so that bundles without the option do not contain it. */
export interface Multipart {
  readonly type: string;
  /** A body of one part, for clients that accept nothing else. */
  readonly one: (json: string) => string;
  readonly stream: (payloads: PayloadStream, settings: MultipartSettings) => ChunkStream;
}

/** The value of the option `incrementalDelivery`, from `incrementalDelivery()` of `graphql-functions/incremental`. */
export interface IncrementalDelivery extends IncrementalExecution {
  readonly multipart: Multipart;
}

/** The boundary is a single dash, as in the incremental delivery RFC of GraphQL over HTTP: no line of JSON text begins with three. */
export const multipart: Multipart = {
  type: 'multipart/mixed; boundary="-"',
  one: (json) => opening + part(json) + closing,
  stream: (payloads, settings) => new MultipartStream(payloads, settings),
};

const opening = '\r\n---';
const closing = '--\r\n';

/**
 * Each part ends with the boundary of the next one, because clients use a part only when they see the next boundary.
 */
function part(json: string): string {
  return `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}${opening}`;
}

/** A first result and the payloads after it → the parts of a multipart body. */
class MultipartStream implements ChunkStream {
  readonly #payloads: PayloadStream;
  readonly #settings: MultipartSettings;
  #state: 'new' | 'open' | 'ended' = 'new';

  constructor(payloads: PayloadStream, settings: MultipartSettings) {
    this.#payloads = payloads;
    this.#settings = settings;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#state === 'ended') return { done: true, value: undefined };
    if (this.#state === 'new') {
      this.#state = 'open';
      return { done: false, value: opening + part(this.#settings.first) };
    }
    return { done: false, value: await this.#nextChunk() };
  }

  async return(): Promise<IteratorResult<string>> {
    if (this.#state !== 'ended') {
      this.#state = 'ended';
      this.#settings.onLeave();
      void this.#payloads.return();
    }
    return { done: true, value: undefined };
  }

  stop(): void {
    this.#settings.onStop();
  }

  async #nextChunk(): Promise<string> {
    const { done, value } = await this.#payloads.next();
    if (done === true) return this.#end('');
    const chunk = part(this.#settings.toJSON(value));
    return value.hasNext === false ? this.#end(chunk) : chunk;
  }

  #end(chunk: string): string {
    if (this.#state !== 'ended') {
      this.#state = 'ended';
      void this.#payloads.return();
      this.#settings.onEnd();
    }
    return chunk + closing;
  }
}
