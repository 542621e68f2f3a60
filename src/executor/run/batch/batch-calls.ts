import type { GraphQLResolveInfo } from 'graphql';

import { describe, isPromiseLike } from '../../../shared/index.ts';
import type { BatchFunction, BatchMark } from '../../batch-mark.ts';
import { completeValue } from '../errors.ts';
import { ObservedField, startField } from '../field-run.ts';
import { Late, PromisedValue } from '../pending.ts';
import { plainValue } from '../../built-in-scalars.ts';
import type { FieldRun, PlannedField, Position } from '../../plan/planned-field.ts';
import type { Path } from '../../plan/path.ts';
import { handleRejections } from '../unhandled-rejections.ts';
import type { Batches, Run } from '../run.ts';
import { allArguments, resolverCall } from '../visible-arguments.ts';

/**
 * The calls of batched fields that a run has not made yet, one for each field of the plan and for every `maxSize` parents.
 *
 * They are made when the synchronous pass ends, if the run waits for nothing else. Otherwise when the microtasks of the turn have
 * drained: objects whose promises settle in one turn share a call, and a slow sibling delays none.
 */
export class OpenBatches implements Batches {
  readonly #run: Run;
  #calls: BatchCall[] = [];
  /** The last call of each field. */
  readonly #byField = new Map<PlannedField, BatchCall>();
  /** True while a call is certain to be made: during the first pass, and when the end of the turn is awaited. */
  #isExpected: boolean;

  constructor(run: Run) {
    this.#run = run;
    this.#isExpected = run.part.onFinish === undefined && !run.finished;
  }

  /** Adds a value to the next call of its field. */
  add(value: BatchedValue, { call: resolve, maxSize }: BatchMark): void {
    const { field } = value;
    let call = this.#byField.get(field);
    if (call === undefined || call.values.length >= maxSize) {
      this.#byField.set(field, (call = new BatchCall(this.#run, field, resolve)));
      this.#calls.push(call);
    }
    call.values.push(value);
    if (!this.#isExpected) this.#callAfterTurn();
  }

  finishFirstPass(): void {
    while (this.#calls.length > 0 && !this.#run.awaitsPromises) this.#call();
    if (this.#calls.length > 0) this.#callAfterTurn();
    else this.#isExpected = false;
  }

  #callAfterTurn(): void {
    this.#isExpected = true;
    void afterMicrotasks(() => {
      this.#isExpected = false;
      this.#call();
    });
  }

  #call(): void {
    const calls = this.#calls;
    this.#calls = [];
    this.#byField.clear();
    for (const call of calls) call.make();
  }
}

export function openBatchesOf(run: Run): OpenBatches {
  return (run.root.batches ??= new OpenBatches(run.root)) as OpenBatches;
}

/** One call of a batched resolver. */
class BatchCall {
  /** The values of the objects that wait for this call. */
  values: BatchedValue[] = [];
  readonly #run: Run;
  readonly #field: PlannedField;
  readonly #call: BatchFunction;

  constructor(run: Run, field: PlannedField, call: BatchFunction) {
    this.#run = run;
    this.#field = field;
    this.#call = call;
  }

  /** Makes the call, without objects whose position is null by now: an earlier call may have failed them. */
  make(): void {
    this.values = this.values.filter((value) => !value.isOver());
    if (this.values.length === 0) return;
    try {
      const values = this.#resolve(this.values.map(({ source }) => source));
      if (isPromiseLike(values)) this.#await(values);
      else this.#arrive(values);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #resolve(parents: readonly unknown[]): unknown {
    const run = this.#run;
    const call = this.#call;
    // The path of a call is the path of the selection, without the indexes of lists.
    const path = withoutIndexes(this.values[0]!.position.path.prev);
    const observed = new ObservedField(run, this.#field, { path }, parents, parents.length);
    const { args } = observed;
    const seesInfo = resolverCall(call).visible === allArguments;
    const resolve = (): unknown => call(parents, args, run.contextValue, seesInfo ? observed.info : (undefined as never));
    return run.fieldObserver === undefined ? resolve() : run.fieldObserver.field(observed, resolve);
  }

  #await(values: PromiseLike<unknown>): void {
    this.#run.root.awaitsPromises = true;
    void Promise.resolve(values).then(
      (settled) => this.#arrive(settled),
      (error: unknown) => this.#refuse(error),
    );
  }

  #arrive(values: unknown): void {
    let list: readonly unknown[];
    try {
      list = assertValues(values, this.values.length, this.#field);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    for (let at = 0; at < this.values.length; at++) this.values[at]!.takeFrom(list, at);
  }

  #refuse(error: unknown): void {
    this.#run.budget.shareError(error, () => {
      for (const value of this.values) value.takeError(error);
    });
  }
}

/** The result of a call. Throws unless it is one value for each parent. */
export function assertValues(values: unknown, count: number, { parentType, fieldName }: ResolvedField): readonly unknown[] {
  if (Array.isArray(values) && values.length === count) return values;
  handleRejections(values);
  const got = Array.isArray(values) ? `a list of ${values.length}` : describe(values);
  throw new Error(
    `The batched resolver of ${parentType.name}.${fieldName} must return a list of ${count} (one value for each parent), got ${got}.`,
  );
}

type ResolvedField = Pick<GraphQLResolveInfo, 'parentType' | 'fieldName'>;

function withoutIndexes(path: Path | undefined): Path | undefined {
  if (path === undefined) return undefined;
  const prev = withoutIndexes(path.prev);
  return typeof path.key === 'number' ? prev : { ...path, prev };
}

/** The value of a batched field of one object. Thousands of values wait at the same time, so each creates its position only when needed. */
export class BatchedValue extends Late {
  readonly field: PlannedField;
  readonly source: unknown;
  readonly #parent: Position | undefined;
  #position: FieldRun | undefined = undefined;

  constructor(run: Run, field: PlannedField, source: unknown, parent: Position | undefined) {
    super(run);
    this.field = field;
    this.source = source;
    this.#parent = parent;
  }

  get position(): FieldRun {
    return (this.#position ??= startField(this.run, this.field, this.#parent));
  }

  /** Takes its value from the result of a call, which may be a proxy. */
  takeFrom(values: readonly unknown[], at: number): void {
    let value: unknown;
    try {
      value = values[at];
    } catch (error) {
      this.refuse(error);
      return;
    }
    this.arrive(value);
  }

  takeError(error: unknown): void {
    this.refuse(error);
  }

  protected complete(value: unknown): unknown {
    const { run } = this;
    const { shape } = this.field;
    const plain = plainValue(shape.plain, value);
    if (plain !== undefined) {
      run.budget.growByLeaf(plain);
      return plain;
    }
    if ((value === null || value === undefined) && !shape.nonNull) return null;
    return isPromiseLike(value) ? new PromisedValue(this.position, value) : completeValue(this.position, value);
  }
}

/**
 * Calls back when the microtasks of this turn have drained. On Node a callback of `nextTick` that a microtask has scheduled runs after
 * all other microtasks (1 us). Where a platform has neither of the first two functions, as Workers without Node's compatibility,
 * it is the next timer.
 */
async function afterMicrotasks(callback: () => void): Promise<void> {
  await undefined;
  const { process, setImmediate } = globalThis as Partial<Pick<typeof globalThis, 'process' | 'setImmediate'>>;
  if (process?.nextTick !== undefined) process.nextTick(callback);
  else if (setImmediate === undefined) setTimeout(callback, 0);
  else setImmediate(callback);
}
