import type { BatchMark } from '../../../shared/index.ts';
import type { Pending } from '../pending.ts';
import type { Parent, PlannedField } from '../../plan/planned-field.ts';
import type { Run } from '../run.ts';

/** Runs batched fields. */
export interface BatchRunner {
  /** The copy of this package that the runner belongs to. */
  readonly copy: object;
  /** Registers one object's field for the next call. */
  startField(run: Run, field: PlannedField, parent: BatchedParent): Pending;
}

/** An object with a batched field. */
export interface BatchedParent {
  readonly source: unknown;
  readonly parent: Parent | undefined;
  readonly mark: BatchMark;
}

export function runnerOf({ runner }: BatchMark): BatchRunner {
  return runner as BatchRunner;
}
