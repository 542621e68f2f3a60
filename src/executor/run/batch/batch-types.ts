import type { BatchMark } from '../../../shared/index.ts';
import type { Pending } from '../pending.ts';
import type { PlannedField, Position } from '../../plan/planned-field.ts';
import type { Run } from '../run.ts';

/** Runs batched fields. */
export interface BatchRunner {
  /** The copy of this package that the runner belongs to. */
  readonly copy: object;
  /** Registers one object's field for the next call. */
  startField(run: Run, field: PlannedField, source: unknown, parent: Position | undefined, mark: BatchMark): Pending;
}

export function runnerOf({ runner }: BatchMark): BatchRunner {
  return runner as BatchRunner;
}
