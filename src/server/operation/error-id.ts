import type { GraphQLError } from 'graphql';

import { rememberErrorHash, rootCause, sha256 } from '../../shared/index.ts';

/** What links an answer's masked error to its log line, and to the log lines of equal errors. */
export interface ErrorMarks {
  readonly errorId: string;
  /** 8 hexadecimal digits that are the same for errors that differ only in the values that their messages name. */
  readonly errorHash: string;
}

/** The causes of an answer's errors. One cause can fail many fields: it is logged once, and has one id. */
export class Causes {
  readonly #known = new Map<unknown, { count: number; isTaken: boolean; marks: ErrorMarks | undefined }>();

  constructor(errors: readonly GraphQLError[]) {
    for (const cause of errors.map(rootCause)) {
      const known = this.#known.get(cause);
      if (known === undefined) this.#known.set(cause, { count: 1, isTaken: false, marks: undefined });
      else known.count++;
    }
  }

  /**
   * `isFirst`: nothing has been logged about it yet. `more`: how many other fields it has failed, for the log. `marks`: those of an unexpected
   * error.
   */
  take(
    error: GraphQLError,
    isUnexpected: boolean,
  ): { readonly isFirst: boolean; readonly more: string; readonly marks: ErrorMarks | undefined } {
    const cause = rootCause(error);
    const known = this.#known.get(cause)!;
    const isFirst = !known.isTaken;
    known.isTaken = true;
    if (isUnexpected) known.marks ??= { errorId: createErrorId(), errorHash: createErrorHash(cause) };
    return { isFirst, more: known.count > 1 ? ` and ${known.count - 1} more` : '', marks: isUnexpected ? known.marks : undefined };
  }
}

/** Links an answer to a log line. Need not be unguessable, and loading node:crypto would add 3.5 ms to a cold start. */
function createErrorId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
}

/** Characters of a name and of a message that count. They also limit the time. */
const maxCharacters = 1_000;

/**
 * What differs between equal failures: quoted parts, UUIDs, runs of 8 or more hexadecimal digits, and numbers. A quote without an end
 * reaches to the end of the text, which may have been cut. An apostrophe within a word, as in "can't", quotes nothing.
 */
const varying =
  /"[^"]*(?:"|$)|`[^`]*(?:`|$)|(?<!\w)'[^']*(?:'|$)|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8,}|\d+/gi;

function createErrorHash(cause: unknown): string {
  const hash = sha256(`${textOf(cause, 'name')}: ${textOf(cause, 'message').replaceAll(varying, '')}`).slice(0, 8);
  rememberErrorHash(cause, hash);
  return hash;
}

/** User code may have set another value, or a getter that throws. */
function textOf(cause: unknown, name: 'name' | 'message'): string {
  try {
    const value: unknown = (cause as Error)[name];
    return typeof value === 'string' ? value.slice(0, maxCharacters) : '';
  } catch {
    return '';
  }
}
