import { GraphQLError } from 'graphql';

import { completeAsyncIterable, isAsyncIterable } from './async-lists.ts';
import { isGraphQL17 } from '../graphql-js/installed.ts';
import { completeItem, completeRow } from './items.ts';
import { notPlain } from './leaf.ts';
import { ObjectShape } from './objects.ts';
import type { Path } from '../path.ts';
import { listLag, Pending, PendingContainer, placed } from '../pending.ts';
import type { PlannedField, Shape } from '../plan/planned-field.ts';
import { abandon } from '../promises.ts';
import { rowsOf } from './rows.ts';
import type { Rows } from './rows.ts';
import type { Run } from '../run.ts';

/** Lists: arrays and everything else that can be iterated. */
export class ListShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #item: Shape;

  constructor(item: Shape, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#item = item;
  }

  complete(run: Run, field: PlannedField, value: unknown, path: Path): unknown {
    if (isGraphQL17 && !Array.isArray(value) && isAsyncIterable(value)) {
      return placed(completeAsyncIterable(run, field, this.#item, value, path), field, this, path);
    }
    if (!isIterable(value)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${field.parentType.name}.${field.fieldName}".`);
    }
    return placed(completeItems(run, field, this.#item, value, path), field, this, path);
  }
}

/** A string can be iterated too, but is not meant as a list. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === 'function';
}

/** The code for whole rows, if there is some: every item of an array is a row, when its type asks for nothing first. */
function rowsFor(run: Run, field: PlannedField, shape: Shape, items: Iterable<unknown>, path: Path): Rows | undefined {
  const selection = Array.isArray(items) && shape instanceof ObjectShape ? shape.selectionFor(field) : undefined;
  return selection && rowsOf(run, selection, (items as unknown[]).length, path);
}

function completeItems(run: Run, field: PlannedField, shape: Shape, items: Iterable<unknown>, path: Path): unknown {
  const result: unknown[] = [];
  const rows = rowsFor(run, field, shape, items, path);
  let pending: PendingContainer | undefined;
  try {
    for (const item of items) {
      const index = result.length;
      const value =
        rows === undefined ? completeItem(run, field, shape, item, path, index) : completeRow(run, field, shape, item, path, index, rows);
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result, listLag);
        pending.waitFor(value, index);
      } else {
        result.push(value);
      }
    }
  } catch (error) {
    if (pending !== undefined) pending.nulled = true;
    // The promises behind the item that failed exist already. A generator has been closed and makes no more.
    abandon(items);
    throw error;
  }
  if (pending === undefined) return result;
  pending.filled();
  return pending;
}
