import type { GraphQLObjectType } from 'graphql';

import type { AnsweredObjects, AnsweredRun } from '../../server/index.ts';
import { describe } from '../../shared/index.ts';
import type { TagDialect } from './dialects.ts';
import type { EdgeOptions } from './options.ts';
import type { SelectedField, AnswerSelection } from './selection.ts';
import { maxVisits, typesOfObject, walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/** How tags name objects. */
export interface TagSettings {
  /** Names objects instead of their `id`. Needs the executor's list: without it, no object has a name. */
  readonly entity: AnsweredObjects['naming'];
  /** Hashed into ids, so that tags do not show them. */
  readonly salt: string | undefined;
  readonly deploy: string | undefined;
}

/** An answer and its selection. */
export interface TaggedAnswer {
  readonly selection: AnswerSelection;
  readonly data: Answered;
  /** The executor's list. Undefined: objects are found in the answer itself. */
  readonly objects: AnsweredObjects | undefined;
}

/** The ids of the objects of one type. */
export interface NamedEntities {
  readonly type: string;
  readonly ids: Set<string>;
}

/** The contents of an answer, by the names of types and fields, each once. */
export class Contents {
  readonly types: string[] = [];
  /** Types of objects without an id. */
  readonly unnamed: string[] = [];
  /** Types of lists, and of fields that are null. */
  readonly lists: string[] = [];
  /** Ids by type. */
  entities: NamedEntities[] = [];

  idsOf(type: string): Set<string> {
    for (const entities of this.entities) if (entities.type === type) return entities.ids;
    const ids = new Set<string>();
    this.entities.push({ type, ids });
    return ids;
  }

  /** Adds a field that has a selection. */
  addField({ hasList }: Pick<SelectedField, 'hasList'>, below: AnswerSelection, value: unknown): void {
    if (hasList || value === null) addOnce(this.lists, below.type.name);
  }
}

/** The most objects that can be named, and characters for their names. Above that, no object is named. */
export type EntityLimits = Pick<TagDialect, 'maxTags' | 'maxTotal'>;

/** Undefined: the answer is too large to search. */
export function contentsOf(
  { selection: root, data, objects }: TaggedAnswer,
  { entity }: Pick<TagSettings, 'entity'>,
  limits: EntityLimits,
): Contents | undefined {
  // Another plugin may have named them differently.
  if (objects === undefined || objects.naming !== entity) return readContents({ selection: root, data }, entity === undefined);
  const contents = new Contents();
  addObjects(contents, objects, limits);
  return addAbsences({ contents, left: maxVisits }, root, data) ? contents : undefined;
}

/** Finds the objects in the answer itself, without the executor's list. */
function readContents({ selection: root, data }: Pick<TaggedAnswer, 'selection' | 'data'>, namesById: boolean): Contents | undefined {
  const contents = new Contents();
  const isWhole = walkAnswer(root, data, {
    kind: 'objects',
    object: (types, value, selection) => {
      for (const type of types) {
        addOnce(contents.types, type.name);
        const id = namesById && types.length === 1 ? idOf(selection, type, value) : undefined;
        if (id === undefined) addOnce(contents.unnamed, type.name);
        else contents.idsOf(type.name).add(id);
      }
    },
    field: ({ selected, value }) => {
      if (selected.below !== undefined) contents.addField(selected, selected.below, value);
    },
  });
  return isWhole ? contents : undefined;
}

/** A search of an answer for fields that are lists or null. */
interface AbsenceSearch {
  readonly contents: Contents;
  /** The number of fields that may still be read. */
  left: number;
}

/** Returns false if the answer exceeds the limit. It uses no callbacks, which took half of the time for 50 nested objects. */
function addAbsences(search: AbsenceSearch, selection: AnswerSelection, object: Answered): boolean {
  const types = selection.types.length === 1 ? selection.types : typesOfObject(selection, object);
  for (const type of types) if (!addAbsentFields(search, selection.absentFor(type), object)) return false;
  return true;
}

function addAbsentFields(search: AbsenceSearch, fields: readonly SelectedField[], object: Answered): boolean {
  for (const selected of fields) {
    const { key, hasList, below } = selected;
    const value = object[key];
    // The field belongs to another type than the object's.
    if (value === undefined) continue;
    if (--search.left < 0) return false;
    if (hasList || value === null) search.contents.addField(selected, below!, value);
    if (value !== null && below!.hasAbsences && !addAbsencesIn(search, below!, value)) return false;
  }
  return true;
}

function addAbsencesIn(search: AbsenceSearch, selection: AnswerSelection, value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value !== 'object' || value === null || addAbsences(search, selection, value as Answered);
  return value.every((item) => addAbsencesIn(search, selection, item));
}

function addOnce(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

function addObjects(contents: Contents, { runs, isWhole }: AnsweredObjects, limits: EntityLimits): void {
  let fits = isWhole;
  for (const run of runs) {
    addOnce(contents.types, run.typename);
    fits &&= addNames(contents, run, limits);
  }
  if (fits) return;
  contents.entities = [];
  for (const type of contents.types) addOnce(contents.unnamed, type);
}

/** Returns false if there are more objects than can be named. */
function addNames(contents: Contents, run: AnsweredRun, { maxTags, maxTotal }: EntityLimits): boolean {
  const { typename, count } = run;
  // This is the length of the shortest tag, `e:Type:1`, with its separator.
  const most = Math.min(maxTags, maxTotal / (typename.length + 5));
  let ids: Set<string> | undefined;
  let hasUnnamed = false;
  for (let at = 0; at < count; at++) {
    const id = run.nameAt(at);
    if (id === undefined) {
      hasUnnamed = true;
      continue;
    }
    ids ??= contents.idsOf(typename);
    ids.add(id);
    if (ids.size > most) return false;
  }
  if (hasUnnamed) addOnce(contents.unnamed, typename);
  return true;
}

/** The option `entity` as the executor calls it. An asynchronous function would name nothing: that is an error. */
export function namingBy(entity: NonNullable<EdgeOptions['entity']>): NonNullable<AnsweredObjects['naming']> {
  return (typename, source) => {
    const name: unknown = entity(typename, source);
    if (name === undefined || name === null || typeof name === 'string' || typeof name === 'number') return name;
    // A promise that rejects must not end the process.
    if (name instanceof Promise) name.catch(() => undefined);
    throw new TypeError(`Expected entity of edge to return a string, a number or undefined for ${typename}, got ${describe(name)}.`);
  };
}

/** The field `id`, if the answer has it exactly once. */
function idOf(selection: AnswerSelection, type: GraphQLObjectType, value: Answered): string | undefined {
  let id: unknown;
  for (const { key, name, field } of selection.fieldsFor(type)) {
    // With arguments, an object may have several ids.
    if (name !== 'id' || field.args.length > 0 || !(key in value)) continue;
    if (id !== undefined && id !== value[key]) return undefined;
    id = value[key];
  }
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
