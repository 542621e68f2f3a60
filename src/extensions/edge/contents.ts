import type { GraphQLObjectType } from 'graphql';

import type { AnsweredObjects } from '../../operation/types.ts';
import type { TagDialect } from './dialects.ts';
import type { Selection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered } from './walk-answer.ts';

/** How tags name objects. */
export interface TagSettings {
  /** The id of an object, from its fields in the answer. Undefined: it has none. */
  readonly entity: (typename: string, fields: Answered) => string | undefined;
  /** Hashed into ids, so that tags do not show them. */
  readonly salt: string | undefined;
  readonly deploy: string | undefined;
}

/** An answer and its selection. */
export interface TaggedAnswer {
  readonly selection: Selection;
  readonly data: Answered;
  /** The list of the executor. Undefined: only the answer itself tells its objects. */
  readonly objects: AnsweredObjects | undefined;
}

/** The contents of an answer, by the names of types and fields, each once. */
export class Contents {
  readonly types: string[] = [];
  /** Types of objects without an id. */
  readonly unnamed: string[] = [];
  /** Types of lists, and of fields that are null. */
  readonly lists: string[] = [];
  /** Fields of the root. */
  readonly fields: string[] = [];
  /** Ids by type. */
  readonly entities: Map<string, Set<string>> = new Map();
  /** The selections of fields that are null. */
  readonly missing: Selection[] = [];

  idsOf(type: string): Set<string> {
    let ids = this.entities.get(type);
    if (ids === undefined) this.entities.set(type, (ids = new Set()));
    return ids;
  }
}

/** The number of objects that can be named, and of characters for them: above that, no object is named. */
export type EntityLimits = Pick<TagDialect, 'maxTags' | 'maxTotal'>;

/** Undefined: the answer is too large to look at. */
export function contentsOf(
  { selection: root, data, objects }: TaggedAnswer,
  { entity }: Pick<TagSettings, 'entity'>,
  limits: EntityLimits,
): Contents | undefined {
  const contents = new Contents();
  const areListed = objects !== undefined && entity === entityById;
  if (areListed) addObjects(contents, objects, limits);
  const isWhole = walkAnswer(root, data, {
    kind: areListed ? 'absences' : 'objects',
    object: (types, value, selection) => {
      for (const type of types) {
        addOnce(contents.types, type.name);
        const id = types.length === 1 ? idOf(entity, { selection, type, value }) : undefined;
        if (id === undefined) addOnce(contents.unnamed, type.name);
        else contents.idsOf(type.name).add(id);
      }
    },
    field: ({ selected: { name, hasList, below }, value, isRoot }) => {
      if (isRoot) addOnce(contents.fields, name);
      if (below === undefined) return;
      if (hasList || value === null) addOnce(contents.lists, below.type.name);
      if (value === null) contents.missing.push(below);
    },
  });
  return isWhole ? contents : undefined;
}

/** There are few names: comparing them takes less time than making a set. */
function addOnce(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

function addObjects(contents: Contents, objects: AnsweredObjects, { maxTags, maxTotal }: EntityLimits): void {
  let [count, length] = [0, 0];
  // Objects of a list come one after the other.
  let last: string | undefined;
  let ids = new Set<string>();
  const { types } = objects;
  contents.types.push(...types);
  objects.each((type, id) => {
    if (id === undefined) {
      addOnce(contents.unnamed, type);
      return true;
    }
    if (type !== last) ids = contents.idsOf((last = type));
    const { size } = ids;
    if (ids.add(id).size === size) return true;
    count++;
    // The length of `e:Type:id` and of its separator. A hash is 24 characters.
    length += type.length + 4 + Math.min(24, id.length);
    return count <= maxTags && length <= maxTotal;
  });
  if (objects.isWhole && count <= maxTags && length <= maxTotal) return;
  contents.entities.clear();
  for (const type of types) addOnce(contents.unnamed, type);
}

interface TypedObject {
  readonly selection: Selection;
  readonly type: GraphQLObjectType;
  readonly value: Answered;
}

/** Nearly all objects are named by their id. No object with all their fields is made for that: it took 1 µs each. */
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

/** The fields by their names, not by their aliases. A field that the answer has with two values (for two arguments) is left out. */
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
