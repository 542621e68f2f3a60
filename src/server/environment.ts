/**
 * The value of NODE_ENV, read when a server is made and nowhere else. Undefined counts as production.
 * `process` does not exist on every platform, and Deno throws when a program may not read its environment.
 */
export function readNodeEnv(): string | undefined {
  try {
    return globalThis.process?.env?.['NODE_ENV'];
  } catch {
    return undefined;
  }
}
