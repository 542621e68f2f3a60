import { GraphQLError } from 'graphql';

import { markAsCopied } from '../shared/index.ts';
import type { Capacity } from '../shared/index.ts';
import {
  freeContainers,
  freeWork,
  lengthOfJSON,
  maxRecordedErrors,
  maxWork,
  minRecordedErrors,
  sizeOfContainer,
  usualMaxBytes,
  workOf,
} from './costs.ts';

/** The limits of one execution. */
export interface BudgetLimits {
  readonly capacity: Capacity;
  /** The number of operations in the request. Each may use the same share of every limit. */
  readonly operations: number;
}

/**
 * Counts what one execution produces: the size of its response, work that its size does not show, errors, and parts. The only counter of an
 * execution. The size is a lower bound in characters: names, strings and the shortest form of everything else. Many objects and lists count
 * for more than their characters, because small ones take more time and memory. So the limit covers time and memory, too.
 */
export class Budget {
  /** Set when the response is too large. */
  exceededBy: GraphQLError | undefined = undefined;
  readonly #limits: BudgetLimits | undefined;
  readonly #end: (error: GraphQLError) => void;
  readonly #maxSize: number;
  readonly #maxErrors: number;
  #size = 0;
  #containersLeft: number;
  #workLeft: number;
  #errors = 0;
  #partsLeft: number;
  #sharedError: unknown = none;

  /** `end`: ends the execution when the response is too large. `maxParts`: parts that the response may have after the first. */
  constructor(limits: BudgetLimits | undefined, end: (error: GraphQLError) => void, maxParts = 0) {
    const operations = limits?.operations ?? 1;
    this.#limits = limits;
    this.#end = end;
    // Whole numbers: the first batch with fractions would make V8 compile the counting functions again.
    this.#maxSize = Math.floor((limits?.capacity.maxBytes ?? Infinity) / operations);
    this.#maxErrors = Math.max(minRecordedErrors, Math.ceil(maxRecordedErrors / operations));
    this.#containersLeft = Math.floor(freeContainers / operations);
    this.#workLeft = limits === undefined ? Infinity : Math.floor(freeWork / operations);
    this.#partsLeft = maxParts;
  }

  /** Adds characters to the size of the response. Throws when it is too large: then the execution has ended. */
  grow(size: number): void {
    this.#size += size;
    if (this.#size > this.#maxSize) throw this.#exceed();
  }

  /** Adds an object or a list. */
  growByContainer(size: number): void {
    this.#size += --this.#containersLeft < 0 ? size + sizeOfContainer : size;
    if (this.#size > this.#maxSize) throw this.#exceed();
  }

  /** Adds the size of a leaf value. An object counts with the length of its JSON, also when a thousand aliases return the same object. */
  growByLeaf(value: unknown): void {
    if (typeof value === 'string') this.grow(value.length);
    else if (typeof value === 'object' && value !== null) this.grow(lengthOfJSON(value));
  }

  /** Counts units of work. Throws as `grow` does. */
  spend(work: number): void {
    this.#addWork(work);
    this.grow(0);
  }

  /** True when a quarter of the free work is done: nothing may be made a second time. */
  get hasMuchWork(): boolean {
    return this.#workLeft < (0.75 * freeWork) / (this.#limits?.operations ?? 1);
  }

  /** Takes one of the errors that the response may contain. False when none is left: then further errors are only counted. */
  takeError(): boolean {
    if (this.hasManyErrors) return false;
    this.#errors++;
    return true;
  }

  /** True when `takeError` would return false. */
  get hasManyErrors(): boolean {
    return this.#errors >= this.#maxErrors;
  }

  /** Counts an error that the response does not contain: a million failing fields take seconds. May end the execution, but does not throw. */
  countError(thrown: unknown): void {
    if (thrown === this.#sharedError) return;
    this.#addWork(workOf.error);
    if (this.#size > this.#maxSize) this.#exceed();
  }

  /** Fails fields that share an error, which counts once. */
  shareError(error: unknown, failFields: () => void): void {
    if (this.hasManyErrors) this.countError(error);
    const before = this.#sharedError;
    this.#sharedError = error;
    try {
      failFields();
    } finally {
      this.#sharedError = before;
    }
  }

  /**
   * Takes parts from those that the response may have. Each hundred characters of their path count as one more part. Takes none and returns
   * false if fewer are left.
   */
  takeParts(count: number, sizeOfPath: number): boolean {
    const parts = count * (1 + Math.floor(sizeOfPath / 100));
    if (parts > this.#partsLeft) return false;
    this.#partsLeft -= parts;
    return true;
  }

  #addWork(work: number): void {
    this.#workLeft -= work;
    if (this.#workLeft < 0) this.#size += Math.min(work, -this.#workLeft) * sizeOfWork(this.#limits!);
  }

  #exceed(): GraphQLError {
    if (this.exceededBy === undefined) {
      this.exceededBy = tooLarge(this.#size, this.#limits!, this.#workLeft < 0);
      this.#end(this.exceededBy);
    }
    return this.exceededBy;
  }
}

/** The state in which no shared error has been thrown. */
const none = Symbol('none');

/**
 * The size that each unit of work adds, when none is free. A small answer is thus limited to 75,000 promises, to 5,000 errors beyond those
 * that are kept, to 56,250 objects and lists in arguments, or to 22,500 fields that are planned for further types.
 */
function sizeOfWork({ capacity: { maxBytes } }: BudgetLimits): number {
  return Math.ceil(Math.min(maxBytes, usualMaxBytes) / (maxWork - freeWork));
}

function tooLarge(size: number, limits: BudgetLimits, hasWork: boolean): GraphQLError {
  const { capacity, operations } = limits;
  const { promise, error, inputValue, plannedField } = workOf;
  const counted = `(a promise counts ${promise}, a failed field ${error}, an object or list of an argument ${inputValue}, a field that is planned for a further type ${plannedField})`;
  const work = hasWork ? `, ${sizeOfWork(limits)} of them for each unit of work after ${Math.floor(freeWork / operations)} ${counted}` : '';
  return resultTooLarge(size, capacity, work, operations);
}

/** The error for an answer that the platform would drop and replace with a generic error. */
export function resultTooLarge(bytes: number, { maxBytes, carrier }: Capacity, work = '', operations = 1): GraphQLError {
  const shared = operations > 1 ? ` for the ${operations} operations of the batch, each the same share` : '';
  const message = `The answer has about ${Math.round(bytes)} bytes${work}, and ${carrier} carries ${maxBytes} at most${shared}. Request less: fewer fields, or a part of the list at a time.`;
  return markAsCopied(new GraphQLError(message, { extensions: { code: 'RESULT_TOO_LARGE' } }));
}
