import { inspect } from 'node:util';

import { printable } from '../../shared/index.ts';
import type { Logger } from '../operation/types.ts';
import { packageFolder } from '../startup/package-files.ts';

const root = packageFolder();
const packageFolders = root === undefined ? [] : ['src', 'dist'].map((folder) => `${root}${folder}`);

/** True if a line of a stack is of Node, of a package, or of this one. */
export function isForeign(line: string): boolean {
  return /\(?node:|[\\/]node_modules[\\/]/.test(line) || packageFolders.some((folder) => line.includes(folder));
}

/** The error with its causes, and with the lines of the stack that are the user's code. */
export function stackOf(error: unknown): string {
  const kept: string[] = [];
  for (const line of inspect(error, { depth: 4 }).split('\n')) {
    // "lines matching" are repeated below the cause.
    const isKept = !/^\s+\.\.\. \d+ lines matching/.test(line) && (!/^\s+at /.test(line) || !isForeign(line));
    if (isKept) kept.push(line);
    // The other members of the error follow the last line of its stack.
    else if (line.endsWith(' {')) kept.push(`${kept.pop() ?? ''} {`);
  }
  return kept.join('\n').replaceAll(emptyMembers, '');
}

/** Empty members of a GraphQLError. */
const emptyMembers = / \{\n(?:\s+(?:path|locations): undefined,\n)*\s+extensions: (?:\[Object: null prototype\] )?\{\}\n\s*\}/g;

/** A logger for development, which shows only the lines of stacks that are the user's code, or all if none is. */
export function withUserFrames(logger: Logger): Logger {
  return {
    debug: (message, ...details) => logger.debug(shown(message), ...details.map(shown)),
    info: (message, ...details) => logger.info(shown(message), ...details.map(shown)),
    warn: (message, ...details) => logger.warn(shown(message), ...details.map(shown)),
    error: (message, ...details) => logger.error(shown(message), ...details.map(shown)),
  };
}

function shown<T>(value: T): T | string {
  return value instanceof Error && (isExpected(value) || hasUserFrame(value)) ? stackOf(printable(value)) : value;
}

/** True for errors with `extensions`: their stack does not matter. */
function isExpected(error: Error): boolean {
  const { extensions } = error as { readonly extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null;
}

function hasUserFrame({ stack = '' }: Error): boolean {
  return stack.split('\n').some((line) => /^\s+at .*[\\/]/.test(line) && !isForeign(line));
}
