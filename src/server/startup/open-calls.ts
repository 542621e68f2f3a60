import type { ChunkStream } from '../../shared/index.ts';

/** The calls of a handler that have not ended: `close` waits for them. */
export class OpenCalls {
  readonly #streams = new Set<ChunkStream>();
  #count = 0;
  #isStopping = false;
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
    if (this.#isStopping) stream.stop();
    return () => this.#streams.delete(stream);
  }

  /** Ends the open streams, which may never end by themselves, and those that begin later. */
  stopStreams(): void {
    this.#isStopping = true;
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
