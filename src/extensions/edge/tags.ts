import { isAbstractType, isObjectType } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { AnsweredObjects } from '../../server/index.ts';
import { sha256 } from '../../shared/index.ts';
import { contentsOf } from './contents.ts';
import type { TaggedAnswer, TagSettings } from './contents.ts';
import type { TagDialect } from './dialects.ts';
import type { Selection } from './selection.ts';
import type { Answered } from './walk-answer.ts';

/**
 * Tags name the contents of an answer. A public answer has:
 *   t:Type     each type of object in it
 *   e:Type:id  each object with an id
 *   u:Type     each type with objects in it that no tag names
 *   l:Type     the type of each list, and of each field that is null: a new object would change it
 *   q:field    each field of the root
 *   d:name     the deploy
 * A change of one object purges its e:, the u: of its type, and the l: of the type and of every interface and union of it.
 */

/** The tag of one object. */
export function entityTag(type: string, id: string, salt: string | undefined): string {
  return `e:${type}:${nameOf(id, salt)}`;
}

function nameOf(id: string, salt: string | undefined): string {
  return salt === undefined && /^[\w.-]{1,64}$/.test(id) ? id : sha256((salt ?? '') + id).slice(0, 24);
}

/** Undefined: the answer is too large, or its tags exceed the limits. Then it must not be kept. */
export function tagsOfAnswer(answer: TaggedAnswer, limits: TagDialect, settings: TagSettings): readonly string[] | undefined {
  const contents = contentsOf(answer, settings, limits);
  if (contents === undefined) return undefined;
  const { types, lists, unnamed, entities } = contents;
  const tags = settings.deploy === undefined ? [] : [`d:${settings.deploy}`];
  for (const name of types) tags.push(`t:${name}`);
  for (const name of lists) tags.push(`l:${name}`);
  for (const name of rootFields(answer.selection)) tags.push(`q:${name}`);
  for (const name of unnamed) tags.push(`u:${name}`);
  const named = entities.flatMap(({ type, ids }) => Array.from(ids, (id) => entityTag(type, id, settings.salt)));
  if (fit([...tags, ...named], limits)) return [...tags, ...named];
  // No tag is dropped without a replacement: the objects count as unnamed, so that a change of any of them purges the answer.
  for (const { type } of entities) if (!unnamed.includes(type)) tags.push(`u:${type}`);
  return fit(tags, limits) ? tags : undefined;
}

function fit(tags: readonly string[], { maxTags, maxLength, maxTotal }: TagDialect): boolean {
  let total = tags.length - 1;
  for (const { length } of tags) {
    if (length > maxLength) return false;
    total += length;
  }
  return tags.length <= maxTags && total <= maxTotal;
}

/** The names of the fields of the root, each once. */
function rootFields(root: Selection): readonly string[] {
  const names = root.types.flatMap((type) => root.fieldsFor(type).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !name.startsWith('__'));
}

/** An answer to a mutation. */
export interface MutationAnswer {
  readonly schema: GraphQLSchema;
  readonly root: Selection;
  /** null: the answer does not show the change. */
  readonly data: Answered | null;
  readonly objects: AnsweredObjects | undefined;
  /** True when a field has failed, which may have changed objects that the answer does not show. */
  readonly hasErrors: boolean;
}

/** The tags that a mutation purges: those of the objects in its answer, and all of a type whose objects the answer does not name. */
export function tagsOfMutation(
  { schema, root, data, objects, hasErrors }: MutationAnswer,
  settings: Pick<TagSettings, 'entity' | 'salt'>,
): readonly string[] {
  const given = data === null ? undefined : { selection: root, data, objects, hasErrors };
  const contents = given && contentsOf(given, settings, { maxTags: Infinity, maxTotal: Infinity });
  const tags = new Set<string>();
  for (const { type, ids } of contents?.entities ?? []) for (const id of ids) tags.add(entityTag(type, id, settings.salt));
  const types = new Set(contents?.types);
  // If the answer is too large to search, or does not show the change, all types that may be in it are purged.
  const places = contents === undefined ? placesBelow(root) : hasErrors ? contents.missing : [];
  for (const name of [...(contents?.unnamed ?? []), ...typesAt(places)]) {
    tags.add(`t:${name}`);
    types.add(name);
  }
  for (const name of types) for (const tag of changeTags(schema, name)) tags.add(tag);
  return [...tags];
}

/** All types of objects that an operation can meet from these places on. */
function typesAt(places: readonly Selection[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...places];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (place.isTooLarge) throw new Error('The operation has too many selections. Call purge of edge in its resolver.');
    for (const { name } of place.types) found.add(name);
    waiting.push(...placesBelow(place));
  }
  return found;
}

function placesBelow(place: Selection): Selection[] {
  return place.types.flatMap((type) => place.fieldsFor(type).flatMap(({ name, below }) => (name.startsWith('__') ? [] : (below ?? []))));
}

/** The tags of answers that may show an object of the type without naming it, or that would show a new one. */
export function changeTags(schema: GraphQLSchema | undefined, typename: string): string[] {
  return [`u:${typename}`, `l:${typename}`, ...abstractTypesOf(schema, typename).map((name) => `l:${name}`)];
}

/** By schema and object type. Finding them takes a look at all types of the schema. */
const abstractTypes = new WeakMap<GraphQLSchema, Map<GraphQLObjectType, readonly string[]>>();

/** The names of the interfaces and unions that an object type is in. */
function abstractTypesOf(schema: GraphQLSchema | undefined, typename: string): readonly string[] {
  const type = schema?.getType(typename);
  if (schema === undefined || !isObjectType(type)) return [];
  const ofSchema = abstractTypes.get(schema) ?? new Map<GraphQLObjectType, readonly string[]>();
  abstractTypes.set(schema, ofSchema);
  const known = ofSchema.get(type);
  if (known !== undefined) return known;
  const found = Object.values(schema.getTypeMap()).filter((one) => isAbstractType(one) && schema.isSubType(one, type));
  const names = found.map(({ name }) => name);
  ofSchema.set(type, names);
  return names;
}
