import { handleRejections } from './unhandled-rejections.ts';
import { completeValue, locate, toRootError } from './errors.ts';
import type { Position } from '../plan/planned-field.ts';
import { workOf } from '../costs.ts';
import type { Run } from './run.ts';

/**
 * A part of the response that has not arrived.
 *
 * graphql-js creates a promise for every asynchronous field and for every object and list above it. Here a pending part knows its
 * container, and stores its value there: 50 objects with 100 asynchronous resolvers take an eighth of the time (bench/execute.ts).
 */
export abstract class Pending {
  readonly run: Run;
  /** Undefined for the root of the response. */
  position: Position | undefined;
  /** Undefined for the root. */
  parent: PendingContainer | undefined = undefined;
  /** The object that receives the value under `key`: the container's result, or an object in it. */
  into: Record<string | number, unknown> | undefined = undefined;
  key: string | number = '';
  /** True when an error has made this position null: later errors below it are dropped. */
  failed = false;

  constructor(run: Run, position?: Position) {
    this.run = run;
    this.position = position;
  }

  /** True when its value is no longer needed: the run has finished, or this position or one above is null because of an error. */
  isOver(): boolean {
    return this.run.finished || this.failed || (this.parent?.isOver() ?? false);
  }

  /** Stores the completed value. */
  protected deliver(value: unknown): void {
    if (this.parent === undefined) {
      this.run.finish(value);
    } else {
      this.into![this.key] = value;
      this.parent.filled();
    }
  }

  /** Makes the position null, or its container if it is non-null and errors propagate. */
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
  readonly result: Record<string | number, unknown>;
  // Counts the container itself until it has been filled for the first time.
  #missing = 1;
  /** Objects in the result whose pending values it also waits for. */
  #within: object[] | undefined = undefined;

  constructor(run: Run, result: object) {
    super(run);
    this.result = result as Record<string | number, unknown>;
  }

  /** Waits for a value. Until it arrives, the child is stored at its key. */
  waitFor(child: Pending, key: string | number): void {
    child.key = key;
    this.result[key] = child;
    this.adopt(child);
  }

  /** Waits for a value whose child is already stored at its key. */
  adopt(child: Pending, into: object = this.result): void {
    this.#missing++;
    child.parent = this;
    child.into = into as Record<string, unknown>;
  }

  /** Waits for values of an object in the result. They are nullable, so the object needs no container. */
  waitWithin(object: object, children: readonly Pending[]): void {
    for (const child of children) this.adopt(child, object);
    (this.#within ??= []).push(object);
  }

  stopWaiting(reason: unknown): void {
    for (const object of [this.result, ...(this.#within ?? [])] as Record<string, unknown>[]) {
      for (const key of Object.keys(object)) {
        const value = object[key];
        if (value instanceof Pending) value.stopWaiting(reason);
      }
    }
  }

  /** A value has arrived, or the container has been filled for the first time. */
  filled(): void {
    this.#missing--;
    if (this.#missing === 0 && !this.failed) this.deliver(this.result);
  }
}

/** Sets the position of a completed value that is still pending. */
export function placed(value: unknown, position: Position): unknown {
  if (value instanceof PendingContainer) value.position = position;
  return value;
}

/** A value that is completed when it arrives. */
export abstract class Late extends Pending {
  declare readonly position: Position;

  /** Completes the value. Throws errors not yet located. */
  protected abstract complete(value: unknown): unknown;

  protected refuse(error: unknown): void {
    if (this.run.finished) this.run.objects?.onLate?.();
    this.fail(error);
  }

  protected arrive(value: unknown): void {
    if (this.isOver()) {
      if (this.run.finished) this.run.objects?.onLate?.();
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
    child.into = this.into;
    child.key = this.key;
    if (this.into !== undefined) this.into[this.key] = child;
  }
}

/** A value of a promise. */
export abstract class Promised extends Late {
  readonly #promise: PromiseLike<unknown>;

  constructor(position: Position, promise: PromiseLike<unknown>) {
    const { run } = position.fieldRun;
    super(run, position);
    this.#promise = promise;
    run.root.awaitsPromises = true;
    // `Promise.resolve`, because other thenables may call back synchronously, or twice.
    void Promise.resolve(promise).then(this.arrive.bind(this), this.refuse.bind(this));
    // After `then`: this may throw, and no rejection may go unhandled.
    run.budget.spend(workOf.promise);
  }

  /** The resolver goes on, and `close` of the handler waits for it if it belongs to a deferred part. */
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
    // Its properties are not read before the promise resolves: until then their rejections must be handled.
    handleRejections(object);
    this.#proceed = proceed;
  }

  protected complete(answer: unknown): unknown {
    return this.#proceed(answer);
  }
}
