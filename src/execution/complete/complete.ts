import { nullError } from './errors.ts';
import type { Path } from '../path.ts';
import type { PlannedField, Shape } from '../plan/planned-field.ts';
import type { Run } from '../run.ts';

/** Completes a value that is not a promise: what holds for every type, then what its shape says. Throws errors not yet located. */
export function completeValue(run: Run, field: PlannedField, shape: Shape, value: unknown, path: Path): unknown {
  if (value === null || value === undefined) {
    if (shape.nonNull) throw nullError(field);
    return null;
  }
  if (value instanceof Error) throw value;
  return shape.complete(run, field, value, path);
}
