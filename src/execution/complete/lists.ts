import { GraphQLError } from 'graphql';

import { AbstractShape, RowsByType } from './abstract-types.ts';
import { completeAsyncIterable, isAsyncIterable } from './async-lists.ts';
import { isGraphQL17 } from '../graphql-js/version.ts';
import { completeItem, ListRun } from './items.ts';
import { notPlain } from './leaf.ts';
import { listLag, Pending, PendingContainer, placed } from '../pending.ts';
import { selectionBelow, sizeOfRead } from '../plan/planned-field.ts';
import type { Position, Shape } from '../plan/planned-field.ts';
import { drainedWhenLeft } from '../promises.ts';
import { completeRow, rowsOf } from './rows.ts';
import type { Rows } from './rows.ts';

/** Lists: arrays and everything else that can be iterated. */
export class ListShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #item: Shape;

  constructor(item: Shape, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#item = item;
  }

  complete(position: Position, value: unknown): unknown {
    const list = new ListRun(position, this.#item);
    if (isGraphQL17 && !Array.isArray(value) && isAsyncIterable(value)) return placed(completeAsyncIterable(list, value), position);
    if (!isIterable(value)) {
      const { field } = position.fieldRun;
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${field.parentType.name}.${field.fieldName}".`);
    }
    return placed(completeItems(list, value), position);
  }
}

/** A string can be iterated too, but is not meant as a list. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === 'function';
}

/** The code for whole rows, if there is some: every item of an array is a row, when its type asks for nothing first. */
function rowsFor(list: ListRun, items: Iterable<unknown>): Rows | RowsByType | undefined {
  const { fieldRun, item } = list;
  if (!Array.isArray(items)) return undefined;
  if (item instanceof AbstractShape) return new RowsByType(list, item);
  const selection = selectionBelow(fieldRun.field, item);
  return selection && rowsOf(list, selection, items.length);
}

function completeItems(list: ListRun, items: Iterable<unknown>): unknown {
  const { run } = list.fieldRun;
  const isArray = Array.isArray(items);
  if (isArray) run.grow(items.length);
  const result: unknown[] = [];
  const rows = rowsFor(list, items);
  let pending: PendingContainer | undefined;
  try {
    for (const item of isArray ? (items as unknown[]) : drainedWhenLeft(items)) {
      const index = result.length;
      if (!isArray) run.grow(sizeOfRead);
      const value =
        rows === undefined
          ? completeItem(list, item, index)
          : rows instanceof RowsByType
            ? rows.complete(item, index)
            : completeRow(list, rows, item, index);
      const within = rows?.takePending();
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result, listLag);
        pending.waitFor(value, index);
      } else {
        result.push(value);
      }
      if (within !== undefined) {
        pending ??= new PendingContainer(run, result, listLag);
        pending.waitWithin(value as object, within);
      }
    }
  } catch (error) {
    if (pending !== undefined) pending.nulled = true;
    throw error;
  }
  if (pending === undefined) return result;
  pending.filled();
  return pending;
}
