import { isPromiseLike } from '../../../shared/index.ts';
import { completeValue, locate } from '../errors.ts';
import type { ListRun } from '../shapes/items.ts';
import { plainValue } from '../shapes/leaf.ts';
import { canBeRow, noBatches, rowsBelow } from '../rows/rows.ts';
import type { Places, Rows } from '../rows/rows.ts';
import { batchOfField } from '../fields.ts';
import { startField } from '../field-run.ts';
import { Pending, PendingContainer, PromisedValue } from '../pending.ts';
import type { FieldRun, PlannedField } from '../../plan/planned-field.ts';
import type { ResultObject } from '../../plan/result-classes.ts';
import { handleRejections } from '../unhandled-rejections.ts';
import type { CollectedRows } from './batch-types.ts';
import { BatchedValue, openBatchesOf } from './batch-calls.ts';
import type { BatchReceiver, BatchSlice } from './batch-calls.ts';

/** The positions of objects: in a list, or each in a batched field of another object. */
interface RowOwner extends Places {
  /** The object at this place, or its container; something else when it has become null. */
  valueAt(index: number): unknown;
  /** Puts the container of an object in its place, and waits for it. */
  waitAt(index: number, object: PendingContainer): void;
}

/**
 * Objects whose batched fields are all that is missing. They share one entry in the container of their list for each field; an object gets
 * a container only if its value is an error or pending itself.
 */
export class BatchedRows implements CollectedRows {
  readonly sources: object[] = [];
  readonly rows: ResultObject[] = [];
  /** The index of each object in its owner. */
  readonly indexes: number[] = [];
  readonly #fields: readonly PlannedField[];

  constructor(fields: readonly PlannedField[]) {
    this.#fields = fields;
  }

  add(source: object, row: ResultObject, index: number): void {
    this.sources.push(source);
    this.rows.push(row);
    this.indexes.push(index);
  }

  startIn(list: ListRun, container: PendingContainer): void {
    this.start(container, {
      isList: true,
      at: (index) => list.at(index),
      valueAt: (index) => container.result[index],
      waitAt: (index, object) => container.waitFor(object, index),
    });
  }

  /** Registers the fields. `container` is that of the list around the objects. */
  start(container: PendingContainer, owner: RowOwner): void {
    const open = openBatchesOf(container.run);
    for (const field of this.#fields) {
      const column = new BatchedColumn(this, field, { container, owner });
      container.waitWithin({ column }, [column]);
      open.ofField(field, batchOfField(field)!).add(column);
    }
  }

  /** Returns the rows that pass the test. */
  filter(test: (at: number) => boolean): BatchedRows {
    const kept = new BatchedRows(this.#fields);
    for (let at = 0; at < this.rows.length; at++) if (test(at)) kept.add(this.sources[at]!, this.rows[at]!, this.indexes[at]!);
    return kept;
  }
}

/** One batched field of these objects, and the owner of the objects in it. Until its value arrives, it is undefined in a row. */
class BatchedColumn extends Pending implements BatchReceiver, RowOwner {
  readonly isList = true;
  #objects: BatchedRows;
  readonly #field: PlannedField;
  readonly #container: PendingContainer;
  readonly #owner: RowOwner;
  readonly #below: Rows | null;
  #missing: number;

  constructor(objects: BatchedRows, field: PlannedField, { container, owner }: { container: PendingContainer; owner: RowOwner }) {
    super(container.run);
    this.key = 'column';
    this.#objects = objects;
    this.#field = field;
    this.#container = container;
    this.#owner = owner;
    this.#missing = objects.rows.length;
    this.#below = rowsBelow(this.run, field, this.#missing, this);
  }

  get fieldRun(): FieldRun {
    return this.at(0);
  }

