import { AbstractShape, RowsByType } from './abstract-types.ts';
import { completeAsyncIterable, isAsyncIterable } from './async-lists.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { explain, misfit } from '../errors.ts';
import { completeItem, ListRun } from './items.ts';
import { isNumber, sizeOfItem } from './leaf.ts';
import { Pending, PendingContainer, placed } from '../pending.ts';
import { selectionBelow, Shape } from '../../plan/planned-field.ts';
import { sizeOfRead } from '../../costs.ts';
import type { Position } from '../../plan/planned-field.ts';
import type { Run } from '../run.ts';
import { noBatches, rowsOf } from '../rows/rows.ts';
import type { Rows } from '../rows/rows.ts';

/** Lists: arrays and other iterables. */
export class ListShape extends Shape {
  readonly #item: Shape;

  constructor(item: Shape, nonNull: boolean) {
    super(nonNull);
    this.#item = item;
  }

  complete(position: Position, value: unknown): unknown {
    const { fieldRun } = position;
    const streaming = position === fieldRun ? fieldRun.field.parts?.stream : undefined;
    if (streaming !== undefined && isList(value, fieldRun.run)) return streaming.complete(position, this.#item, value);
    const list = new ListRun(position, this.#item);
    if (!Array.isArray(value) && takesAsyncIterables(fieldRun.run) && isAsyncIterable(value))
      return placed(completeAsyncIterable(list, value), position);
    if (!isIterable(value)) {
      const { field } = fieldRun;
      const message = `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.fieldName}".`;
      throw misfit(message + explain(position, { value }));
    }
    return placed(completeItems(list, value), position);
  }
}

function isList(value: unknown, run: Run): value is Iterable<unknown> | AsyncIterable<unknown> {
  return isIterable(value) || (takesAsyncIterables(run) && isAsyncIterable(value as object));
}

/** True if lists may be asynchronous iterables: always in graphql 17, and in 16 only if the response may have several parts. */
function takesAsyncIterables({ settings }: Run): boolean {
  return isGraphQL17 || settings.takesAsyncIterables === true;
}

/** Strings do not count as lists. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === 'function';
}

/** The row builder for the objects of a list, if there is one. */
export function rowsFor(list: ListRun, length: number): Rows | RowsByType | undefined {
  const { fieldRun, item } = list;
  if (item instanceof AbstractShape) return new RowsByType(list, item);
  const selection = selectionBelow(fieldRun.field, item);
  return selection && rowsOf(list, selection, { count: length, check: item.typeCheck?.() });
}

/**
 * Characters counted for an array. They exceed the JSON of a small array, which also takes time and memory: matrices under 3,600
 * aliases in rows took a second and 240 MiB before they were 6 MiB.
 */
function sizeOf({ item, fieldRun }: ListRun, length: number): number {
  return (fieldRun.field.isAliased ? 24 : 16) + length * sizeOfItem(item.plain);
}

/** Creates an array of this length, because one that grows from empty has room for 17. (V8 fills arrays of numbers faster if they start empty.) */
function emptyFor(length: number): unknown[] {
  // oxlint-disable-next-line unicorn/no-new-array -- the length is the point
  return length < 17 ? new Array<unknown>(length) : [];
}

/** Completes the items of an iterable. */
export function completeItems(list: ListRun, items: Iterable<unknown>): unknown {
  const { run } = list.fieldRun;
  const isArray = Array.isArray(items);
  if (isArray) run.budget.grow(sizeOf(list, items.length));
  const result = isArray && !isNumber(list.item.plain) ? emptyFor(items.length) : [];
  let index = 0;
  const rows = isArray ? rowsFor(list, items.length) : undefined;
  let pending: PendingContainer | undefined;
  try {
    for (const item of items) {
      if (!isArray) run.budget.grow(sizeOfRead);
      const value = rows === undefined ? completeItem(list, item, index) : rows.complete(item, index);
      const within = rows?.takePending();
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result);
        pending.waitFor(value, index);
      } else if (index < result.length) {
        result[index] = value;
      } else {
        result.push(value);
      }
      if (within !== undefined) {
        pending ??= new PendingContainer(run, result);
        pending.waitWithin(value as object, within);
      }
      index++;
    }
    for (const batched of rows?.takeBatchedRows() ?? noBatches) batched.startIn(list, (pending ??= new PendingContainer(run, result)));
    // A resolver may have removed items meanwhile.
    if (index < result.length) result.length = index;
  } catch (error) {
    if (pending !== undefined) pending.failed = true;
    throw error;
  }
  if (pending === undefined) return result;
  pending.filled();
  return pending;
}
