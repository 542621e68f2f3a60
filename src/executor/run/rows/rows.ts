import { runnerOf } from '../batch/batch-types.ts';
import type { CollectedRows } from '../batch/batch-types.ts';
import type { ObjectRun } from '../object-log.ts';
import { handleRejections } from '../unhandled-rejections.ts';
import { nullOrThrow } from '../errors.ts';
import { startField } from '../field-run.ts';
import { batchOfField, callMethod, completeResolved, executeField, executeFields } from '../fields.ts';
import { completeItem, ListRun } from '../shapes/items.ts';
import { argumentValues } from '../../plan/arguments.ts';
import { selectionBelow } from '../../plan/planned-field.ts';
import type { ResultObject } from '../../plan/result-classes.ts';
import type { Run } from '../run.ts';
import { Pending, PendingContainer, placed } from '../pending.ts';
import type { FieldRun, PlannedField, Position, Selection, TypeCheck } from '../../plan/planned-field.ts';
import type { Path } from '../../plan/path.ts';
import type { RowBuilder, RowRest } from './row-code.ts';
import { createRowBuilder } from './row-builder.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** The generated code for objects of the selection, if it has been run often enough. `count`: number of objects to be made. */
function builderOf(run: Run, selection: Selection, count: number): RowBuilder<PlannedField> | undefined {
  if (selection.rowsSeen < Infinity) {
    selection.rowsSeen += count;
    if (selection.rowsSeen < (run.settings.rowsBeforeCode ?? defaultRowsBeforeCode)) return undefined;
  }
  if (run.fieldResolver !== undefined || run.fieldObserver !== undefined || selection.deferral?.isShared === true) return undefined;
  // Code generation is tried only once, because it would fail again.
  if (selection.rowBuilder === undefined && selection.rowsSeen < Infinity) {
    selection.rowBuilder = createRowBuilder(selection);
    selection.rowsSeen = Infinity;
  }
  const { rowBuilder, fields } = selection;
  if (rowBuilder === undefined) return undefined;
  const { resolvers } = rowBuilder;
  for (let at = 0; at < fields.length; at++) {
    if (fields[at]!.definition.resolve === resolvers[at]) continue;
    selection.forgetCode();
    return undefined;
  }
  return rowBuilder;
}

const defaultRowsBeforeCode = 1_000;

interface ListedObjects {
  /** Number of objects. */
  readonly count: number;
  readonly check: TypeCheck | undefined;
}

export function rowsOf(list: ListRun, selection: Selection, { count, check }: ListedObjects): Rows | undefined {
  const { run } = list.fieldRun;
  const builder = builderOf(run, selection, count);
  return builder && new Rows(run, selection, builder, list, check);
}

/** Returns the rows for the objects of a field at these places. Null if there is no code for them. */
export function rowsBelow(run: Run, field: PlannedField, count: number, places: Places): Rows | null {
  if (field.shape.typeCheck?.() !== undefined) return null;
  const selection = selectionBelow(field);
  const builder = selection && builderOf(run, selection, count);
  return builder === undefined ? null : new Rows(run, selection!, builder, places);
}

/** Runs the fields of one object like executeFields, by generated code if there is any. */
export function executeObject(position: Position, selection: Selection, source: unknown): unknown {
  const { run } = position.fieldRun;
  const builder = typeof source === 'object' && source !== null ? builderOf(run, selection, 1) : undefined;
  if (builder !== undefined) return new Rows(run, selection, builder, { isList: false, at: () => position }).make(source as object);
  const made = executeFields(run, selection, source, position.path);
  run.objects?.runOf(selection).note(made instanceof PendingContainer ? made.result : made, source);
  return made;
}

/** False for null, promises and errors, which lists handle separately. */
export function canBeRow(item: unknown): item is object {
  return typeof item === 'object' && item !== null && !isPromiseLike(item) && !(item instanceof Error);
}

/** The positions of objects. */
export interface Places {
  /** True if the objects have indexes. False: the places are that of one object, after another. */
  readonly isList: boolean;
  at(index: number): Position;
}

/** Makes objects of one selection, one after another. */
export class Rows implements RowRest {
  readonly context: unknown;
  readonly #run: Run;
  readonly #selection: Selection;
  readonly #builder: RowBuilder<PlannedField>;
  readonly #places: Places;
  readonly #check: TypeCheck | undefined;
  readonly #objects: ObjectRun | undefined;
  /** The rows of objects below, by the index of their field. Null if there is no code for them. */
  #below: (Rows | null)[] | undefined = undefined;
  // State of the current row.
  #source: object = noSource;
  #index = 0;
  #path: Path | undefined = undefined;
  #pending: Pending[] | undefined = undefined;
  #batchedRows: CollectedRows | undefined = undefined;
  /** True when a pending value can make the object null. */
  #mayBeNulled = false;

  /** `check` is passed only for the objects of a list. */
  constructor(run: Run, selection: Selection, builder: RowBuilder<PlannedField>, places: Places, check?: TypeCheck) {
    this.#run = run;
    this.context = run.contextValue;
    this.#selection = selection;
    this.#builder = builder;
    this.#places = places;
    this.#check = check;
    this.#objects = run.objects?.runOf(selection);
  }

