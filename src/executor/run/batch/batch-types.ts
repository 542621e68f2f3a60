import type { BatchMark } from '../../../shared/index.ts';
import type { ListRun } from '../shapes/items.ts';
import type { Pending, PendingContainer } from '../pending.ts';
import type { Path } from '../../plan/path.ts';
import type { PlannedField } from '../../plan/planned-field.ts';
import type { ResultObject } from '../../plan/result-classes.ts';
import type { Run } from '../run.ts';

/** Runs batched fields. */
export interface BatchRunner {
  /** The copy of this package that the runner belongs to. */
  readonly copy: object;
  /** Registers one object's field for the next call. */
  startField(run: Run, field: PlannedField, parent: BatchedParent): Pending;
  /** Collects objects of one selection, to register these fields for all of them. */
  collectRows(fields: readonly PlannedField[]): CollectedRows;
}

/** An object with a batched field. */
export interface BatchedParent {
  readonly source: unknown;
  readonly path: Path | undefined;
  readonly mark: BatchMark;
}

/** Objects that are complete except for their batched fields. */
export interface CollectedRows {
  add(source: object, row: ResultObject, index: number): void;
  /** Registers the fields for their next calls. The objects are in a list, whose container waits for them. */
  startIn(list: ListRun, container: PendingContainer): void;
}

export function runnerOf({ runner }: BatchMark): BatchRunner {
  return runner as BatchRunner;
}