  takeParents(): readonly unknown[] {
    const { rows } = this.#objects;
    if (!rows.every((_, at) => this.#isInAnswer(at))) this.#objects = this.#objects.filter((at) => this.#isInAnswer(at));
    this.#settle(rows.length - this.#objects.rows.length);
    return this.#objects.sources;
  }

  takeValues(values: readonly unknown[], { start, end, offset }: BatchSlice): void {
    for (let at = start; at < end; at++) {
      try {
        const value = values[offset + at - start];
        if (this.#isMissing(at)) this.#put(at, value);
        else handleRejections(value);
      } catch (error) {
        // The list is a proxy, or the value has a getter.
        if (this.#isMissing(at)) this.#fail(at, error);
      }
    }
    for (const rows of this.#below?.takeBatchedRows() ?? noBatches) (rows as BatchedRows).start(this.#container, this);
    this.#settle(end - start);
  }

  takeError(error: unknown, { start, end }: BatchSlice): void {
    for (let at = start; at < end; at++) if (this.#isMissing(at)) this.#fail(at, error);
    this.#settle(end - start);
  }

  stopWaiting(reason: unknown): void {
    for (let at = 0; at < this.#objects.rows.length; at++) if (this.#isMissing(at)) this.#fail(at, reason);
    this.#settle(this.#missing);
  }

  /** False if the value has been canceled, or if the row or a position above it has become null. */
  #isMissing(at: number): boolean {
    return this.#objects.rows[at]![this.#field.responseName] === undefined && this.#isInAnswer(at);
  }

  #isInAnswer(at: number): boolean {
    const object = this.#owner.valueAt(this.#objects.indexes[at]!);
    return (object === this.#objects.rows[at] || object instanceof PendingContainer) && !this.isOver();
  }

  at(at: number): FieldRun {
    return startField(this.run, this.#field, this.#owner.at(this.#objects.indexes[at]!).path);
  }

  valueAt(at: number): unknown {
    return this.#isInAnswer(at) ? this.#objects.rows[at]![this.#field.responseName] : undefined;
  }

  waitAt(at: number, object: PendingContainer): void {
    this.#waitInRow(at, object);
  }

  #put(at: number, value: unknown): void {
    let completed: unknown;
    try {
      completed = this.#complete(at, value);
    } catch (error) {
      this.#fail(at, error);
      return;
    }
    if (completed instanceof Pending) this.#waitInRow(at, completed);
    else this.#objects.rows[at]![this.#field.responseName] = completed;
  }

  /** Completes the value for one row. Throws errors that are not yet located. */
  #complete(at: number, value: unknown): unknown {
    const { shape, isAliased } = this.#field;
    const plain = plainValue(shape.plain, value);
    if (plain !== undefined) {
      this.run.budget.growByLeaf(plain, isAliased);
      return plain;
    }
    if ((value === null || value === undefined) && !shape.nonNull) return null;
    if (this.#below !== null && canBeRow(value)) return this.#below.makeNth(value, at);
    const fieldRun = this.at(at);
    return isPromiseLike(value) ? new PromisedValue(fieldRun, value) : completeValue(fieldRun, value);
  }

  #fail(at: number, error: unknown): void {
    const { run } = this;
    const { shape, responseName } = this.#field;
    const { indexes, rows, sources } = this.#objects;
    if (!run.haltsOnError && !(shape.nonNull && run.propagates(error))) {
      run.record(locate(error, this.at(at)));
      rows[at]![responseName] = null;
      return;
    }
    const value = new BatchedValue(this.run, this.#field, { source: sources[at], path: this.#owner.at(indexes[at]!).path });
    this.#waitInRow(at, value);
    value.fail(error);
  }

  /** Gives the row a container, which waits for a value. */
  #waitInRow(at: number, value: Pending): void {
    const { indexes, rows } = this.#objects;
    const index = indexes[at]!;
    const known = this.#owner.valueAt(index);
    if (known instanceof PendingContainer) {
      known.waitFor(value, this.#field.responseName);
      return;
    }
    const container = new PendingContainer(this.run, rows[at]!);
    container.position = this.#owner.at(index);
    container.waitFor(value, this.#field.responseName);
    this.#owner.waitAt(index, container);
    container.filled();
  }

  #settle(count: number): void {
    if (this.#missing === 0) return;
    this.#missing -= count;
    if (this.#missing === 0) this.deliver(undefined);
  }
}