  /** Completes one item of the list: a faster completeItem. */
  complete(item: unknown, index: number): unknown {
    const list = this.#places as ListRun;
    try {
      return canBeRow(item) ? this.makeNth(item, index) : completeItem(list, item, index);
    } catch (error) {
      return nullOrThrow(list.at(index), error);
    }
  }

  makeNth(source: object, index: number): unknown {
    if (this.#check !== undefined) {
      const list = this.#places as ListRun;
      try {
        const accepted = this.#check.isOf(list.fieldRun, source);
        if (accepted !== true) return this.#check.complete(list.at(index), source, accepted);
      } catch (error) {
        handleRejections(source);
        throw error;
      }
    }
    this.#index = index;
    return this.make(source);
  }

  /** Returns the object or a Pending. Throws the located error of a non-null field. */
  make(source: object): unknown {
    this.#source = source;
    this.#path = undefined;
    this.#mayBeNulled = false;
    const { deferral } = this.#selection;
    let row: ResultObject;
    const inner = deferral?.enter(this.#run, this.path());
    if (deferral !== undefined && inner === undefined)
      return placed(executeFields(this.#run, deferral.whole, source, this.path()), this.#position());
    try {
      row = this.#builder.build(source, this);
    } catch (error) {
      handleRejections(source);
      this.#containerOf({}).failed = true;
      throw error;
    }
    this.#objects?.note(row, source);
    if (this.#builder.batched.length > 0) this.#batch(source, row);
    if (inner !== undefined) deferral!.defer(inner, source, this.path());
    if (this.#pending === undefined || (this.#places instanceof ListRun && !this.#mayBeNulled)) return row;
    const container = this.#containerOf(row);
    container.filled();
    return placed(container, this.#position());
  }

  /** The objects whose batched fields are missing, since the last call: the list must wait for them. */
  takeBatchedRows(): readonly CollectedRows[] {
    const rows = this.#batchedRows;
    this.#batchedRows = undefined;
    return rows === undefined ? noBatches : [rows];
  }

  #batch(source: object, row: ResultObject): void {
    const { batched } = this.#builder;
    if (this.#places.isList && this.#pending === undefined) {
      (this.#batchedRows ??= runnerOf(batchOfField(batched[0]!)!).collectRows(batched)).add(source, row, this.#index);
      return;
    }
    for (const field of batched) row[field.responseName] = this.#note(executeField(this.#run, field, source, this.path()), field);
  }

  /** The pending values in the last row, for which the list must wait. */
  takePending(): readonly Pending[] | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  run(at: number): unknown {
    const field = this.#selection.fields[at]!;
    return this.#note(executeField(this.#run, field, this.#source, this.path()), field);
  }

  values(at: number): Record<string, unknown> {
    return argumentValues(this.#selection.fields[at]!, this.#run);
  }

  start(at: number): FieldRun {
    return startField(this.#run, this.#selection.fields[at]!, this.path());
  }

  object(at: number, value: unknown, fieldRun?: FieldRun): unknown {
    const rows = (this.#below ??= [])[at] ?? this.#rowsBelow(at);
    if (rows === null || !canBeRow(value)) return this.resolved(at, value, fieldRun);
    try {
      return this.#note(rows.make(value), this.#selection.fields[at]!);
    } catch (error) {
      return this.fail(at, error);
    }
  }

  #rowsBelow(at: number): Rows | null {
    const known = this.#below![at];
    if (known !== undefined) return known;
    return (this.#below![at] = rowsBelow(this.#run, this.#selection.fields[at]!, 1, { isList: false, at: () => this.start(at) }));
  }

  property(at: number, value: unknown): unknown {
    const fieldRun = this.start(at);
    let resolved = value;
    try {
      if (typeof value === 'function') resolved = callMethod(fieldRun, this.#source);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
    return this.resolved(at, resolved, fieldRun);
  }

  resolved(at: number, value: unknown, fieldRun: FieldRun = this.start(at)): unknown {
    try {
      return this.#note(completeResolved(fieldRun, value, this.#source), fieldRun.field);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
  }

  grow(characters: number): void {
    this.#run.budget.grow(this.#selection.size + characters);
  }

  fail(at: number, thrown: unknown): null {
    return nullOrThrow(this.start(at), thrown);
  }

  path(): Path {
    return (this.#path ??= this.#position().path);
  }

  #position(): Position {
    return this.#places.at(this.#index);
  }

  /** Registers a pending value, which the code stores in the row like any other. */
  #note(value: unknown, field: PlannedField): unknown {
    if (value instanceof Pending) {
      value.key = field.responseName;
      (this.#pending ??= []).push(value);
      if (field.shape.nonNull) this.#mayBeNulled = true;
    }
    return value;
  }

  /** A container of the pending values so far. */
  #containerOf(row: object): PendingContainer {
    const container = new PendingContainer(this.#run, row);
    for (const value of this.#pending ?? []) container.adopt(value);
    this.#pending = undefined;
    return container;
  }
}

const noSource = {};
export const noBatches: readonly CollectedRows[] = [];
