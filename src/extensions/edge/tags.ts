import { isAbstractType, isObjectType } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { AnsweredObjects } from '../../operation/types.ts';
import { sha256 } from '../document-hash.ts';
import { contentsOf } from './contents.ts';
import type { NamedEntities, TaggedAnswer, TagSettings } from './contents.ts';
import type { TagDialect } from './dialects.ts';
import type { Selection } from './selection.ts';
import type { Answered } from './walk-answer.ts';

/**
 * Tags name the contents of an answer. An answer that may be kept has:
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
  return salt === undefined && isPlain(id) ? id : sha256((salt ?? '') + id).slice(0, 24);
}

/** Letters, digits and `_ - .`, at most 64 of them. (Regular expressions take as long as the rest of a tag, comparisons twice as long as the table.) */
function isPlain(id: string): boolean {
  const { length } = id;
  if (length === 0 || length > 64) return false;
  for (let at = 0; at < length; at++) if (plainCodes[id.charCodeAt(at)] !== 1) return false;
  return true;
}

const plainCodes = new Uint8Array(128);
for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.') plainCodes[letter.charCodeAt(0)] = 1;

/** Undefined: the answer is too large, or its tags are above the limits. Then it must not be kept. Else all of them, with the separator. */
export function tagsOfAnswer(answer: TaggedAnswer, limits: TagDialect, settings: TagSettings): string | undefined {
  const { selection } = answer;
  if (!selection.isFlat) return tagsOfObjects(answer, limits, settings);
  // All answers have the same.
  const known = ofFlat.get(selection);
  if (known?.limits === limits) return known.tags;
  const tags = tagsOfObjects(answer, limits, settings);
  ofFlat.set(selection, { limits, tags });
  return tags;
}

const ofFlat = new WeakMap<Selection, { readonly limits: TagDialect; readonly tags: string | undefined }>();

function tagsOfObjects(answer: TaggedAnswer, limits: TagDialect, settings: TagSettings): string | undefined {
  const contents = contentsOf(answer, settings, limits);
  if (contents === undefined) return undefined;
  const { types, lists, unnamed, entities } = contents;
  const plain = new TagText(limits);
  if (settings.deploy !== undefined) plain.add(`d:${settings.deploy}`);
  for (const name of types) plain.add(`t:${name}`);
  for (const name of lists) plain.add(`l:${name}`);
  for (const name of rootFields(answer.selection)) plain.add(`q:${name}`);
  for (const name of unnamed) plain.add(`u:${name}`);
  const all = entities.length === 0 ? plain : plain.copy();
  for (const named of entities) all.addEntities(named, settings.salt);
  if (all.fits) return all.text;
  // No tag is dropped without a replacement: the objects count as unnamed, so that a change of any of them purges the answer.
  for (const { type } of entities) if (!unnamed.includes(type)) plain.add(`u:${type}`);
  return plain.fits ? plain.text : undefined;
}

/** Tags as the value of a header field. To write it at once takes half of the time of joining a list. */
class TagText {
  text = '';
  readonly #limits: TagDialect;
  #count = 0;
  #longest = 0;

  constructor(limits: TagDialect) {
    this.#limits = limits;
  }

  add(tag: string): void {
    this.text = this.#count++ === 0 ? tag : this.text + this.#limits.separator + tag;
    if (tag.length > this.#longest) this.#longest = tag.length;
  }

  addEntities({ type, ids: { all } }: NamedEntities, salt: string | undefined): void {
    const start = `${this.#limits.separator}e:${type}:`;
    // An answer with objects has the tag of their type before.
    let { text } = this;
    for (const id of all) {
      const name = nameOf(id, salt);
      text += start + name;
      const length = start.length - 1 + name.length;
      if (length > this.#longest) this.#longest = length;
    }
    this.text = text;
    this.#count += all.length;
  }

  copy(): TagText {
    const copy = new TagText(this.#limits);
    copy.text = this.text;
    copy.#count = this.#count;
    copy.#longest = this.#longest;
    return copy;
  }

  get fits(): boolean {
    const { maxTags, maxLength, maxTotal } = this.#limits;
    return this.#count <= maxTags && this.#longest <= maxLength && this.text.length <= maxTotal;
  }
}

/** The names of the fields of the root, each once. */
function rootFields(root: Selection): readonly string[] {
  let names = namesOfFields.get(root);
  if (names === undefined) {
    const all = root.types.flatMap((type) => root.fieldsFor(type).map(({ name }) => name));
    names = [...new Set(all)].filter((name) => !name.startsWith('__'));
    namesOfFields.set(root, names);
  }
  return names;
}

const namesOfFields = new WeakMap<Selection, readonly string[]>();

/** An answer to a mutation. */
export interface MutationAnswer {
  readonly schema: GraphQLSchema;
  readonly root: Selection;
  /** null: the answer does not show the change. */
  readonly data: Answered | null;
  readonly objects: AnsweredObjects | undefined;
  /** True when a field has failed: it may have changed objects that the answer does not show. */
  readonly hasErrors: boolean;
}

/** The tags that a mutation purges: those of the objects in its answer, and all of a type whose objects the answer does not name. */
export function tagsOfMutation(
  { schema, root, data, objects, hasErrors }: MutationAnswer,
  settings: Pick<TagSettings, 'entity' | 'salt'>,
): readonly string[] {
  const given = data === null ? undefined : { selection: root, data, objects };
  const contents = given && contentsOf(given, settings, { maxTags: Infinity, maxTotal: Infinity });
  const tags = new Set<string>();
  for (const { type, ids } of contents?.entities ?? []) for (const id of ids.all) tags.add(entityTag(type, id, settings.salt));
  const types = new Set(contents?.types);
  // An answer that is too large to look at, or not shown, purges all types that may be in it.
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
    if (place.isTooLarge) throw new Error('It is too large to look at. Call purge of edge in its resolver.');
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

/** By schema and object type. To find them, all types of the schema are looked at. */
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
