import type { GraphQLResolveInfo } from 'graphql';

import { nullOrThrow } from '../errors.ts';
import { startField } from '../field-run.ts';
import { callMethod, completeResolved, executeField } from '../fields.ts';
import { argumentValues } from '../../plan/arguments.ts';
import type { FieldRun, Parent, Selection } from '../../plan/planned-field.ts';
import type { ResultObject } from '../../plan/result-classes.ts';
import { Pending, PendingContainer } from '../pending.ts';
import type { Run } from '../run.ts';
import { createRowBuilder } from './row-builder.ts';

/** Generated code that makes an object of a selection. `frame` completes the values that are not plain. */
export type BuildRow = (source: object, frame: Frame) => ResultObject;

/** Counts the objects of a selection, and generates code for it after many. True if there is code. */
export function hasCode({ settings, runsCode }: Run, selection: Selection): boolean {
  if (!runsCode) return false;
  if (selection.runs === Infinity || ++selection.runs < (settings.rowsBeforeCode ?? defaultRowsBeforeCode)) return false;
  // Code generation is tried only once, because it would fail again.
  selection.code = createRowBuilder(selection);
  selection.runs = Infinity;
  return selection.code !== undefined;
}

const defaultRowsBeforeCode = 1_000;

/** Makes an object by generated code, like the loop of executeFields. */
export function runCode(run: Run, selection: Selection, source: object, parent: Parent): unknown {
  const frame = run.frame ?? new Frame(run);
  // Objects below need frames of their own.
  run.frame = undefined;
  frame.enter(selection, source, parent);
  let row: ResultObject;
  try {
    row = selection.code!(source, frame);
  } catch (error) {
    frame.leave({}).failed = true;
    throw error;
  }
  run.frame = frame;
  return frame.isPending ? frame.leave(row) : row;
}

/** One object while generated code makes it, and then another. Fields are numbered as in the selection. */
export class Frame {
  readonly context: unknown;
  readonly #run: Run;
  #selection!: Selection;
  #source!: object;
  #parent!: Parent;
  #pending: Pending[] | undefined = undefined;

  constructor(run: Run) {
    this.context = run.contextValue;
    this.#run = run;
  }

  enter(selection: Selection, source: object, parent: Parent): void {
    this.#selection = selection;
    this.#source = source;
    this.#parent = parent;
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Returns the container of the pending values so far. */
  leave(row: object): PendingContainer {
    const container = new PendingContainer(this.#run, row);
    for (const value of this.#pending ?? []) container.adopt(value);
    this.#pending = undefined;
    return container;
  }

  /** Runs a field without generated code. */
  run(at: number): unknown {
    return this.#note(executeField(this.#run, this.#selection.fields[at]!, this.#source, this.#parent), at);
  }

  /** The arguments of a resolver. */
  values(at: number): Record<string, unknown> {
    return argumentValues(this.#selection.fields[at]!, this.#run);
  }

  start(at: number): FieldRun & { readonly info: GraphQLResolveInfo } {
    return startField(this.#run, this.#selection.fields[at]!, this.#parent);
  }

  /** Completes the value of a property. */
  property(at: number, value: unknown): unknown {
    if (typeof value !== 'function') return this.resolved(at, value);
    const fieldRun = this.start(at);
    let resolved: unknown;
    try {
      resolved = callMethod(fieldRun, this.#source);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
    return this.resolved(at, resolved, fieldRun);
  }

  /** Completes the result of a resolver. */
  resolved(at: number, value: unknown, fieldRun: FieldRun = this.start(at)): unknown {
    try {
      return this.#note(completeResolved(fieldRun, value, this.#source), at);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
  }

  /** Adds the size of the object, and the characters of its strings. */
  grow(characters: number): void {
    this.#run.budget.grow(this.#selection.size + characters);
  }

  /** Handles an error of a getter or a resolver. */
  fail(at: number, thrown: unknown): null {
    return nullOrThrow(this.start(at), thrown);
  }

  /** Registers a pending value, which the code stores in the row like any other. */
  #note(value: unknown, at: number): unknown {
    if (value instanceof Pending) {
      value.key = this.#selection.fields[at]!.responseName;
      (this.#pending ??= []).push(value);
    }
    return value;
  }
}
