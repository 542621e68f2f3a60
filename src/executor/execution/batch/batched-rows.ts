import { isPromiseLike } from '../../../shared/index.ts';
import { completeValue } from '../complete/errors.ts';
import type { ListRun } from '../complete/items.ts';
import { plainValue } from '../complete/leaf.ts';
import { canBeRow, rowsBelow } from '../complete/rows.ts';
import type { Rows } from '../complete/rows.ts';
import { batchOfField } from '../fields.ts';
import { startField } from '../field-run.ts';
import { Pending, PendingContainer, PromisedValue } from '../pending.ts';
import type { FieldRun, PlannedField } from '../plan/planned-field.ts';
import type { ResultObject } from '../plan/result-classes.ts';
import { abandon } from '../promises.ts';
import type { CollectedRows } from './batch-runner.ts';
import { BatchedValue, openBatchesOf } from './open-batches.ts';
import type { BatchReceiver, BatchSlice } from './open-batches.ts';

/**
 * The objects of a list whose batched fields are all that is missing. They share one entry in the list's container for each field; a row
 * gets a container only if its value is an error or pending itself.
 */
export class BatchedRows implements CollectedRows {
  readonly list: ListRun;
  readonly sources: object[] = [];
  readonly rows: ResultObject[] = [];
  /** Of each row in the list. */
  readonly indexes: number[] = [];
  readonly #fields: readonly PlannedField[];

  constructor(list: ListRun, fields: readonly PlannedField[]) {
    this.list = list;
    this.#fields = fields;
  }

  add(source: object, row: ResultObject, index: number): void {
    this.sources.push(source);
    this.rows.push(row);
    this.indexes.push(index);
  }

  startIn(container: PendingContainer): void {
    const open = openBatchesOf(container.run);
    for (const field of this.#fields) {
      const column = new BatchedColumn(this, field, container);
      container.waitWithin({ column }, [column]);
      open.ofField(field, batchOfField(field)!).add(column);
    }
  }

  /** Those for which the test is true. */
  filter(test: (at: number) => boolean): BatchedRows {
    const kept = new BatchedRows(this.list, this.#fields);
    for (let at = 0; at < this.rows.length; at++) if (test(at)) kept.add(this.sources[at]!, this.rows[at]!, this.indexes[at]!);
    return kept;
  }
}

/** One batched field of these objects. Until its value arrives, it is undefined in a row. */
class BatchedColumn extends Pending implements BatchReceiver {
  #objects: BatchedRows;
  readonly #field: PlannedField;
  readonly #container: PendingContainer;
  readonly #below: Rows | null;
  #missing: number;
  /** The row whose value is being completed. */
  #current = 0;

  constructor(objects: BatchedRows, field: PlannedField, container: PendingContainer) {
    super(container.run);
    this.key = 'column';
    this.#objects = objects;
    this.#field = field;
    this.#container = container;
    this.#missing = objects.rows.length;
    this.#below = rowsBelow(this.run, field, this.#missing, () => this.#fieldRunAt(this.#current));
  }

  get fieldRun(): FieldRun {
    return this.#fieldRunAt(0);
  }

  takeParents(): readonly unknown[] {
    if (this.isOver()) return [];
    const { rows } = this.#objects;
    if (!rows.every((_, at) => this.#isInAnswer(at))) this.#objects = this.#objects.filter((at) => this.#isInAnswer(at));
    this.#settle(rows.length - this.#objects.rows.length);
    return this.#objects.sources;
  }

  takeValues(values: readonly unknown[], { start, end, offset }: BatchSlice): void {
    for (let at = start; at < end; at++) {
      const value = values[offset + at - start];
      if (this.#isMissing(at)) this.#put(at, value);
      else abandon(value);
    }
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

  /** False when the value has been canceled, or when the row or something around it has become null. */
  #isMissing(at: number): boolean {
    return this.#objects.rows[at]![this.#field.responseName] === undefined && this.#isInAnswer(at);
  }

  #isInAnswer(at: number): boolean {
    const item = this.#itemAt(at);
    return (item === this.#objects.rows[at] || item instanceof PendingContainer) && !this.isOver();
  }

  #itemAt(at: number): unknown {
    return this.#container.result[this.#objects.indexes[at]!];
  }

  #fieldRunAt(at: number): FieldRun {
    const { list, indexes } = this.#objects;
    return startField(this.run, this.#field, list.at(indexes[at]!).path);
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

  /** Throws errors not yet located. */
  #complete(at: number, value: unknown): unknown {
    const { shape, isAliased } = this.#field;
    const plain = plainValue(shape.plain, value);
    if (plain !== undefined) {
      this.run.growByLeaf(plain, isAliased);
      return plain;
    }
    if ((value === null || value === undefined) && !shape.nonNull) return null;
    if (this.#below !== null && canBeRow(value)) {
      this.#current = at;
      return this.#below.make(value);
    }
    const fieldRun = this.#fieldRunAt(at);
    return isPromiseLike(value) ? new PromisedValue(fieldRun, value) : completeValue(fieldRun, value);
  }

  #fail(at: number, error: unknown): void {
    const { list, indexes, sources } = this.#objects;
    const value = new BatchedValue(this.run, this.#field, { source: sources[at], path: list.at(indexes[at]!).path });
    this.#waitInRow(at, value);
    value.fail(error);
  }

  /** Gives the row a container, which waits for a value. */
  #waitInRow(at: number, value: Pending): void {
    const { list, indexes, rows } = this.#objects;
    const known = this.#itemAt(at);
    if (known instanceof PendingContainer) {
      known.waitFor(value, this.#field.responseName);
      return;
    }
    const container = new PendingContainer(this.run, rows[at]!);
    container.position = list.at(indexes[at]!);
    container.waitFor(value, this.#field.responseName);
    this.#container.waitFor(container, indexes[at]!);
    container.filled();
  }

  #settle(count: number): void {
    if (this.#missing === 0) return;
    this.#missing -= count;
    if (this.#missing === 0) this.deliver(undefined);
  }
}
