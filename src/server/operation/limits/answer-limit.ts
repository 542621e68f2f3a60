import type { OperationTypeNode, GraphQLError } from 'graphql';

import { workOf } from '../../../executor/index.ts';
import type { Capacity } from '../../../shared/index.ts';
import { createError } from '../errors.ts';
import type { ErrorAllowance } from './error-allowance.ts';

/** The combined size of all answers of a batch. */
export class BatchAnswers {
  /** Characters that each operation may always use, however large the other answers are. */
  readonly share: number;
  readonly operations: number;
  #all = 0;
  #mutations = 0;

  constructor({ maxBytes }: Capacity, operations: number) {
    this.share = maxBytes / (2 * operations);
    this.operations = operations;
  }

  /** Adds characters and returns the new total. For a mutation, which has already had its effect, only mutations count. */
  take(added: number, isMutation: boolean): number {
    this.#all += added;
    if (isMutation) this.#mutations += added;
    return isMutation ? this.#mutations : this.#all;
  }
}

/** The parts of a batch's budget that limit its answers. */
interface SharedAnswers {
  readonly answers: BatchAnswers | undefined;
  readonly errors: Pick<ErrorAllowance, 'shared'>;
}

/**
 * Limits the size of an operation's answer while it is being built. The size is a lower bound in characters: names, strings and the
 * shortest form of everything else. Lists and aliased fields count a few characters extra, because small ones take more time and memory
 * than their characters suggest. So the limit covers time and memory, too.
 */
export class AnswerLimit {
  /** Up to this size `grow` need not be called. */
  readonly free: number;
  /** Units of work that are free: 20,000 rows with three promises each. */
  readonly freeWork: number;
  /**
   * What each further unit adds to the size. A small answer is thus limited to 75,000 promises, to 5,000 errors beyond those that are kept,
   * to 56,250 objects and lists in arguments, or to 22,500 fields that are planned for further types.
   */
  readonly sizeOfWork: number;
  readonly sharedErrors: { left: number } | undefined;
  readonly maxExplained: number;
  readonly #capacity: Capacity;
  readonly #batch: BatchAnswers | undefined;
  readonly #isMutation: boolean;
  #taken = 0;

  constructor(capacity: Capacity, operationType: OperationTypeNode, budget?: SharedAnswers) {
    const batch = budget?.answers;
    const { maxBytes } = capacity;
    this.#capacity = capacity;
    this.freeWork = freeWork / (batch?.operations ?? 1);
    this.sizeOfWork = Math.ceil(Math.min(maxBytes, usualMaxBytes) / (maxWork - freeWork));
    this.sharedErrors = budget?.errors.shared;
    this.maxExplained = maxExplained / (batch?.operations ?? 1);
    this.#batch = batch;
    this.#isMutation = operationType === 'mutation';
    this.free = batch === undefined ? maxBytes : Math.min(maxBytes, batch.share);
  }

  /** The size up to which the answer may grow before the next call. Throws when the answer is too large. */
  grow(size: number, hasWork: boolean): number {
    const { maxBytes } = this.#capacity;
    if (size > maxBytes) throw this.#tooLarge(size, hasWork);
    const batch = this.#batch;
    if (batch === undefined) return maxBytes;
    const taken = batch.take(size - this.#taken, this.#isMutation);
    this.#taken = size;
    if (taken > maxBytes && size > batch.share) throw this.#tooLarge(taken, hasWork);
    return Math.min(maxBytes, size + batch.share / looksPerShare);
  }

  #tooLarge(size: number, hasWork: boolean): GraphQLError {
    const { promise, error, inputValue, plannedField } = workOf;
    const counted = `(a promise counts ${promise}, a failed field ${error}, an object or list of an argument ${inputValue}, a field that is planned for a further type ${plannedField})`;
    const work = hasWork ? `, ${this.sizeOfWork} of them for each unit of work after ${Math.floor(this.freeWork)} ${counted}` : '';
    return resultTooLarge(size, this.#capacity, work);
  }
}

/** How often an operation of a batch is checked while it grows by one share. Between two checks it may exceed what is left. */
const looksPerShare = 8;

/** Units of work of an answer: how many are free, and the maximum for an otherwise empty answer. */
const freeWork: number = 60_000 * workOf.promise;
const maxWork: number = 75_000 * workOf.promise;
/** The weight of invalid variables that graphql-js explains. 19,000 unknown keys took it half a second, and 80,000 took 4 s and 400 MB. */
const maxExplained = 20_000;
/** The default of `maxResultBytes`. */
const usualMaxBytes = 33_554_432;

/** The error for an answer that the platform would drop and replace with a generic error. */
export function resultTooLarge(bytes: number, { maxBytes, carrier }: Capacity, work = ''): GraphQLError {
  return createError(
    'RESULT_TOO_LARGE',
    `The answer has about ${Math.round(bytes)} bytes${work}, and ${carrier} carries ${maxBytes} at most. Request less: fewer fields, or a part of the list at a time.`,
  );
}
