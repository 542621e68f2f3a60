/** A promise, and the function that resolves it. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** A promise that another part of the program resolves. */
export function createDeferred(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
