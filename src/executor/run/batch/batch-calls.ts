import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';

import { describe, isPromiseLike } from '../../../shared/index.ts';
import type { BatchFunction, BatchMark } from '../../../shared/index.ts';
import { completeValue } from '../errors.ts';
import { startField } from '../field-run.ts';
import { Late, PromisedValue } from '../pending.ts';
import { FieldCall } from '../observed-call.ts';
import type { FieldRun, PlannedField } from '../../plan/planned-field.ts';
import type { Path } from '../../plan/path.ts';
import { handleRejections } from '../unhandled-rejections.ts';
import type { Batches, Run } from '../run.ts';
import { allArguments, resolverCall } from '../visible-arguments.ts';
import type { BatchedParent } from './batch-types.ts';

/** Waits for values of a batched field: that of one object, or those of a list's objects. */
export interface BatchReceiver {
  /** True when no value is needed any more. */
  isOver(): boolean;
  /** The parents whose values are still needed; no others arrive. */
  takeParents(): readonly unknown[];
  /** Takes the values of its parents from `start` to before `end`, which begin at `offset` in the result of a call. */
  takeValues(values: readonly unknown[], slice: BatchSlice): void;
  /** The call has failed. */
  takeError(error: unknown, slice: BatchSlice): void;
  /** The field as it runs for the first of its parents. */
  readonly fieldRun: FieldRun;
}

export interface BatchSlice {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

/**
 * The calls of batched fields that a run has not made yet, one for each field of the plan.
 *
 * They are made when the synchronous pass ends, if the run waits for nothing else. Otherwise when the microtasks of the turn have
 * drained: objects whose promises settle in one turn share a call, and a slow sibling delays none.
 */
export class OpenBatches implements Batches {
  readonly #run: Run;
  #open = new Map<PlannedField, OpenBatch>();
  /** True while a call is certain to be made: during the first pass, and when the end of the turn is awaited. */
  #isExpected: boolean;

  constructor(run: Run) {
    this.#run = run;
    this.#isExpected = run.part.onFinish === undefined && !run.finished;
  }

  /** The next call of a field. */
  ofField(field: PlannedField, mark: BatchMark): OpenBatch {
    let batch = this.#open.get(field);
    if (batch === undefined) this.#open.set(field, (batch = new OpenBatch(this.#run, field, mark)));
    if (!this.#isExpected) this.#callAfterTurn();
    return batch;
  }

  finishFirstPass(): ExecutionResult | undefined {
    const run = this.#run;
    let result: ExecutionResult | undefined;
    run.part.onFinish = (data) => (result = run.resultOf(data));
    run.onEnd = () => run.finish(null);
    while (this.#open.size > 0 && !run.awaitsPromises) this.#call();
    run.part.onFinish = undefined;
    run.onEnd = undefined;
    if (this.#open.size > 0) this.#callAfterTurn();
    else this.#isExpected = false;
    return result;
  }

  #callAfterTurn(): void {
    this.#isExpected = true;
    void afterMicrotasks(() => {
      this.#isExpected = false;
      this.#call();
    });
  }

  #call(): void {
    const batches = this.#open;
    this.#open = new Map();
    for (const batch of batches.values()) batch.call();
  }
}

export function openBatchesOf(run: Run): OpenBatches {
  return (run.root.batches ??= new OpenBatches(run.root)) as OpenBatches;
}

/** One field of the plan, with the objects that wait for it. */
class OpenBatch {
  readonly #run: Run;
  readonly #field: PlannedField;
  readonly #mark: BatchMark;
  readonly #receivers: BatchReceiver[] = [];

  constructor(run: Run, field: PlannedField, mark: BatchMark) {
    this.#run = run;
    this.#field = field;
    this.#mark = mark;
  }

  add(receiver: BatchReceiver): void {
    this.#receivers.push(receiver);
  }

  /** Calls the function once for every `maxSize` parents. A call that ends the run, or fails what is around its parents, is the last one. */
  call(): void {
    const { maxSize } = this.#mark;
    let parts: Part[] = [];
    let parents: unknown[] = [];
    for (const receiver of this.#receivers) {
      const given = receiver.takeParents();
      for (let start = 0; start < given.length && !receiver.isOver();) {
        const end = Math.min(given.length, start + maxSize - parents.length);
        parts.push({ receiver, start, end, offset: parents.length });
        for (let at = start; at < end; at++) parents.push(given[at]);
        start = end;
        if (parents.length < maxSize) continue;
        this.#make(parts, parents);
        [parts, parents] = [[], []];
      }
    }
    if (parts.length > 0) this.#make(parts, parents);
  }

  #make(parts: readonly Part[], parents: readonly unknown[]): void {
    new BatchCall(this.#run, this.#field, parts).make(this.#mark.call, parents);
  }
}

interface Part extends BatchSlice {
  readonly receiver: BatchReceiver;
}

/** One call of a batched resolver. */
class BatchCall {
  readonly #run: Run;
  readonly #field: PlannedField;
  readonly #parts: readonly Part[];

  constructor(run: Run, field: PlannedField, parts: readonly Part[]) {
    this.#run = run;
    this.#field = field;
    this.#parts = parts;
  }

  make(call: BatchFunction, parents: readonly unknown[]): void {
    // The function may change the list.
    const count = parents.length;
    try {
      const values = this.#resolve(call, parents);
      if (isPromiseLike(values)) this.#await(values, count);
      else this.#arrive(values, count);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #resolve(call: BatchFunction, parents: readonly unknown[]): unknown {
    const run = this.#run;
    // The path of a call is that of the selection, without the indexes of lists.
    const path = withoutIndexes(this.#parts[0]!.receiver.fieldRun.path.prev);
    const observed = new FieldCall(run, this.#field, { source: parents, path, parents: parents.length });
    const { args } = observed;
    const seesInfo = resolverCall(call).visible === allArguments;
    const resolve = (): unknown => call(parents, args, run.contextValue, seesInfo ? observed.info : (undefined as never));
    return run.fieldObserver === undefined ? resolve() : run.fieldObserver.field(observed, resolve);
  }

  #await(values: PromiseLike<unknown>, count: number): void {
    this.#run.root.awaitsPromises = true;
    void Promise.resolve(values).then(
      (settled) => this.#arrive(settled, count),
      (error: unknown) => this.#refuse(error),
    );
  }

  #arrive(values: unknown, count: number): void {
    let list: readonly unknown[];
    try {
      list = assertValues(values, count, this.#field);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    for (const part of this.#parts) part.receiver.takeValues(list, part);
  }

  #refuse(error: unknown): void {
    this.#run.budget.shareError(error, () => {
      for (const part of this.#parts) part.receiver.takeError(error, part);
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

/** The value of a batched field of one object. */
export class BatchedValue extends Late implements BatchReceiver {
  readonly #parents: readonly unknown[];

  constructor(run: Run, field: PlannedField, { source, path }: Pick<BatchedParent, 'source' | 'path'>) {
    super(run, startField(run, field, path));
    this.#parents = [source];
  }

  get fieldRun(): FieldRun {
    return this.position.fieldRun;
  }

  takeParents(): readonly unknown[] {
    return this.isOver() ? [] : this.#parents;
  }

  takeValues(values: readonly unknown[], { offset }: BatchSlice): void {
    let value: unknown;
    try {
      value = values[offset];
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
