import { OperationTypeNode } from 'graphql';
import type { GraphQLError } from 'graphql';

import type { Capacity } from '../../message/answer-size.ts';
import { createError } from '../errors.ts';
import type { ErrorAllowance } from './error-allowance.ts';

/** The count of all answers of a batch. */
export class BatchAnswers {
  /** Characters up to which an operation gets its answer, whatever the others ask for. */
  readonly share: number;
  readonly operations: number;
  #all = 0;
  #mutations = 0;

  constructor({ maxBytes }: Capacity, operations: number) {
    this.share = maxBytes / (2 * operations);
    this.operations = operations;
  }

  /** Counts them, and says how much it is now. A mutation has been carried out: what queries ask for does not count for it. */
  take(added: number, isMutation: boolean): number {
    this.#all += added;
    if (isMutation) this.#mutations += added;
    return isMutation ? this.#mutations : this.#all;
  }
}

/** The parts of a batch's budget that bound its answers. */
interface SharedAnswers {
  readonly answers: BatchAnswers | undefined;
  readonly errors: Pick<ErrorAllowance, 'shared'>;
}

/**
 * How large the answer to an operation may become while it is made. Counted is what is sure to be in it, in characters: names, texts
 * and the least that else is there. Lists, and what stands under an alias, count for a few characters more, because small ones take
 * more time and memory than their characters do. So the count bounds those, too.
 */
export class AnswerLimit {
  /** Up to here the batch need not be asked. */
  readonly free: number;
  /** A resolver that fails takes 2 to 5 µs, most of them for the stack of its error: six thousand of them, and no more are called. */
  readonly sizeOfError: number;
  /** 20,000 rows with three promises each. */
  readonly freePromises: number;
  /** A promise takes a microsecond and 300 bytes and more until all have settled, those of its resolver included: 100,000 of them, and no more are waited for. */
  readonly sizeOfPromise: number;
  readonly sharedErrors: { left: number } | undefined;
  readonly #capacity: Capacity;
  readonly #batch: BatchAnswers | undefined;
  readonly #isMutation: boolean;
  #taken = 0;

  constructor(capacity: Capacity, operationType: OperationTypeNode, budget?: SharedAnswers) {
    const batch = budget?.answers;
    const { maxBytes } = capacity;
    this.#capacity = capacity;
    this.sizeOfError = maxBytes / maxCountedErrors;
    this.freePromises = freePromises / (batch?.operations ?? 1);
    this.sizeOfPromise = Math.ceil(Math.min(maxBytes, usualMaxBytes) / (maxPromises - freePromises));
    this.sharedErrors = budget?.errors.shared;
    this.#batch = batch;
    this.#isMutation = operationType === OperationTypeNode.MUTATION;
    this.free = batch === undefined ? maxBytes : Math.min(maxBytes, batch.share);
  }

  /** How far an answer of this size may still grow before it is asked again. Throws when it is too large. */
  grow(size: number, withPromises: boolean): number {
    const { maxBytes } = this.#capacity;
    if (size > maxBytes) throw this.#tooLarge(size, withPromises);
    const batch = this.#batch;
    if (batch === undefined) return maxBytes;
    const taken = batch.take(size - this.#taken, this.#isMutation);
    this.#taken = size;
    if (taken > maxBytes && size > batch.share) throw this.#tooLarge(taken, withPromises);
    return Math.min(maxBytes, size + batch.share / looksPerShare);
  }

  #tooLarge(size: number, withPromises: boolean): GraphQLError {
    const promises = withPromises ? `, ${this.sizeOfPromise} of them for each promise after ${Math.floor(this.freePromises)}` : '';
    return resultTooLarge(size, this.#capacity, promises);
  }
}

/** The limit of an operation. Alone it counts nothing: then it is the same for all whose capacity is. */
export function answerLimitOf(capacity: Capacity, operationType: OperationTypeNode, budget?: SharedAnswers): AnswerLimit {
  if (budget !== undefined) return new AnswerLimit(capacity, operationType, budget);
  if (last?.capacity !== capacity) last = { capacity, limit: new AnswerLimit(capacity, operationType) };
  return last.limit;
}

let last: { readonly capacity: Capacity; readonly limit: AnswerLimit } | undefined;

/** How often an operation of a batch is asked while it grows by another share: until then it may grow although nothing is left. */
const looksPerShare = 8;

/** Errors beyond those that are kept, after which an answer is given up, however much the platform carries. */
const maxCountedErrors = 5_000;

/** Promised values of an answer: so many have no size of their own, and so many there are at most, with the largest answer that is usual. */
const freePromises = 60_000;
const maxPromises = 100_000;
/** The default of `maxResultBytes`. */
const usualMaxBytes = 33_554_432;

/** Of an answer that would not arrive: a platform drops what is longer, and answers with an error of its own that says nothing. */
export function resultTooLarge(bytes: number, { maxBytes, carrier }: Capacity, promises = ''): GraphQLError {
  return createError(
    'RESULT_TOO_LARGE',
    `The answer has about ${Math.round(bytes)} bytes${promises}, and ${carrier} carries ${maxBytes} at most. Ask for less: fewer fields, or a part of the list at a time.`,
  );
}
