import type { GraphQLField } from 'graphql';

import type { MadeObject, ObjectRun } from '../object-log.ts';
import { abandon } from '../promises.ts';
import { nullOrThrow } from './errors.ts';
import { startField } from '../field-run.ts';
import { callMethod, completeResolved, executeField, executeFields, giveUp } from '../fields.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { argumentValues } from '../plan/arguments.ts';
import { selectionBelow } from '../plan/planned-field.ts';
import type { Run } from '../run.ts';
import { objectLag, Pending, PendingContainer, placed } from '../pending.ts';
import type { FieldRun, Path, PlannedField, Position, RowBuilder, RowRest, Selection } from '../plan/planned-field.ts';
import { createRowBuilder, isProperty } from './row-builder.ts';

/**
 * The code that makes objects of the selection, once it has been run often enough and if it suits; undefined for the ordinary way.
 * `count` objects are to be made.
 */
function builderOf(run: Run, selection: Selection, count: number): RowBuilder | undefined {
  if (selection.rowsSeen < Infinity) {
    selection.rowsSeen += count;
    if (selection.rowsSeen < (run.settings.rowsBeforeCode ?? defaultRowsBeforeCode)) return undefined;
  }
  if (run.fieldResolver !== undefined || run.fieldTracer !== undefined) return undefined;
  // Tried once: where code cannot be made now it never can.
  if (selection.buildRow === undefined && selection.rowsSeen < Infinity) {
    selection.buildRow = createRowBuilder(selection);
    selection.rowsSeen = Infinity;
  }
  const build = selection.buildRow;
  return build !== undefined && areProperties(build.properties ?? []) ? build : undefined;
}

/** Looked at each time: a resolver may have been put there since. */
function areProperties(fields: readonly PlannedField[]): boolean {
  for (let at = 0; at < fields.length; at++) if (!isProperty(fields[at]!)) return false;
  return true;
}

/** Making code costs as much as running some hundred rows without it. */
const defaultRowsBeforeCode = 1_000;

/** Makes the objects of a list. */
export function rowsOf(list: ListRun, selection: Selection, count: number): Rows | undefined {
  const { run } = list.fieldRun;
  const build = builderOf(run, selection, count);
  return build && new Rows(run, selection, build).within(list);
}

/** One object: as executeFields does, faster once its selection is known well. */
export function executeObject(position: Position, selection: Selection, source: unknown): unknown {
  const { run } = position.fieldRun;
  const build = typeof source === 'object' && source !== null ? builderOf(run, selection, 1) : undefined;
  if (build !== undefined) return new Rows(run, selection, build).at(position).make(source as object);
  const { path } = position;
  const made = executeFields(run, selection, source, path);
  if (run.objects === undefined) return made;
  const result = made instanceof PendingContainer ? made.result : made;
  const object = { source, hasFieldResolver: run.fieldResolver !== undefined };
  run.objects.runOf(selection).note(result, {
    ...object,
    resolveId: (definition) => resolveHidden(run, selection, { definition, source, path }),
  });
  return made;
}

interface HiddenField {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly source: unknown;
  readonly path: Path;
}

/** The result of a resolver that the client has not asked for. */
function resolveHidden(run: Run, selection: Selection, { definition, source, path }: HiddenField): unknown {
  const { info } = startField(run, selection.hiddenField(definition), path);
  return (definition.resolve ?? run.fieldResolver)!(source, {}, run.contextValue, info);
}

/** Completes one item of a list whose objects are made by code for whole rows: as completeItem does, faster. */
export function completeRow(list: ListRun, rows: Rows, item: unknown, index: number): unknown {
  try {
    if (!mayBeRow(item)) return completeItem(list, item, index);
    return rows.makeNth(item, index);
  } catch (error) {
    return nullOrThrow(list.at(index), error);
  }
}

/** Neither null, nor a promise, nor an Error: what has a meaning of its own for a list. */
export function mayBeRow(item: unknown): item is object {
  return typeof item === 'object' && item !== null && typeof (item as { then?: unknown }).then !== 'function' && !(item instanceof Error);
}

/** Objects of one selection, made one after another. */
export class Rows implements RowRest, MadeObject {
  /** No code is made where there is one. */
  readonly hasFieldResolver: boolean = false;
  readonly context: unknown;
  readonly #run: Run;
  readonly #selection: Selection;
  readonly #build: RowBuilder;
  /** Undefined: the objects of the answer are not listed. */
  readonly #objects: ObjectRun | undefined;
  // Where they stand: in a list, at a position, or at a field of each of these rows.
  #list: ListRun | undefined = undefined;
  #position: Position | undefined = undefined;
  #above: Rows | undefined = undefined;
  #field = 0;
  /** The objects of its fields, by the number of the field. Null: no code has been made for them. */
  #below: (Rows | null)[] | undefined = undefined;
  // Of the row that is being made.
  #source: object = noSource;
  #index = 0;
  #path: Path | undefined = undefined;
  #pending: Pending[] | undefined = undefined;
  /** True when one of those may fail the object. */
  #mayBeNulled = false;

