import { abandon, handleRejections, afterTurns, toPromise } from './promises.ts';
import { completeValue, locate, toRootError } from './complete/errors.ts';
import { isGraphQL17 } from './graphql-js/version.ts';
import type { Position } from './plan/planned-field.ts';
import type { Run } from './run.ts';

/**
 * A part of the response that is not there yet.
 *
 * Why not a promise: graphql-js makes one for every asynchronous field and for every object and list above it, and
 * an error or a value climbs through all of them, a turn per link. Here every unfinished part knows the container
 * it belongs to; what arrives is put there, and the container that has everything is put into the one above.
 * 50 objects with 100 asynchronous resolvers take an eighth of the time (bench/execute.ts).
 */
export abstract class Pending {
  readonly run: Run;
  /** Undefined for the root of the response. */
  position: Position | undefined;
  /** The container, and the key in it. Undefined for the root. */
  parent: PendingContainer | undefined = undefined;
  key: string | number = '';
  /** The object that has the key, where that is not the container's own: see waitWithin. */
  into: Record<string | number, unknown> | undefined = undefined;
  /** Microtask turns between an error below and its arrival at this position in graphql-js: see afterTurns. */
  lag: number;
  /** True when an error has made this position null: what still happens below is not told. */
  nulled = false;

  constructor(run: Run, lag: number, position?: Position) {
    this.run = run;
    this.lag = lag;
    this.position = position;
  }

  /** True when nobody wants to know any more: the answer is out, or a position above has become null. */
  isOver(): boolean {
    return this.run.finished || this.nulled || (this.parent?.isOver() ?? false);
  }

  /** Puts the finished value where it belongs. */
  protected deliver(value: unknown): void {
    const { parent, into } = this;
    if (parent === undefined) {
      this.run.finish(value);
    } else if (into === undefined) {
      parent.fill(this.key, value);
    } else {
      into[this.key] = value;
      parent.filled();
    }
  }

  /** An error has reached this position. Once the time is up the answer waits for no turns. */
  protected fail(thrown: unknown): void {
    if (this.run.timeIsUp === undefined) afterTurns(this.lag, () => this.#settleError(thrown));
    else this.#settleError(thrown);
  }

  /** The time is up: makes do with what is there, so that the container of this gets its value or an error. */
  abstract endWait(reason: unknown): void;

  #settleError(thrown: unknown): void {
    if (this.isOver()) return;
    const { run, parent, position } = this;
    if (parent === undefined || position === undefined) {
      run.record(toRootError(thrown));
      run.finish(null);
      return;
    }
    const error = locate(thrown, position);
    if (position.shape.nonNull && run.propagatesErrors) {
      parent.childFailed(error, this.key);
      return;
    }
    run.record(error);
    this.nulled = true;
    this.deliver(null);
  }
}

/** An object or a list some of whose values are not there yet. */
export class PendingContainer extends Pending {
  readonly result: Record<string | number, unknown>;
  // One is the container itself, while it is being filled for the first time.
  #missing = 1;
  #failed = false;
  #lateError: unknown = undefined;
  /** Objects in the result whose values it waits for, too. */
  #within: object[] | undefined = undefined;

  constructor(run: Run, result: object, lag: number) {
    super(run, lag);
    this.result = result as Record<string | number, unknown>;
  }

  /** Keeps a place for a value that will come. What it is waited from stands there until then: so all that is pending can be found. */
  waitFor(child: Pending, key: string | number): void {
    this.#missing++;
    child.parent = this;
    child.key = key;
    this.result[key] = child;
  }

  /** The same for a value that stands at its place already. */
  adopt(child: Pending): void {
    this.#missing++;
    child.parent = this;
  }

