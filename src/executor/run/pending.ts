import { handleRejections } from './unhandled-rejections.ts';
import { completeValue, locate, toRootError } from './errors.ts';
import type { Position } from '../plan/planned-field.ts';
import { workOf } from '../costs.ts';
import type { Run } from './run.ts';

/**
 * A part of the response that has not arrived.
 *
 * graphql-js creates a promise for every asynchronous field and for every object and list above it. Here a pending part knows its
 * container, and stores its value there: 50 objects with 100 asynchronous resolvers take an eighth of the time.
 */
export abstract class Pending {
  readonly run: Run;
  /** The position of the value; undefined for the root of the response. */
  abstract readonly position: Position | undefined;
  /** The container that waits for this one; undefined for the root. */
  parent: PendingContainer | undefined = undefined;
  /** The key of the value in the result of the container. */
  key: string | number = '';
  /** True when an error has made this position null: later errors below it are dropped. */
  failed = false;

  constructor(run: Run) {
    this.run = run;
  }

  /** True if nobody needs the value any more: the run has finished, or an error has made this position or one above it null. */
  isOver(): boolean {
    if (this.failed || this.run.finished) return true;
    let above = this.parent;
    while (above !== undefined && !above.failed) above = above.parent;
    return above !== undefined;
  }

  /** Stores the completed value. */
  protected deliver(value: unknown): void {
    if (this.parent === undefined) {
      this.run.finish(value);
    } else {
      this.parent.result[this.key] = value;
      this.parent.filled();
    }
  }

  /** Makes the position null, or if it is non-null and errors propagate, the container of the position. */
  fail(thrown: unknown): void {
    if (this.isOver()) return;
    this.failed = true;
    const { run, parent, position } = this;
    if (parent === undefined || position === undefined) {
      run.fail(toRootError(thrown));
      return;
    }
    const error = locate(thrown, position);
    if (run.haltsOnError) {
      run.halt(error);
    } else if (position.shape.nonNull && run.propagates(thrown)) {
      parent.fail(error);
    } else {
      run.record(error);
      if (!run.finished) this.deliver(null);
    }
  }

  /** Cancels: settles with the values that have arrived. */
  abstract stopWaiting(reason: unknown): void;
}

/** An object or a list with pending values. */
export class PendingContainer extends Pending {
  readonly position: Position | undefined;
  /** Generated code sets it when all fields have run. */
  result: Record<string | number, unknown>;
  // Counts the container itself until it has been filled for the first time.
  #missing = 1;

  constructor(run: Run, result: object | undefined, position: Position | undefined) {
    super(run);
    this.position = position;
    this.result = result as Record<string | number, unknown>;
  }

  /** Waits for a value. Until it arrives, the child is stored at its key. */
  waitFor(child: Pending, key: string | number): void {
    this.result[key] = child;
    this.adopt(child, key);
  }

  /** Waits for a value whose child is, or will be, stored at its key. */
  adopt(child: Pending, key: string | number): void {
    this.#missing++;
    child.parent = this;
    child.key = key;
  }

  stopWaiting(reason: unknown): void {
    for (const value of Object.values(this.result)) if (value instanceof Pending) value.stopWaiting(reason);
  }

  /** A value has arrived, or the container has been filled for the first time. */
  filled(): void {
    this.#missing--;
    if (this.#missing === 0 && !this.failed) this.deliver(this.result);
  }
}

/** A value that is completed when it arrives. */
export abstract class Late extends Pending {
  abstract override readonly position: Position;

  /** Completes the value. Throws errors not yet located. */
  protected abstract complete(value: unknown): unknown;

  protected refuse(error: unknown): void {
    this.fail(error);
  }

  protected arrive(value: unknown): void {
    if (this.isOver()) {
      handleRejections(value);
      return;
    }
    let completed: unknown;
    try {
      completed = this.complete(value);
    } catch (error) {
      this.refuse(error);
      return;
    }
    if (completed instanceof Pending) this.#replaceBy(completed);
    else this.deliver(completed);
  }

  stopWaiting(reason: unknown): void {
    this.fail(reason);
  }

  #replaceBy(child: Pending): void {
    child.parent = this.parent;
    child.key = this.key;
    if (this.parent !== undefined) this.parent.result[this.key] = child;
  }
}

/** A value of a promise. */
export abstract class Promised extends Late {
  readonly position: Position;
  readonly #promise: PromiseLike<unknown>;

  constructor(position: Position, promise: PromiseLike<unknown>) {
    const { run } = position.fieldRun;
    super(run);
    this.position = position;
    this.#promise = promise;
    run.root.awaitsPromises = true;
    // `Promise.resolve`, because other thenables may call back synchronously, or twice.
    void Promise.resolve(promise).then(this.arrive.bind(this), this.refuse.bind(this));
    // After `then`: this may throw, and no rejection may go unhandled.
    run.budget.spend(workOf.promise);
  }

  /** Stops waiting for the resolver, which goes on. `close` of the handler waits for a resolver of a deferred part. */
  override stopWaiting(reason: unknown): void {
    if (this.run !== this.run.root) this.run.settings.invocation?.closeAfter?.(this.#promise);
    super.stopWaiting(reason);
  }
}

/** The promised value of a field or of an item in a list. */
export class PromisedValue extends Promised {
  protected complete(value: unknown): unknown {
    return completeValue(this.position, value);
  }
}

/** The promised result of `resolveType` or `isTypeOf`. */
export class PromisedType extends Promised {
  readonly #proceed: (answer: unknown) => unknown;

  constructor(position: Position, object: unknown, promise: PromiseLike<unknown>, proceed: (answer: unknown) => unknown) {
    super(position, promise);
    // The properties of the object are read after the promise resolves. Until then, their rejections must be handled.
    handleRejections(object);
    this.#proceed = proceed;
  }

  protected complete(answer: unknown): unknown {
    return this.#proceed(answer);
  }
}
