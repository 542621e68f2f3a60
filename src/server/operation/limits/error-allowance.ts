import type { GraphQLFormattedError } from 'graphql';

import { lengthOfJSON, maxRecordedErrors } from '../../../executor/index.ts';
import { cut, isObjectLike } from '../../../shared/index.ts';
import type { Logger } from '../types.ts';

/** Errors in one answer. A list of 20,000 rows that all lack a required field would have 20,000. */
const maxErrors = 1_000;
/** Characters of their JSON. A character has at most three bytes, so the answer stays below 1 MiB. */
const maxCharacters = 262_144;
/** The most characters of one error's JSON. */
const maxErrorCharacters = 8_192;
/** The most log lines for unexpected errors of one request. With their stacks they stay below 64 KB. */
const maxLines = 10;
/** Characters of an error's stack and other properties in the log. */
const maxDetail = 4_000;

/** Limits the part of one answer and of the log that errors may take up. */
export class ErrorAllowance {
  readonly #operations: number;
  #errors: number;
  #characters: number;
  #lines: number;

  /** `operations`: the number of operations of a batch, each of which has the same share. */
  constructor(operations = 1) {
    this.#operations = operations;
    this.#errors = Math.ceil(maxErrors / operations);
    this.#characters = maxCharacters / operations;
    this.#lines = Math.ceil(maxLines / operations);
  }

  /** Returns true if an error may still be logged. Logs once that further errors are not logged. */
  takeLine(logger: Logger): boolean {
    if (this.#lines-- === 0) logger.error('Further unexpected errors of the same request are not logged.');
    return this.#lines >= 0;
  }

  /** Formats as many errors as fit, shortened if necessary. If some do not fit, a last error says how many. */
  fitAll<TError>(errors: readonly TError[], format: (error: TError) => GraphQLFormattedError): GraphQLFormattedError[] {
    const fitting: GraphQLFormattedError[] = [];
    for (const error of errors) {
      let one = format(error);
      if (this.#errors-- <= 0) break;
      let length = lengthOfJSON(one);
      // The size is 0 if its extensions cannot be written as JSON.
      if (length === 0 || length > Math.min(maxErrorCharacters, this.#characters)) {
        one = shortened(one);
        length = lengthOfJSON(one);
      }
      this.#characters -= length;
      if (this.#characters < 0) break;
      fitting.push(one);
    }
    const more = errors.length - fitting.length;
    const atLeast = errors.length < maxRecordedErrors / this.#operations ? '' : 'at least ';
    if (more > 0) fitting.push({ message: `And ${atLeast}${more} more errors.`, extensions: { code: 'TOO_MANY_ERRORS' } });
    return fitting;
  }
}

function shortened({ message, locations, path, extensions }: GraphQLFormattedError): GraphQLFormattedError {
  const { code, errorId, errorHash } = extensions ?? {};
  return {
    message: cut(String(message)),
    ...(locations && { locations: locations.slice(0, 10) }),
    ...(path && { path }),
    extensions: {
      code: typeof code === 'string' ? cut(code) : undefined,
      ...(typeof errorId === 'string' && { errorId }),
      ...(typeof errorHash === 'string' && { errorHash }),
    },
  };
}

/** An error for the log: the error itself, or a copy with truncated message and stack if it is too long. */
export function loggable(cause: unknown): unknown {
  if (sizeOf(cause, 4) <= maxDetail) return cause;
  if (!(cause instanceof Error)) return cut(String(cause), maxDetail);
  const short = new Error(cut(cause.message));
  short.name = cut(cause.name, 100);
  short.stack = cut(
    (cause.stack ?? '').replace(cause.message, () => short.message),
    maxDetail,
  );
  return short;
}

/** Approximate number of characters that a value takes in the log; Infinity if it nests too deep. */
function sizeOf(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length;
  if (!isObjectLike(value)) return 8;
  if (levels === 0) return Infinity;
  let size = value instanceof Error ? (value.stack ?? '').length + sizeOf(value.cause, levels - 1) : 0;
  // The errors of an AggregateError are not enumerable, but consoles print them.
  if (value instanceof AggregateError) size += sizeOf(value.errors, levels - 1);
  for (const [key, inner] of Object.entries(value)) {
    if (size > maxDetail) return size;
    size += key.length + sizeOf(inner, levels - 1);
  }
  return size;
}
