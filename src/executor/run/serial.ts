import { handleRejections } from './unhandled-rejections.ts';
import { nullOrThrow } from './errors.ts';
import { startField } from './field-run.ts';
import { executeField } from './fields.ts';
import { Pending, PendingContainer } from './pending.ts';
import type { PlannedField, Selection } from '../plan/planned-field.ts';
import type { ResultObject } from '../plan/result-classes.ts';
import type { Run } from './run.ts';

/** Runs the root fields of a mutation one after another. */
export function executeSerially(run: Run, selection: Selection, source: unknown): unknown {
  // Validation forbids @defer in a mutation's root.
  const series = new Series(run, selection.deferral?.whole ?? selection, source);
  return series.proceed() ? series.result : series;
}

class Series extends PendingContainer {
  readonly #selection: Selection;
  readonly #source: unknown;
  #next = 0;

  constructor(run: Run, selection: Selection, source: unknown) {
    super(run, new selection.Result(), undefined);
    this.#selection = selection;
    this.#source = source;
  }

  /** Runs fields until one is asynchronous (false) or none is left (true). */
  proceed(): boolean {
    const { fields } = this.#selection;
    while (this.#next < fields.length) {
      const field = fields[this.#next++]!;
      const value = this.#execute(field);
      if (value instanceof Pending) {
        this.waitFor(value, field.responseName);
        return false;
      }
      (this.result as ResultObject)[field.responseName] = value;
    }
    return true;
  }

  /** After a cancellation the remaining fields fail. */
  #execute(field: PlannedField): unknown {
    const { run } = this;
    if (run.root.cancelReason === undefined || field.typename !== undefined) return executeField(run, field, this.#source, undefined);
    return nullOrThrow(startField(run, field, undefined), run.root.cancelReason);
  }

  override filled(): void {
    try {
      if (this.proceed()) this.deliver(this.result);
    } catch (error) {
      handleRejections(this.#source);
      this.fail(error);
    }
  }
}
