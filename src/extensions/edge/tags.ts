import { isAbstractType, isObjectType, Kind } from 'graphql';
import type { GraphQLError, GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { AnsweredObjects } from '../../server/index.ts';
import { minRecordedErrors } from '../../executor/for-extensions.ts';
import { sha256 } from '../../shared/index.ts';
import { contentsOf } from './contents.ts';
import type { TaggedAnswer, TagSettings } from './contents.ts';
import type { TagDialect } from './dialects.ts';
import type { AnswerSelection } from './selection.ts';
import { walkAnswer } from './walk-answer.ts';
import type { Answered, AnswerVisitor } from './walk-answer.ts';

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
function rootFields(root: AnswerSelection): readonly string[] {
  const names = root.types.flatMap((type) => root.fieldsFor(type).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !name.startsWith('__'));
}

/** A mutation that has run, and its answer. */
export interface MutationAnswer {
  readonly schema: GraphQLSchema;
  readonly root: AnswerSelection;
  /** null: the answer does not show the change. */
  readonly data: Answered | null;
  readonly errors: readonly GraphQLError[];
  /** Lists the objects that the mutation has returned, even if its answer has lost them. Undefined: graphql-js has run it. */
  readonly objects: AnsweredObjects | undefined;
  /** The response names of the fields whose resolvers were called. Undefined: unknown, so all of them. */
  readonly called: ReadonlySet<string> | undefined;
}

/** The tags that a mutation purges: those of the objects it has returned, and all of a type whose objects it does not name. */
export function tagsOfMutation(answer: MutationAnswer, settings: Pick<TagSettings, 'entity' | 'salt'>): readonly string[] {
  const { schema, root, data, objects } = answer;
  const contents = contentsOf({ selection: root, data: data ?? {}, objects }, settings, { maxTags: Infinity, maxTotal: Infinity });
  const places = placesOf(answer, contents?.types);
  const names = new Map(contents?.entities.map(({ type, ids }) => [type, ids]));
  for (const place of places.lost) addTypes(places.types, place);
  const below = [...places.lost].flatMap((place) => [...place.typesBelow()]);
  const unnamed = new Set([...(contents?.unnamed ?? []), ...places.types, ...below]);
  const types = new Set([...(contents?.types ?? []), ...unnamed]);
  const tags = new Set<string>();
  for (const [type, ids] of names) for (const id of ids) tags.add(entityTag(type, id, settings.salt));
  // The object may have had any type of its interface or union before.
  for (const { types: possible } of places.abstract) {
    const found = possible.filter(({ name }) => types.has(name));
    const ids = found.flatMap(({ name }) => [...(names.get(name) ?? [])]);
    const isNamed = found.every(({ name }) => !unnamed.has(name)) && ids.length * possible.length <= maxFormerTags;
    for (const { name } of found.length === 0 ? [] : possible) {
      types.add(name);
      if (isNamed) for (const id of ids) tags.add(entityTag(name, id, settings.salt));
      else unnamed.add(name);
    }
  }
  for (const name of unnamed) tags.add(`t:${name}`);
  for (const name of types) for (const tag of changeTags(schema, name)) tags.add(tag);
  return [...tags];
}

/** The most tags of objects under types that they may have had before. Above that, all objects of these types are purged. */
const maxFormerTags = 1_000;

/** The places of a mutation where objects have changed that its answer does not name. */
interface ChangedPlaces {
  /** The types of fields that have failed, or returned no object. */
  readonly types: Set<string>;
  /** The objects at these places, and at any below, are not in the answer. */
  readonly lost: Set<AnswerSelection>;
  /** Places of objects whose type is an interface or a union. */
  readonly abstract: Set<AnswerSelection>;
}

/** `known`: the types of all objects that the mutation has returned. Undefined: unknown. */
function placesOf({ root, data, errors, objects, called }: MutationAnswer, known: readonly string[] | undefined): ChangedPlaces {
  const places: ChangedPlaces = { types: new Set(), lost: new Set(), abstract: new Set() };
  const fields = root.types.flatMap((type) => root.fieldsFor(type)).filter(({ key }) => called?.has(key) !== false);
  // A plugin or the deadline has replaced the errors of fields.
  const hidesErrors = data === null && errors.some(({ path }) => path === undefined);
  // The answer may have no room for all errors.
  const mayHideRefusals = errors.length >= minRecordedErrors && errors.some(isRefusal);
  for (const { key, name, below } of fields) {
    if (below === undefined || name.startsWith('__')) continue;
    if (isAbstractType(below.type)) places.abstract.add(below);
    const own = errors.filter(({ path }) => path?.[0] === key);
    const failure = own.find(({ path }) => path!.length === 1);
    const value = data?.[key] ?? null;
    // A refused mutation must not empty the CDN, nor must selections below a field that fails.
    // The field has returned null if another field made the data null and no object of its type was returned.
    const isAbsent = data === null && called !== undefined && known !== undefined && !below.types.some((type) => known.includes(type.name));
    const isNull = data === null ? isAbsent : hasNull(value);
    if (failure === undefined ? hidesErrors || (isNull && !mayHideRefusals) : !isRefusal(failure) && !isOfArguments(failure))
      addTypes(places.types, below);
    // With the list of objects, only the last field may have returned objects that are not in the list.
    const isLost = own.length > 0 || objects === undefined || key === fields.at(-1)!.key;
    if (failure === undefined && (known === undefined || (value === null && isLost && (data === null || own.length > 0))))
      places.lost.add(below);
  }
  if (data !== null) walkAnswer(root, data, visitorOf(places, errors.length > 0));
  return places;
}

/** Finds what a mutation does not name below the fields of its root. */
function visitorOf({ lost, abstract }: ChangedPlaces, hasErrors: boolean): AnswerVisitor {
  return {
    kind: 'objects',
    object: (_types, _value, selection) => {
      if (isAbstractType(selection.type)) abstract.add(selection);
    },
    field: ({ selected: { below }, value, isRoot }) => {
      if (hasErrors && !isRoot && below !== undefined && hasNull(value)) lost.add(below);
    },
  };
}

/** True for null, and for a list that contains it. */
function hasNull(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.some(hasNull));
}

function addTypes(types: Set<string>, place: AnswerSelection): void {
  for (const { name } of place.types) types.add(name);
}

/** True for invalid arguments, for which the resolver was not called. An error of the resolver is at the field. */
function isOfArguments({ nodes }: GraphQLError): boolean {
  return nodes?.[0] !== undefined && nodes[0].kind !== Kind.FIELD;
}

function isRefusal({ extensions }: GraphQLError): boolean {
  return extensions['code'] === 'UNAUTHENTICATED' || extensions['code'] === 'FORBIDDEN';
}

/** The tags that purge all answers with objects of these types, and their lists. */
export function tagsOfTypes(schema: GraphQLSchema | undefined, types: Iterable<string>): readonly string[] {
  return [...new Set(Array.from(types, (name) => [`t:${name}`, ...changeTags(schema, name)]).flat())];
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
