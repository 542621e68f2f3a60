import type { GraphQLFormattedError } from 'graphql';

import { lengthOfJSON, maxRecordedErrors, ownRecordedErrors } from '../../execution/run.ts';

/** Errors of one answer. A list of 20,000 rows, each without the field that it must have, has as many. */
const maxErrors = 1_000;
/** Characters of them as JSON: three bytes each at most, and the answer stays below 1 MiB. */
const maxCharacters = 262_144;
/** Characters of one. */
const maxErrorCharacters = 8_192;
/** Characters of a message that may quote what the client sent. */
const maxMessage = 1_000;
/** Lines in the log for unexpected errors of one request. With a stack each they stay below 64 KB. */
const maxLines = 10;
/** Lines that say how many are not logged. */
const maxRemarks = 10;
/** Characters of an error's stack, and of what else it carries, in the log. */
const maxDetail = 4_000;

/** The share of one answer and of the log that errors may take, which the operations of a batch have together. */
export class ErrorAllowance {
  /** The errors that operations of a batch may still keep while they run: see Run.record. */
  readonly shared: { left: number } | undefined;
  #errors = maxErrors;
  #characters = maxCharacters;
  #lines = maxLines;
  #unlogged = 0;
  #remarks = maxRemarks;

  constructor(shared?: { left: number }) {
    this.shared = shared;
  }

  /** True when an error may still be logged. */
  takeLine(): boolean {
    if (this.#lines-- > 0) return true;
    this.#unlogged++;
    return false;
  }

  /** How many could not be, since this was last asked. 0 when it has been said often enough: an answer may have 40,000 parts. */
  takeUnlogged(): number {
    const unlogged = this.#unlogged;
    if (unlogged === 0 || this.#remarks-- <= 0) return 0;
    this.#unlogged = 0;
    return unlogged;
  }

  /** As many errors as fit, formatted one by one; how many more there are is said by one more. */
  fitAll<TError>(errors: readonly TError[], format: (error: TError) => GraphQLFormattedError): GraphQLFormattedError[] {
    const fitting: GraphQLFormattedError[] = [];
    for (const error of errors) {
      const one = this.#fit(format(error));
      if (one === undefined) break;
      fitting.push(one);
    }
    const more = errors.length - fitting.length;
    const atLeast = errors.length < (this.shared === undefined ? maxRecordedErrors : ownRecordedErrors) ? '' : 'at least ';
    if (more > 0) fitting.push({ message: `And ${atLeast}${more} more errors.`, extensions: { code: 'TOO_MANY_ERRORS' } });
    return fitting;
  }

  /** The error as it fits; undefined when no more do. */
  #fit(error: GraphQLFormattedError): GraphQLFormattedError | undefined {
    if (this.#errors-- <= 0) return undefined;
    let fitting = error;
    let length = lengthOfJSON(error);
    if (length > Math.min(maxErrorCharacters, this.#characters)) {
      fitting = shortened(error);
      length = lengthOfJSON(fitting);
    }
    this.#characters -= length;
    return this.#characters < 0 ? undefined : fitting;
  }
}

function shortened({ message, locations, path, extensions }: GraphQLFormattedError): GraphQLFormattedError {
  const { code, errorId } = extensions ?? {};
  return {
    message: cut(message),
    ...(locations && { locations: locations.slice(0, 10) }),
    ...(path && { path }),
    extensions: { code: typeof code === 'string' ? cut(code) : undefined, ...(typeof errorId === 'string' && { errorId }) },
  };
}

/** The beginning of a text that may be as long as a request. */
export function cut(text: string, length: number = maxMessage): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** An error for the log: itself, unless it would fill the log. Then one with the beginning of its message and of its stack. */
export function loggable(cause: unknown): unknown {
  if (sizeOf(cause, 4) <= maxDetail) return cause;
  if (!(cause instanceof Error)) return cut(String(cause), maxDetail);
  const short = new Error(cut(cause.message));
  short.name = cut(cause.name, 100);
  short.stack = cut(cause.stack ?? '', maxDetail);
  return short;
}

/** Characters that an error has in the log, about: Infinity for what nests too deep to tell. */
function sizeOf(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (levels === 0) return Infinity;
  let size = value instanceof Error ? (value.stack ?? '').length + sizeOf(value.cause, levels - 1) : 0;
  for (const [key, inner] of Object.entries(value)) {
    if (size > maxDetail) return size;
    size += key.length + sizeOf(inner, levels - 1);
  }
  return size;
}
