import { abandon } from '../abandon.ts';
import { nullError } from './errors.ts';
import type { Path } from '../path.ts';
import type { FieldRun, Shape } from '../plan/planned-field.ts';

/** Completes a value that is not a promise: what holds for every type, then what its shape says. Throws errors not yet located. */
export function completeValue(fieldRun: FieldRun, shape: Shape, value: unknown, path: Path): unknown {
  if (value === null || value === undefined) {
    if (shape.nonNull) throw nullError(fieldRun.field);
    return null;
  }
  if (value instanceof Error) throw value;
  try {
    return shape.complete(fieldRun, value, path);
  } catch (error) {
    abandon(value);
    throw error;
  }
}
