import { abandon } from '../abandon.ts';
import { nullOrThrow } from './errors.ts';
import { startField } from '../field-run.ts';
import { callMethod, completeResolved, giveUp } from '../fields.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { addPath } from '../path.ts';
import { objectLag, Pending, PendingContainer, placed } from '../pending.ts';
import type { FieldRun, PlannedField, RowBuilder, RowRest, Selection } from '../plan/planned-field.ts';
import { createRowBuilder } from './row-builder.ts';

/** What makes the objects of a list, once the list's selection has been run often enough and if it suits; undefined for the ordinary way. */
export function rowsOf(list: ListRun, selection: Selection, count: number): Rows | undefined {
  const { run } = list.fieldRun;
  selection.rowsSeen += count;
  if (
    selection.rowsSeen < (run.settings.rowsBeforeCode ?? defaultRowsBeforeCode) ||
    run.fieldResolver !== undefined ||
    run.fieldTracer !== undefined ||
    !selection.fields.every(isProperty)
  )
    return undefined;
  // Tried once: where code cannot be made now it never can.
  if (selection.buildRow === undefined && selection.rowsSeen < Infinity) {
    selection.buildRow = createRowBuilder(selection);
    selection.rowsSeen = Infinity;
  }
  return selection.buildRow && new Rows(list, selection, selection.buildRow);
}

/** Making code costs as much as running some hundred rows without it. */
const defaultRowsBeforeCode = 1_000;

/** Looked at for every list: a resolver may have been put there since. */
function isProperty(field: PlannedField): boolean {
  return field.arguments === undefined && (field.definition.resolve === undefined || field.typename !== undefined);
}

/** Completes one item of a list whose objects are made by code for whole rows: as completeItem does, faster. */
export function completeRow(rows: Rows, item: unknown, index: number): unknown {
  const { list } = rows;
  const { fieldRun, item: shape } = list;
  try {
    if (!isPlainObject(item)) return completeItem(list, item, index);
    const row = rows.make(item, index);
    return row instanceof Pending ? placed(row, fieldRun, shape, addPath(list.path, index, undefined)) : row;
  } catch (error) {
    return nullOrThrow(fieldRun, shape, error, addPath(list.path, index, undefined));
  }
}

/** Neither null, nor a promise, nor an Error: what has a meaning of its own for a list. */
function isPlainObject(item: unknown): item is object {
  return typeof item === 'object' && item !== null && typeof (item as { then?: unknown }).then !== 'function' && !(item instanceof Error);
}

/** The rows of one list, made one after another. */
export class Rows implements RowRest {
  readonly list: ListRun;
  readonly #selection: Selection;
  readonly #build: RowBuilder;
  // Of the row that is being made.
  #source: object = {};
  #index = 0;
  #pending: [name: string, value: Pending][] = [];

  constructor(list: ListRun, selection: Selection, build: RowBuilder) {
    this.list = list;
    this.#selection = selection;
    this.#build = build;
  }

  /** The object for a row, or a Pending. Throws the located error of a field that may not be null. */
  make(source: object, index: number): unknown {
    this.#source = source;
    this.#index = index;
    let row: object;
    try {
      row = this.#build(source, this);
    } catch (error) {
      abandon(source);
      return giveUp(this.#container({}), error);
    }
    const container = this.#container(row);
    container?.filled();
    return container ?? row;
  }

  complete(at: number, value: unknown): unknown {
    const field = this.#selection.fields[at]!;
    const fieldRun = this.#fieldRun(field);
    try {
      const resolved = typeof value === 'function' ? callMethod(fieldRun, this.#source) : value;
      const completed = completeResolved(fieldRun, resolved);
      if (completed instanceof Pending) this.#pending.push([field.responseName, completed]);
      return completed;
    } catch (error) {
      return nullOrThrow(fieldRun, field.shape, error, fieldRun.path);
    }
  }

  grow(characters: number): void {
    this.list.fieldRun.run.grow(this.#selection.size + characters);
  }

  fail(at: number, thrown: unknown): null {
    const field = this.#selection.fields[at]!;
    const fieldRun = this.#fieldRun(field);
    return nullOrThrow(fieldRun, field.shape, thrown, fieldRun.path);
  }

  #fieldRun(field: PlannedField): FieldRun {
    const { fieldRun, path } = this.list;
    return startField(fieldRun.run, field, addPath(path, this.#index, undefined));
  }

  /** Undefined when nothing of the row is pending. */
  #container(row: object): PendingContainer | undefined {
    if (this.#pending.length === 0) return undefined;
    const container = new PendingContainer(this.list.fieldRun.run, row, objectLag);
    for (const [name, value] of this.#pending) container.waitFor(value, name);
    this.#pending = [];
    return container;
  }
}
