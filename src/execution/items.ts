import { completeValue } from './complete.ts';
import { nullOrThrow } from './errors.ts';
import { plainValue } from './leaf.ts';
import { addPath } from './path.ts';
import type { Path } from './path.ts';
import { PromisedValue } from './pending.ts';
import type { PlannedField, Shape } from './planned-field.ts';
import { isThenable } from './promises.ts';
import type { Run } from './run.ts';

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
