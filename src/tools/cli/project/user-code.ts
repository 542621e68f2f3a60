import { fileURLToPath } from 'node:url';

import { isForeign } from '../../../server/node/index.ts';

/** "file:line:column" of the user's code that caused an error. Undefined when its stack has none. */
export function placeOf(error: unknown): string | undefined {
  return error instanceof Error ? placeOfStack(error.stack ?? '') : undefined;
}

/** "file:line:column" of the user's code in a stack. */
function placeOfStack(stack: string): string | undefined {
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
