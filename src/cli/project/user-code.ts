import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isForeign } from '../../development/own-frames.ts';

/** Imports a bundled function under the address of its source. No file is written, and `import.meta.url` names the user's file. */
export async function importUserCode(file: string, code: string): Promise<Record<string, unknown>> {
  // Stacks name the lines of the user's files.
  process.setSourceMapsEnabled(true);
  const address = pathToFileURL(file).href;
  const hooks = registerHooks({
    load: (url, context, next) => (url === address ? { format: 'module', source: code, shortCircuit: true } : next(url, context)),
  });
  try {
    return await withLongStacks(async () => (await import(address)) as Record<string, unknown>);
  } finally {
    hooks.deregister();
  }
}

/** Makes stacks longer: errors of options and schemas are thrown many calls below the user's line. */
async function withLongStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** "file:line:column" of the user's line that an error comes from. Undefined when its stack has none. */
export function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  // Calls that built-in functions make are at "<anonymous>": the user's line is further down.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !isForeign(line));
  const [, address, position] = frames.map((frame) => addressInFrame.exec(frame)).find((match) => match !== null) ?? [];
  if (address === undefined) return undefined;
  return `${address.startsWith('file:') ? fileURLToPath(address) : address}${position}`;
}

const addressInFrame = /((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?)(:\d+:\d+)\)?$/;

/** "file:line:column" → its parts. */
export function toPlace(text: string | undefined): { readonly file: string; readonly line: number; readonly column: number } | undefined {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}
