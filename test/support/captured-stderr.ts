import type { TestContext } from 'node:test';

/** The errors that this process and its threads print while a test runs, in place of the terminal. */
export interface CapturedStderr {
  /** Resolves with all of it when this appears in it: what a thread prints arrives later than its answer. */
  until(expected: string): Promise<string>;
}

export function captureStderr(context: TestContext): CapturedStderr {
  let text = '';
  const listeners = new Set<() => void>();
  context.mock.method(process.stderr, 'write', (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    for (const listener of listeners) listener();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  });
  const until = (expected: string): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (text.includes(expected)) resolve(text);
      };
      listeners.add(look);
      look();
    });
  return { until };
}
