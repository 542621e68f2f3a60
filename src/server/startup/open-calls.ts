import type { ChunkStream } from '../../shared/index.ts';
import { createError } from '../operation/errors.ts';

/** The calls of a handler that have not ended: `close` waits for them. */
export class OpenCalls {
  /** True: later calls are refused. */
  isClosed = false;
  readonly #streams = new Set<ChunkStream>();
  #count = 0;
  #onIdle: (() => void) | undefined = undefined;

  /** Counts work until it settles. Promises are not kept, because on Workers those of a client that has left never settle. */
  add(work: Promise<unknown>): void {
    this.#count++;
    const end = (): void => {
      if (--this.#count === 0) this.#onIdle?.();
    };
    work.then(end, end);
  }

  /** Adds an open stream. Returns a function that removes it. */
  addStream(stream: ChunkStream): () => void {
    this.#streams.add(stream);
    if (this.isClosed) stream.stop();
    return () => this.#streams.delete(stream);
  }

  assertOpen(): void {
    if (this.isClosed) throw createError('SERVICE_UNAVAILABLE', 'The handler has been closed.');
  }

  /** Refuses later calls. Ends the open streams, which may never end by themselves, and those that begin later. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.#streams) stream.stop();
  }

  /** Resolves when all work has settled, also work that was added meanwhile. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#count === 0) resolve();
    });
  }
}
