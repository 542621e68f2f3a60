import { completeValue, nullOrThrow } from './errors.ts';
import { plainValue } from './leaf.ts';
import { addPath } from '../plan/planned-field.ts';
import { PromisedValue } from '../pending.ts';
import type { FieldRun, Path, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';

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
  if (plain !== undefined) {
    if (typeof plain === 'string') fieldRun.run.growByLeaf(plain, fieldRun.field.isAliased);
    return plain;
  }
  const position = { fieldRun, shape, path: addPath(list.path, index, undefined) };
  try {
    if (isThenable(item)) return new PromisedValue(position, item);
    return completeValue(position, item);
  } catch (error) {
    return nullOrThrow(position, error);
  }
}
