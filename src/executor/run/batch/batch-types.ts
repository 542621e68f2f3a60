import type { BatchMark } from '../../batch-mark.ts';
import type { Pending } from '../pending.ts';
import type { PlannedField, Position } from '../../plan/planned-field.ts';
import type { Run } from '../run.ts';

/** Runs batched fields. */
export interface BatchRunner {
  /** Registers one object's field for the next call. */
  startField(run: Run, field: PlannedField, source: unknown, parent: Position | undefined, mark: BatchMark): Pending;
}

export function runnerOf({ runner }: BatchMark): BatchRunner {
  return runner as BatchRunner;
}
