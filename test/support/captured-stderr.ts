import type { TestContext } from 'node:test';

/** Captures what this process and its threads print to stderr during a test, and keeps it from the terminal. */
export interface CapturedStderr {
  /** Resolves with the whole output once it contains this text: output of a thread arrives after its answer. */
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