  /** The same for values of an object in the result. None of them can make null of the object: it needs no container of its own. */
  waitWithin(object: object, children: readonly Pending[]): void {
    for (const child of children) {
      this.adopt(child);
      child.into = object as Record<string, unknown>;
    }
    (this.#within ??= []).push(object);
  }

  endWait(reason: unknown): void {
    for (const object of [this.result, ...(this.#within ?? [])] as Record<string, unknown>[]) {
      // A row's keys are those of its document, in an object without prototype.
      for (const key of Object.keys(object)) {
        const value = object[key];
        if (value instanceof Pending) value.endWait(reason);
      }
    }
  }

  /** A value that was waited for has come. */
  fill(key: string | number, value: unknown): void {
    this.result[key] = value;
    this.filled();
  }

  /** One thing less is missing. */
  filled(): void {
    this.#missing--;
    if (this.#missing > 0 || this.#failed) return;
    if (this.#lateError === undefined) this.deliver(this.result);
    else this.childFailed(this.#lateError, this.key);
  }

  /** A child that may not be null has failed: so has the container. Only its first failure counts. */
  childFailed(error: unknown, _key: string | number): void {
    if (this.#failed) return;
    this.#failed = true;
    this.fail(this.#lateError ?? error);
  }

  /** Fails with this error, but only when all children have settled: so does graphql 16 with an object (see executeFields). */
  failLate(error: unknown): void {
    this.#lateError = error;
    this.lag++;
    this.filled();
  }
}

/** Turns that an error takes in graphql-js from a field to the position of its object, and from an item to that of its list. */
export const objectLag = 3;
export const listLag = 2;

/** Says which position a completed value stands at, in case it is still pending. */
export function placed(value: unknown, position: Position): unknown {
  if (value instanceof PendingContainer) value.position = position;
  return value;
}

/** A value that a promise will bring. */
export abstract class Promised extends Pending {
  declare readonly position: Position;

  constructor(position: Position, promise: PromiseLike<unknown>, lag: number) {
    super(position.fieldRun.run, lag, position);
    // graphql 17 awaits: of a promise of a class of its own that takes two turns more.
    void (isGraphQL17 ? Promise.resolve(promise) : toPromise(promise)).then(this.#arrive.bind(this), this.#refuse.bind(this));
    // Last, for it may throw, and no rejection may go unhandled.
    position.fieldRun.run.growByPromise();
  }

  #refuse(error: unknown): void {
    this.drop();
    this.fail(error);
  }

  /** Completes the value. Throws errors not yet located. */
  protected abstract complete(value: unknown): unknown;

  /** The value will not be completed. */
  protected drop(): void {
    // Most wait for nothing but the value itself.
  }

  #arrive(value: unknown): void {
    if (this.isOver()) {
      abandon(value);
      this.drop();
      return;
    }
    let completed: unknown;
    try {
      completed = this.complete(value);
    } catch (error) {
      this.drop();
      this.fail(error);
      return;
    }
    if (completed instanceof Pending) this.#makeWayFor(completed);
    else this.deliver(completed);
  }

  endWait(reason: unknown): void {
    this.fail(reason);
    // Later values of the promise are dropped, even where null has climbed no further than to a list that waits for others.
    this.nulled = true;
  }

  #makeWayFor(child: Pending): void {
    const { parent, into } = this;
    child.parent = parent;
    child.into = into;
    child.key = this.key;
    child.lag += this.lag;
    if (parent !== undefined) (into ?? parent.result)[this.key] = child;
  }
}

/** The promised value of a field or of an item in a list. */
export class PromisedValue extends Promised {
  constructor(position: Position, promise: PromiseLike<unknown>) {
    super(position, promise, isGraphQL17 ? 0 : 1);
  }

  protected complete(value: unknown): unknown {
    return completeValue(this.position, value);
  }
}

/** The promised answer to which type an object has (`resolveType`), or whether it has the type (`isTypeOf`). */
export class PromisedType extends Promised {
  readonly #object: unknown;
  readonly #proceed: (answer: unknown) => unknown;

  constructor(position: Position, object: unknown, promise: PromiseLike<unknown>, proceed: (answer: unknown) => unknown) {
    super(position, promise, 1);
    // Its properties are read when the answer is there: until then, and if it never is, their rejections must be handled.
    handleRejections(object);
    this.#object = object;
    this.#proceed = proceed;
  }

  protected complete(answer: unknown): unknown {
    return this.#proceed(answer);
  }

  protected override drop(): void {
    abandon(this.#object);
  }
}
