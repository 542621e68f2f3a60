import { fileURLToPath } from 'node:url';

import { isForeign } from '../../server/node/index.ts';
import type { Place } from './problem.ts';

/** The place in the user's code that caused an error. Undefined when its stack has none. */
export function placeOf(error: unknown): Place | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  // Calls by built-in functions are at "<anonymous>", and functions that esbuild adds are in no source; the user's frame is further down.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !isForeign(line) && !ofBundler.test(line));
  const [, address, line, column] = frames.map((frame) => addressInFrame.exec(frame)).find((match) => match !== null) ?? [];
  if (address === undefined) return undefined;
  return { file: address.startsWith('file:') ? fileURLToPath(address) : address, line: Number(line), column: Number(column) };
}

/** "at name (file:line:column)" or "at file:line:column". Paths may contain parentheses. */
const addressInFrame = /^\s+at (?:async )?(?:.*? \()?((?:file:\/\/|\/|[A-Za-z]:\\)(?:(?!<anonymous>).)*?):(\d+):(\d+)\)?$/;

/** Matches helpers of bundlers, such as `__decorateClass`, but not `Object.__resolveType`. */
const ofBundler = /^\s+at (?:async )?__(?:decorate|require|commonJS|esm|private|publicField|toESM|toCommonJS|using|callDispose)/;
