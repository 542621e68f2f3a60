import type { ChunkStream } from '../../shared/index.ts';

/** The calls of a handler, or its starts, that have not ended: `close` waits for them. */
export class OpenCalls {
  /** True: later calls are refused. */
  isClosed = false;
  readonly #streams = new Set<ChunkStream>();
  #count = 0;
  readonly #onIdle: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Counts work until it settles, and returns it. Promises are not kept, because on Workers those of a client that has left never settle. */
  add<T>(work: Promise<T>): Promise<T> {
    const end = (): void => this.end();
    this.begin();
    work.then(end, end);
    return work;
  }

  /** Adds an open stream. Returns a function that removes it. */
  addStream(stream: ChunkStream): () => void {
    this.#streams.add(stream);
    if (this.isClosed) stream.stop();
    return () => this.#streams.delete(stream);
  }

  /** Refuses later calls. Ends the open streams, which may never end by themselves, and those that begin later. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.#streams) stream.stop();
  }

  /** Resolves when all work has settled, also work that was added meanwhile. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#onIdle.push(resolve);
    });
  }
}