  constructor(run: Run, selection: Selection, build: RowBuilder) {
    this.#run = run;
    this.context = run.contextValue;
    this.#selection = selection;
    this.#build = build;
    this.#objects = run.objects?.runOf(selection);
  }

  within(list: ListRun): this {
    this.#list = list;
    return this;
  }

  at(position: Position): this {
    this.#position = position;
    return this;
  }

  /** An item of the list: see make. */
  makeNth(source: object, index: number): unknown {
    this.#index = index;
    const row = this.make(source);
    return row instanceof Pending ? placed(row, this.#list!.at(index)) : row;
  }

  /** The object, or a Pending. Throws the located error of a field that may not be null. */
  make(source: object): unknown {
    this.#source = source;
    this.#path = undefined;
    this.#mayBeNulled = false;
    let row: object;
    try {
      row = this.#build(source, this);
    } catch (error) {
      abandon(source);
      return giveUp(this.#keepPending(), error);
    }
    this.#objects?.note(row, this);
    if (this.#pending === undefined || (this.#list !== undefined && !this.#mayBeNulled)) return row;
    const container = new PendingContainer(this.#run, row, objectLag);
    for (const value of this.#pending) container.adopt(value);
    this.#pending = undefined;
    container.filled();
    return container;
  }

  /** The values for which the list must wait within the row that was made last. */
  takePending(): readonly Pending[] | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  /** The object that is being made. */
  get source(): object {
    return this.#source;
  }

  resolveId(definition: GraphQLField<unknown, unknown>): unknown {
    return resolveHidden(this.#run, this.#selection, { definition, source: this.#source, path: this.path() });
  }

  run(at: number): unknown {
    const field = this.#selection.fields[at]!;
    return this.#note(executeField(this.#run, field, this.#source, this.path()), field);
  }

  replaced(at: number): unknown {
    this.#selection.forgetCode();
    return this.run(at);
  }

  values(at: number): Record<string, unknown> {
    return argumentValues(this.#selection.fields[at]!, this.#run);
  }

  start(at: number): FieldRun {
    return startField(this.#run, this.#selection.fields[at]!, this.path());
  }

  object(at: number, value: unknown, fieldRun?: FieldRun): unknown {
    const rows = (this.#below ??= [])[at] ?? this.#rowsBelow(at);
    if (rows === null || !mayBeRow(value)) return this.resolved(at, value, fieldRun);
    try {
      const row = rows.make(value);
      if (!(row instanceof Pending)) return row;
      const position = this.start(at);
      return this.#note(placed(row, position), position.field);
    } catch (error) {
      return this.fail(at, error);
    }
  }

  #rowsBelow(at: number): Rows | null {
    const known = this.#below![at];
    if (known !== undefined) return known;
    const selection = selectionBelow(this.#selection.fields[at]!);
    const build = selection && builderOf(this.#run, selection, 1);
    const rows = build === undefined ? null : new Rows(this.#run, selection!, build);
    if (rows !== null) {
      rows.#above = this;
      rows.#field = at;
    }
    return (this.#below![at] = rows);
  }

  complete(at: number, value: unknown): unknown {
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
      return this.#note(completeResolved(fieldRun, value), fieldRun.field);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
  }

  grow(characters: number): void {
    this.#run.grow(this.#selection.size + characters);
  }

  fail(at: number, thrown: unknown): null {
    return nullOrThrow(this.start(at), thrown);
  }

  /** Of the row that is being made. */
  path(): Path {
    return (this.#path ??= this.#list?.pathOf(this.#index) ?? (this.#position ?? this.#above!.start(this.#field)).path);
  }

  /** The code puts what is pending into the row, like any other value. */
  #note(value: unknown, field: PlannedField): unknown {
    if (value instanceof Pending) {
      value.key = field.responseName;
      (this.#pending ??= []).push(value);
      if (field.shape.nonNull) this.#mayBeNulled = true;
    }
    return value;
  }

  /** There is no row: its pending values are found here. Undefined when there are none. */
  #keepPending(): PendingContainer | undefined {
    if (this.#pending === undefined) return undefined;
    const container = new PendingContainer(this.#run, {}, objectLag);
    for (const value of this.#pending) container.waitFor(value, value.key);
    this.#pending = undefined;
    return container;
  }
}

const noSource = {};
