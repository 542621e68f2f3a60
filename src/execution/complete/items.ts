import { completeValue } from './complete.ts';
import { nullOrThrow } from './errors.ts';
import { plainValue } from './leaf.ts';
import { addPath } from '../path.ts';
import type { Path } from '../path.ts';
import { Pending, placed, PromisedValue } from '../pending.ts';
import type { PlannedField, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';
import type { Rows } from './rows.ts';
import type { Run } from '../run.ts';

/** Completes one item of a list: a value or a Pending; an error becomes null, or is thrown, located, where null is not allowed. */
export function completeItem(run: Run, field: PlannedField, shape: Shape, item: unknown, listPath: Path, index: number): unknown {
  const plain = plainValue(shape.plain, item);
  if (plain !== undefined) return plain;
  const path = addPath(listPath, index, undefined);
  try {
    if (isThenable(item)) return new PromisedValue(run, field, shape, path, item);
    return completeValue(run, field, shape, item, path);
  } catch (error) {
    return nullOrThrow(run, field, shape, error, path);
  }
}

/** The same for an item of a list whose objects are made by code for whole rows. */
export function completeRow(
  run: Run,
  field: PlannedField,
  shape: Shape,
  item: unknown,
  listPath: Path,
  index: number,
  rows: Rows,
): unknown {
  try {
    if (!isPlainObject(item)) return completeItem(run, field, shape, item, listPath, index);
    const row = rows.make(item, index);
    return row instanceof Pending ? placed(row, field, shape, addPath(listPath, index, undefined)) : row;
  } catch (error) {
    return nullOrThrow(run, field, shape, error, addPath(listPath, index, undefined));
  }
}

/** Neither null, nor a promise, nor an Error: what has a meaning of its own for a list. */
function isPlainObject(item: unknown): item is object {
  return typeof item === 'object' && item !== null && typeof (item as { then?: unknown }).then !== 'function' && !(item instanceof Error);
}
