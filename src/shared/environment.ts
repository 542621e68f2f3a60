/** Reads a variable of the environment. Undefined where there is none. */
export function readEnvironment(name: string): string | undefined {
  return readProcess(({ env }) => env?.[name]);
}

/** Not every platform has `process` with all members, and Deno throws if a program may not read its environment. */
export function readProcess<T>(read: (process: NodeJS.Process) => T | undefined): T | undefined {
  try {
    return read(globalThis.process);
  } catch {
    return undefined;
  }
}
