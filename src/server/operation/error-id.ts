import type { GraphQLError } from 'graphql';

import { isGraphQLError, isObjectLike, sha256 } from '../../shared/index.ts';

/** What links an answer's masked error to its log line, and to the log lines of equal errors. */
export interface ErrorMarks {
  readonly errorId: string;
  readonly errorHash?: string;
}

/** The causes of an answer's errors. One cause can fail many fields: it is logged once, and has one id. */
export class Causes {
  readonly #known = new Map<unknown, { count: number; marks: ErrorMarks | undefined }>();

  constructor(errors: readonly GraphQLError[]) {
    for (const cause of errors.map(rootCause)) {
      const known = this.#known.get(cause);
      if (known === undefined) this.#known.set(cause, { count: 1, marks: undefined });
      else known.count++;
    }
  }

  /** `isFirst`: nothing has been logged about it yet. `more`: how many other fields it has failed, for the log. */
  take(error: GraphQLError, hashes: boolean): { readonly marks: ErrorMarks; readonly isFirst: boolean; readonly more: string } {
    const cause = rootCause(error);
    const known = this.#known.get(cause)!;
    const isFirst = known.marks === undefined;
    known.marks ??= { errorId: createErrorId(), ...(hashes && { errorHash: createErrorHash(cause) }) };
    return { marks: known.marks, isFirst, more: known.count > 1 ? ` and ${known.count - 1} more` : '' };
  }
}

/** The marks as the log has them. */
export function shownMarks({ errorId, errorHash }: ErrorMarks): string {
  return errorHash === undefined ? errorId : `${errorId} (errorHash ${errorHash})`;
}

/** What was thrown, without the GraphQLErrors around it. */
export function rootCause(error: GraphQLError): unknown {
  const original = error.originalError;
  if (original === undefined || original === null || original === error) return error;
  return isGraphQLError(original) ? rootCause(original) : original;
}

/** Links an answer to a log line. Need not be unguessable, and loading node:crypto would add 3.5 ms to a cold start. */
function createErrorId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
}

/** Characters of a message that count. They also limit the time. */
const maxCharacters = 1_000;

/**
 * What differs between equal failures: quoted parts, UUIDs, runs of 8 or more hexadecimal digits, and numbers. A quote without an end
 * reaches to the end of the text, which may have been cut. An apostrophe within a word, as in "can't", quotes nothing.
 */
const varying =
  /"[^"]*(?:"|$)|`[^`]*(?:`|$)|(?<!\w)'[^']*(?:'|$)|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8,}|\d+/gi;

/** 8 hexadecimal digits that are the same for errors that differ only in the values that their messages name (option `errorHash`). */
function createErrorHash(cause: unknown): string {
  const hash = sha256(`${textOf(cause, 'name')}: ${textOf(cause, 'message').slice(0, maxCharacters).replaceAll(varying, '')}`).slice(0, 8);
  if (isObjectLike(cause)) hashes.set(cause, hash);
  return hash;
}

/** The hashes of causes that have been answered or logged. */
const hashes = new WeakMap<object, string>();

/** The `errorHash` of an error that was answered or logged with one. */
export function errorHashOf(error: GraphQLError): string | undefined {
  return hashes.get(rootCause(error) as object);
}

/** User code may have set another value. */
function textOf(cause: unknown, name: 'name' | 'message'): string {
  const value: unknown = (cause as Error)[name];
  return typeof value === 'string' ? value : '';
}
