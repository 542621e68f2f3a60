import { abandon } from './promises.ts';
import { nullOrThrow } from './complete/errors.ts';
import { startField } from './field-run.ts';
import { executeField, executeTracedField } from './fields.ts';
import { Pending, PendingContainer } from './pending.ts';
import type { PlannedField, Selection } from './plan/planned-field.ts';
import type { ResultObject } from './plan/result-classes.ts';
import type { Run } from './run.ts';

/** Runs the root fields of a mutation: each begins when the one before has ended. */
export function executeSerially(run: Run, selection: Selection, source: unknown): unknown {
  const series = new Series(run, selection, source);
  return series.proceed() ? series.result : series;
}

class Series extends PendingContainer {
  readonly #selection: Selection;
  readonly #source: unknown;
  #next = 0;
  #hasWaited = false;

  constructor(run: Run, selection: Selection, source: unknown) {
    super(run, selection.createResult(), 0);
    this.#selection = selection;
    this.#source = source;
  }

  /** Runs fields until one is asynchronous (false), or none is left (true). */
  proceed(): boolean {
    const { fields } = this.#selection;
    while (this.#next < fields.length) {
      const field = fields[this.#next++]!;
      const value = this.#execute(field);
      if (value instanceof Pending) {
        this.#waitFor(value, field.responseName, fields.length - this.#next);
        return false;
      }
      (this.result as ResultObject)[field.responseName] = value;
    }
    return true;
  }

  /** Of a mutation nothing more may happen when the time is up: its client is told that it did not. */
  #execute(field: PlannedField): unknown {
    const { run } = this;
    if (run.timeIsUp === undefined || field.typename !== undefined) {
      return (run.fieldTracer === undefined ? executeField : executeTracedField)(run, field, this.#source, undefined);
    }
    const fieldRun = startField(run, field, undefined);
    return nullOrThrow(fieldRun, run.timeIsUp);
  }

  /** In graphql-js the fields still to come are a chain of promises already, through which an error passes. */
  #waitFor(value: Pending, key: string, remaining: number): void {
    this.lag = 2 + remaining + (this.#hasWaited ? 1 : 0);
    this.#hasWaited = true;
    this.waitFor(value, key);
  }

  override fill(key: string | number, value: unknown): void {
    this.result[key] = value;
    try {
      if (this.proceed()) this.deliver(this.result);
    } catch (error) {
      abandon(this.#source);
      this.lag = 0;
      this.childFailed(error, key);
    }
  }
}
