import { Kind } from 'graphql';
import type { GraphQLError } from 'graphql';

import type { OperationOutcome } from '../../server/index.ts';
import { sha256 } from '../../shared/index.ts';
import { Contents } from './contents.ts';
import type { Answered } from './contents.ts';
import type { TagDialect } from './dialects.ts';
import type { Place } from './selection.ts';

/**
 * Tags name the contents of an answer. A public answer has:
 *   t:Type     each type of object in it
 *   e:Type:id  each object with an id
 *   u:Type     each type with objects in it that no tag names
 *   l:Type     each type of a list, and of a field that is null: a new object would change it
 *   q:field    each field of the root
 *   d:name     the deploy
 * A change of one object purges its e:, and the u: and l: of its type. If it is not known which objects have changed, t: and l: are purged.
 */

/** How tags name objects. */
export interface TagSettings {
  /** Hashed into ids, so that tags do not show them. */
  readonly salt?: string | undefined;
  readonly deploy?: string | undefined;
}

/** The tags that purge the answers with an object. */
export function tagsOfEntity(type: string, id: string, salt: string | undefined): readonly string[] {
  return [entityTag(type, id, salt), `u:${type}`, `l:${type}`];
}

/** The tags that purge all answers with objects of a type. */
export function tagsOfType(type: string): readonly string[] {
  return [`t:${type}`, `l:${type}`];
}

function entityTag(type: string, id: string, salt: string | undefined): string {
  return `e:${type}:${salt === undefined && /^[\w.-]{1,64}$/.test(id) ? id : sha256((salt ?? '') + id).slice(0, 24)}`;
}

/** Returns undefined if the answer must not be kept: it is too large, or its tags exceed the limits. */
export function tagsOfAnswer(root: Place, data: Answered, limits: TagDialect, settings: TagSettings): readonly string[] | undefined {
  const contents = new Contents();
  contents.addFields(root, root.types[0]!, data);
  const names = root.fieldNames.filter((name) => !name.startsWith('__'));
  return tagsOfContents(contents, names, limits, settings);
}

/** The tags of the contents of an answer with these fields of the root. */
export function tagsOfContents(
  { isWhole, types, unnamed, lists, unknown, ids }: Contents,
  rootFields: readonly string[],
  limits: TagDialect,
  { salt, deploy }: TagSettings,
): readonly string[] | undefined {
  if (!isWhole) return undefined;
  const unseen = [...unknown].flatMap((place) => [...place.typesBelow()]);
  const listed = [...lists].flatMap((place) => place.types.map(({ name }) => name));
  const tagsWith = (without: Iterable<string>): string[] => [
    ...(deploy === undefined ? [] : [`d:${deploy}`]),
    ...tagged('t', types, unseen),
    ...tagged('l', listed, unseen),
    ...tagged('q', rootFields),
    ...tagged('u', unnamed, unseen, without),
  ];
  const named = [...ids].flatMap(([type, all]) => Array.from(all, (id) => entityTag(type, id, salt)));
  // If the tags of the objects do not fit, any change of an object of their types purges the answer.
  return [[...tagsWith([]), ...named], tagsWith(ids.keys())].find((tags) => fit(tags, limits));
}

function tagged(kind: string, ...names: readonly Iterable<string>[]): string[] {
  return [...new Set(names.flatMap((some) => [...some]))].map((name) => `${kind}:${name}`);
}

/** True if a store accepts these tags for one answer. */
export function fit(tags: readonly string[], { maxTags, maxLength, maxTotal }: TagDialect): boolean {
  return tags.length <= maxTags && tags.join(' ').length <= maxTotal && tags.every(({ length }) => length <= maxLength);
}

/**
 * Returns the tags that a mutation purges: the tags of the objects that it has returned. Where an error or a null hides the change, the
 * selected types are purged. `called`: the response names of the fields that were called; undefined if nobody
 * knows.
 */
export function tagsOfMutation(
  root: Place,
  { result, errors, stream }: OperationOutcome,
  called: ReadonlySet<string | number> | undefined,
  salt: string | undefined,
): readonly string[] {
  // The later parts of a streamed answer are not known yet.
  const data = stream === undefined ? result.data : null;
  const contents = new Contents();
  const inexact = new Set<string>();
  for (const field of root.shapeOf(root.types[0]!).fields) {
    const own = errors.filter(({ path }) => path?.[0] === field.key);
    // A refused field purges nothing: otherwise anybody could empty the CDN.
    if (called?.has(field.key) === false || own.some((error) => error.path!.length === 1 && (isRefusal(error) || isOfArguments(error))))
      continue;
    const value = (data as Answered | null | undefined)?.[field.key] ?? null;
    contents.add(field, value);
    if (own.length > 0 || hasNull(value)) addAll(inexact, field.below.typesBelow());
  }
  if (!contents.isWhole) addAll(inexact, root.typesBelow());
  for (const place of contents.unknown) addAll(inexact, place.typesBelow());
  addAll(inexact, contents.unnamed);
  const named: string[] = [];
  for (const [type, ids] of contents.ids)
    if (ids.size > maxNamed) inexact.add(type);
    else for (const id of ids) named.push(...tagsOfEntity(type, id, salt));
  // The object may have had any type of its interface or union before.
  for (const [{ types }, ids] of contents.abstract)
    for (const { name } of types) {
      if (ids.has(undefined) || ids.size * types.length > maxNamed) inexact.add(name);
      else for (const id of ids) named.push(...tagsOfEntity(name, id!, salt));
    }
  return [...new Set([...named, ...[...inexact].flatMap(tagsOfType)])];
}

/**
 * The most objects of one type, or of the types that they may have had before, that are purged one by one. If there are more, all answers
 * with their types are purged.
 */
const maxNamed = 1_000;

function addAll(names: Set<string>, more: Iterable<string>): void {
  for (const name of more) names.add(name);
}

/** True for null, and for a list that contains it. */
function hasNull(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.some(hasNull));
}

/** True for invalid arguments, for which the resolver was not called. An error of the resolver is at the field. */
function isOfArguments({ nodes }: GraphQLError): boolean {
  return nodes?.[0] !== undefined && nodes[0].kind !== Kind.FIELD;
}

/** True for an error by which a field refuses the client. */
function isRefusal(error: unknown): boolean {
  const code = (error as { readonly extensions?: Readonly<Record<string, unknown>> } | null)?.extensions?.['code'];
  return code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
}
