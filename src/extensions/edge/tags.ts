import { isAbstractType, isObjectType } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';

import { sha256 } from '../document-hash.ts';
import type { TagDialect } from './dialects.ts';
import type { Selection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/**
 * Tags say what an answer was made of. Of an answer that may be kept:
 *   t:Type     each type of object in it
 *   e:Type:id  each object with an id
 *   u:Type     objects of the type are in it that no tag names
 *   l:Type     a list of the type, or its absence, which a new object would change
 *   q:field    each field of the root
 *   d:name     the deploy
 * A change of one object takes back its e:, its type's u:, and l: of the type and of every interface and union it belongs to.
 */
export interface TagSettings {
  /** The id of an object by the fields that the answer has of it. Undefined: it has none. */
  readonly entity: (typename: string, fields: Answered) => string | undefined;
  /** Hashed into ids, so that nobody reads them who reads the tags. */
  readonly salt: string | undefined;
  readonly deploy: string | undefined;
}

/** The tag of one object. */
export function entityTag(type: string, id: string, salt: string | undefined): string {
  const isPlain = salt === undefined && /^[\w.-]{1,64}$/.test(id);
  return `e:${type}:${isPlain ? id : sha256((salt ?? '') + id).slice(0, 24)}`;
}

/** What is in an answer, by type. */
class Contents {
  readonly types = new Set<string>();
  readonly unnamed = new Set<string>();
  readonly lists = new Set<string>();
  readonly fields = new Set<string>();
  readonly entities = new Map<string, string>();
  /** Where there is nothing. */
  readonly missing: Selection[] = [];
}

/** An answer, and what was selected of it. */
export interface TaggedAnswer {
  readonly selection: Selection;
  readonly data: Answered;
}

/** Undefined: the answer is too large, or nothing can be said of it within the limits. It must not be kept then. */
export function tagsOfAnswer({ selection, data }: TaggedAnswer, limits: TagDialect, settings: TagSettings): readonly string[] | undefined {
  const contents = contentsOf(selection, data, settings);
  if (contents === undefined) return undefined;
  const others = [
    ...(settings.deploy === undefined ? [] : [`d:${settings.deploy}`]),
    ...Array.from(contents.types, (name) => `t:${name}`),
    ...Array.from(contents.lists, (name) => `l:${name}`),
    ...Array.from(contents.fields, (name) => `q:${name}`),
  ];
  const named = [...others, ...Array.from(contents.unnamed, (name) => `u:${name}`), ...contents.entities.keys()];
  if (fits(named, limits)) return named;
  // No tag is dropped in silence: the objects count as unnamed, so that a change of any takes the answer back.
  const unnamed = new Set([...contents.unnamed, ...contents.entities.values()]);
  const short = [...others, ...Array.from(unnamed, (name) => `u:${name}`)];
  return fits(short, limits) ? short : undefined;
}

function fits(tags: readonly string[], { maxTags, maxLength, maxTotal }: TagDialect): boolean {
  if (tags.length > maxTags) return false;
  let total = tags.length - 1;
  for (const { length } of tags) {
    if (length > maxLength) return false;
    total += length;
  }
  return total <= maxTotal;
}

function contentsOf(root: Selection, data: Answered, { entity, salt }: TagSettings): Contents | undefined {
  const contents = new Contents();
  const isWhole = walkAnswer(root, data, {
    withPaths: false,
    object: (types, value, selection) => {
      for (const type of types) {
        contents.types.add(type.name);
        const id = types.length === 1 ? idOf(entity, { selection, type, value }) : undefined;
        if (id === undefined) contents.unnamed.add(type.name);
        else contents.entities.set(entityTag(type.name, id, salt), type.name);
      }
    },
    field: ({ selected: { name, hasList, below }, value, isRoot }) => {
      if (isRoot) contents.fields.add(name);
      if (below === undefined) return;
      if (hasList || value === null) contents.lists.add(below.type.name);
      if (value === null) contents.missing.push(below);
    },
  });
  return isWhole ? contents : undefined;
}

interface TypedObject {
  readonly selection: Selection;
  readonly type: GraphQLObjectType;
  readonly value: Answered;
}

/** By far the most objects are named by their id: no object of all their fields is made for that, which took 1 µs each. */
function idOf(entity: TagSettings['entity'], { selection, type, value }: TypedObject): string | undefined {
  if (entity !== entityById) return entity(type.name, fieldsByName(selection, type, value));
  let id: unknown;
  for (const key of selection.idKeysFor(type)) {
    if (!(key in value)) continue;
    if (id !== undefined && id !== value[key]) return undefined;
    id = value[key];
  }
  return entityById(type.name, { id });
}

/** Aliases do not count; where a field was asked for twice, with other arguments, it is left out. */
function fieldsByName(selection: Selection, type: GraphQLObjectType, value: Answered): Answered {
  const fields = new Map<string, unknown>();
  const doubled = new Set<string>();
  for (const { key, name } of selection.fieldsFor(type)) {
    if (!(key in value)) continue;
    if (fields.has(name) && fields.get(name) !== value[key]) doubled.add(name);
    fields.set(name, value[key]);
  }
  for (const name of doubled) fields.delete(name);
  return Object.fromEntries(fields);
}

/** `id`, where the answer has it. */
export function entityById(_typename: string, { id }: Answered): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** An answer to a mutation. */
export interface MutationAnswer {
  readonly schema: GraphQLSchema;
  readonly root: Selection;
  /** null: nothing of what was done is shown. */
  readonly data: Answered | null;
  /** A field has failed: what it may have changed before, it does not show. */
  readonly hasErrors: boolean;
}

/** What is to be taken back because of the answer to a mutation: what it names, and all objects of a type of which it says too little. */
export function tagsOfMutation(
  { schema, root, data, hasErrors }: MutationAnswer,
  settings: Pick<TagSettings, 'entity' | 'salt'>,
): readonly string[] {
  const contents = data === null ? undefined : contentsOf(root, data, { ...settings, deploy: undefined });
  const tags = new Set(contents?.entities.keys());
  const types = new Set(contents?.types);
  // Of an answer that is too large to look at, or not shown, all that it may have named.
  const places = contents === undefined ? placesBelow(root) : hasErrors ? contents.missing : [];
  for (const name of [...(contents?.unnamed ?? []), ...typesAt(places)]) {
    tags.add(`t:${name}`);
    types.add(name);
  }
  for (const name of types) for (const tag of changeTags(schema, name)) tags.add(tag);
  return [...tags];
}

/** Places that are looked at: with abstract types in abstract types, a short operation has more than anybody could count. */
const maxPlaces = 5_000;

/** All types of objects that an operation can meet from these places on. */
function typesAt(places: readonly Selection[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...places];
  let count = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (++count > maxPlaces) throw new Error('It is too large to look at. Call purge of edge in its resolver.');
    for (const { name } of place.types) found.add(name);
    waiting.push(...placesBelow(place));
  }
  return found;
}

function placesBelow(place: Selection): Selection[] {
  return place.types.flatMap((type) => place.fieldsFor(type).flatMap(({ name, below }) => (name.startsWith('__') ? [] : (below ?? []))));
}

/** Answers that an object of the type may be in without being named, or may come into. */
export function changeTags(schema: GraphQLSchema | undefined, typename: string): string[] {
  const type = schema?.getType(typename);
  const abstract = Object.values(schema?.getTypeMap() ?? {}).filter(
    (one) => isAbstractType(one) && isObjectType(type) && schema!.isSubType(one, type),
  );
  return [`u:${typename}`, `l:${typename}`, ...abstract.map(({ name }) => `l:${name}`)];
}
