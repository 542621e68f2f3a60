import { inspect } from 'node:util';

import type { Logger } from '../operation/types.ts';
import { ownFolder } from './own-package.ts';

const own = ownFolder();
const ownFolders = own === undefined ? [] : ['src', 'dist'].map((folder) => `${own}${folder}`);

/** True when a line of a stack is of Node, of a package, or of what the command line puts into a bundle. */
export function isForeign(line: string): boolean {
  return (
    /\(?node:|[\\/]node_modules[\\/]|graphql-functions-(?:recorded|logged|options):/.test(line) ||
    ownFolders.some((folder) => line.includes(folder))
  );
}

/** The error with its causes; of the stack, what belongs to the user. */
export function textOf(error: unknown): string {
  const kept: string[] = [];
  for (const line of inspect(error, { depth: 4 }).split('\n')) {
    // Lines that a cause has too are below it.
    const isKept = !/^\s+\.\.\. \d+ lines matching/.test(line) && (!/^\s+at /.test(line) || !isForeign(line));
    if (isKept) kept.push(line);
    // What else the error holds begins at the end of its stack.
    else if (line.endsWith(' {')) kept.push(`${kept.pop() ?? ''} {`);
  }
  return kept.join('\n').replaceAll(emptyMembers, '');
}

/** The members of a GraphQLError that say nothing. */
const emptyMembers = / \{\n(?:\s+(?:path|locations): undefined,\n)*\s+extensions: (?:\[Object: null prototype\] )?\{\}\n\s*\}/g;

/** A logger for development: of stacks it shows the user's own lines, or all where there is none and the stack is all that is known. */
export function withOwnFrames(logger: Logger): Logger {
  return {
    debug: (message, ...details) => logger.debug(shown(message), ...details.map(shown)),
    info: (message, ...details) => logger.info(shown(message), ...details.map(shown)),
    warn: (message, ...details) => logger.warn(shown(message), ...details.map(shown)),
    error: (message, ...details) => logger.error(shown(message), ...details.map(shown)),
  };
}

function shown<T>(value: T): T | string {
  return value instanceof Error && (isExpected(value) || hasOwnFrame(value)) ? textOf(value) : value;
}

/** True for errors that are made to be read: their message and `extensions` say all, and where this library made them does not matter. */
function isExpected(error: Error): boolean {
  const { extensions } = error as { readonly extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null;
}

function hasOwnFrame({ stack = '' }: Error): boolean {
  return stack.split('\n').some((line) => /^\s+at .*[\\/]/.test(line) && !isForeign(line));
}
