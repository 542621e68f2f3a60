import type { GraphQLError } from 'graphql';

import { lengthOfJSON, longText, maxRecordedErrors, minRecordedErrors, sizeOfAliasedNumber, workOf } from './costs.ts';

/** Limits of one execution, which may share them with the other operations of a batch. Sizes are characters of JSON, rounded down. */
export interface BudgetLimits {
  /** The size up to which `grow` need not be called. */
  readonly free: number;
  /** Returns the size at which to call it again. `hasWork`: the size includes work. Throws a GraphQLError when the response is too large. */
  grow(size: number, hasWork: boolean): number;
  /** Units of work that are free, and the size that each further unit counts for: see {@link workOf}. */
  readonly freeWork: number;
  readonly sizeOfWork: number;
  /** Errors that the operations of a batch may still record together. Undefined outside a batch. */
  readonly sharedErrors?: { left: number } | undefined;
  /** Invalid variables above this weight get one error without an explanation, as costs.ts weighs them. Default: no limit. */
  readonly maxExplained?: number | undefined;
}

/**
 * Counts what one execution produces: the size of its response, work that its size does not show, errors, and
 * parts. The only counter of an execution.
 */
export class Budget {
  /** Set when the response is too large. */
  exceededBy: GraphQLError | undefined = undefined;
  readonly #limits: BudgetLimits | undefined;
  readonly #end: (error: GraphQLError) => void;
  #size = 0;
  #maxSize: number;
  #freeWork: number;
  #errors = 0;
  #partsLeft: number;
  #sharedError: unknown = none;
  #lengths: WeakMap<object, number> | undefined = undefined;

  /** `end`: ends the execution when the response is too large. `maxParts`: parts that the response may have after the first. */
  constructor(limits: BudgetLimits | undefined, end: (error: GraphQLError) => void, maxParts = 0) {
    this.#limits = limits;
    this.#end = end;
    this.#maxSize = limits?.free ?? Infinity;
    this.#freeWork = limits?.freeWork ?? Infinity;
    this.#partsLeft = maxParts;
  }

  /** Adds characters to the size of the response. Throws when it is too large: then the execution has ended. */
  grow(size: number): void {
    this.#size += size;
    if (this.#size <= this.#maxSize) return;
    this.#extend();
    if (this.exceededBy !== undefined) throw this.exceededBy;
  }

  /** Adds the size of a leaf value. Exact only for aliased fields, which may repeat a value a thousand times. */
  growByLeaf(value: unknown, isAliased: boolean): void {
    if (typeof value === 'string') this.grow(isAliased && value.length > longText ? JSON.stringify(value).length : value.length);
    else if (isAliased && typeof value === 'number') this.grow(sizeOfAliasedNumber);
    else if (isAliased && typeof value === 'object' && value !== null) this.grow(this.#lengthOf(value));
  }

  /** The characters of an object's JSON, written once: under a thousand aliases it may be the same object. */
  #lengthOf(value: object): number {
    this.#lengths ??= new WeakMap();
    let length = this.#lengths.get(value);
    if (length === undefined) this.#lengths.set(value, (length = lengthOfJSON(value)));
    return length;
  }

  /** Counts units of work. Throws as `grow` does. */
  spend(work: number): void {
    this.#addWork(work);
    this.grow(0);
  }

  /** Takes one of the errors that the response may contain. False when none is left: then further errors are only counted. */
  takeError(): boolean {
    if (this.hasManyErrors) return false;
    this.#errors++;
    const shared = this.#limits?.sharedErrors;
    if (shared !== undefined) shared.left--;
    return true;
  }

  /** True when `takeError` would return false. */
  get hasManyErrors(): boolean {
    if (this.#errors < minRecordedErrors) return false;
    return this.#errors >= maxRecordedErrors || (this.#limits?.sharedErrors?.left ?? 1) <= 0;
  }

  /** Counts an error that the response does not contain: a million failing fields take seconds. May end the execution, but does not throw. */
  countError(thrown: unknown): void {
    if (thrown === this.#sharedError) return;
    this.#addWork(workOf.error);
    if (this.#size > this.#maxSize) this.#extend();
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

  /** Takes parts of the response. False when fewer are left: then none are taken. */
  takeParts(count: number): boolean {
    if (count > this.#partsLeft) return false;
    this.#partsLeft -= count;
    return true;
  }

  #addWork(work: number): void {
    this.#freeWork -= work;
    if (this.#freeWork < 0) this.#size += Math.min(work, -this.#freeWork) * this.#limits!.sizeOfWork;
  }

  #extend(): void {
    if (this.exceededBy !== undefined) return;
    try {
      this.#maxSize = this.#limits!.grow(this.#size, this.#freeWork < 0);
    } catch (error) {
      this.exceededBy = error as GraphQLError;
      this.#end(this.exceededBy);
    }
  }
}

/** Stands for no thrown value. */
const none = Symbol('none');
