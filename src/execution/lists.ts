import { GraphQLError } from 'graphql';

import { completeAsyncIterable, isAsyncIterable } from './async-lists.ts';
import { completeItem } from './items.ts';
import { isGraphQL17 } from './installed.ts';
import { notPlain } from './leaf.ts';
import type { Path } from './path.ts';
import { listLag, Pending, PendingContainer, placed } from './pending.ts';
import type { PlannedField, Shape } from './planned-field.ts';
import { abandon } from './promises.ts';
import type { Run } from './run.ts';

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

function completeItems(run: Run, field: PlannedField, shape: Shape, items: Iterable<unknown>, path: Path): unknown {
  const result: unknown[] = [];
  let pending: PendingContainer | undefined;
  try {
    for (const item of items) {
      const value = completeItem(run, field, shape, item, path, result.length);
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result, listLag);
        pending.waitFor(value, result.length);
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
