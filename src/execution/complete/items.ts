import { completeValue } from './complete.ts';
import { nullOrThrow } from './errors.ts';
import type { FieldRun } from '../field-run.ts';
import { plainValue } from './leaf.ts';
import { addPath } from '../path.ts';
import type { Path } from '../path.ts';
import { Pending, placed, PromisedValue } from '../pending.ts';
import type { Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';
import type { Rows } from './rows.ts';

/** A list whose items are being completed. */
export interface ListRun {
  readonly fieldRun: FieldRun;
  /** The shape of each item. */
  readonly item: Shape;
  /** The list's own path. */
  readonly path: Path;
}

/** Completes one item of a list: a value or a Pending; an error becomes null, or is thrown, located, where null is not allowed. */
export function completeItem(list: ListRun, item: unknown, index: number): unknown {
  const { fieldRun, item: shape } = list;
  const plain = plainValue(shape.plain, item);
  if (plain !== undefined) return plain;
  const path = addPath(list.path, index, undefined);
  try {
    if (isThenable(item)) return new PromisedValue({ fieldRun, shape, path }, item);
    return completeValue(fieldRun, shape, item, path);
  } catch (error) {
    return nullOrThrow(fieldRun, shape, error, path);
  }
}

/** The same for an item of a list whose objects are made by code for whole rows. */
export function completeRow(rows: Rows, item: unknown, index: number): unknown {
  const { list } = rows;
  const { fieldRun, item: shape } = list;
  try {
    if (!isPlainObject(item)) return completeItem(list, item, index);
    const row = rows.make(item, index);
    return row instanceof Pending ? placed(row, fieldRun, shape, addPath(list.path, index, undefined)) : row;
  } catch (error) {
    return nullOrThrow(fieldRun, shape, error, addPath(list.path, index, undefined));
  }
}

/** Neither null, nor a promise, nor an Error: what has a meaning of its own for a list. */
function isPlainObject(item: unknown): item is object {
  return typeof item === 'object' && item !== null && typeof (item as { then?: unknown }).then !== 'function' && !(item instanceof Error);
}
