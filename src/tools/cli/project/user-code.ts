import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { isForeign } from '../../../server/node/index.ts';
import { withHints } from './load-hints.ts';
import type { LoadedFiles } from './load-hints.ts';

/** A bundled function. */
export interface UserCode extends LoadedFiles {
  readonly file: string;
  readonly code: string;
}

/** Imports a bundled function under the URL of its source, without writing a file. `import.meta.url` is the URL of the user's file. */
export async function importUserCode({ file, code, ...known }: UserCode): Promise<Record<string, unknown>> {
  // Makes stacks point to lines of the user's files.
  process.setSourceMapsEnabled(true);
  const address = pathToFileURL(file).href;
  const hooks = registerHooks({
    load: (url, context, next) => (url === address ? { format: 'module', source: code, shortCircuit: true } : next(url, context)),
  });
  try {
    return await withLongStacks(() => withHints(known, async () => (await import(address)) as Record<string, unknown>));
  } finally {
    hooks.deregister();
  }
}

/** Raises the stack limit: errors of options and schemas are thrown many calls below the user's code. */
async function withLongStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** "file:line:column" of the user's code that caused an error. Undefined when its stack has none. */
export function placeOf(error: unknown): string | undefined {
  return error instanceof Error ? placeOfStack(error.stack ?? '') : undefined;
}

/** "file:line:column" of the user's code in a stack. */
export function placeOfStack(stack: string): string | undefined {
  // Calls by built-in functions are at "<anonymous>", and functions that esbuild adds are in no source; the user's frame is further down.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !isForeign(line) && !ofBundler.test(line));
  const [, address, position] = frames.map((frame) => addressInFrame.exec(frame)).find((match) => match !== null) ?? [];
  if (address === undefined) return undefined;
  return `${address.startsWith('file:') ? fileURLToPath(address) : address}${position}`;
}

/** "at name (file:line:column)" or "at file:line:column". Paths may contain parentheses. */
const addressInFrame = /^\s+at (?:async )?(?:.*? \()?((?:file:\/\/|\/|[A-Za-z]:\\)(?:(?!<anonymous>).)*?)(:\d+:\d+)\)?$/;

/** Such as `__decorateClass`, but not `Object.__resolveType`. */
const ofBundler = /^\s+at (?:async )?__(?:decorate|require|commonJS|esm|private|publicField|toESM|toCommonJS|using|callDispose)/;

/** Parses "file:line:column". */
export function toPlace(text: string | undefined): { readonly file: string; readonly line: number; readonly column: number } | undefined {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}
