import type { GraphQLObjectType } from 'graphql';

import type { Mismatch } from '../../executor/index.ts';
import { describe, didYouMean } from '../../shared/index.ts';
import { placeTextOf } from './function-place.ts';

/** The likely cause of a value that does not match the type of its field, as sentences for its error's message. */
export function explainMismatch(mismatch: Mismatch): string {
  try {
    const { resolve, value, info } = mismatch;
    const { fieldName, parentType, returnType } = info;
    // graphql-js's messages about leaf values have no coordinate.
    const isLeaf = value !== undefined && value !== null && !String(returnType).startsWith('[');
    const start = isLeaf ? ` in ${parentType.name}.${fieldName}.` : '';
    if (resolve !== undefined) return `${start} Its resolver${placed(resolve)} returned ${returned(value)}`;
    return `${start} ${explainProperty(mismatch)}${originOf(mismatch)}`;
  } catch {
    // The user's objects may be proxies whose traps throw.
    return '';
  }
}

/** " (functions/graphql.ts:12:5)", or nothing. */
function placed(resolve: (...given: never[]) => unknown): string {
  const place = placeTextOf(resolve);
  return place === undefined ? '' : ` (${place})`;
}

function returned(value: unknown): string {
  if (value === undefined) return 'undefined: is there a return? If it reads from a promise, is there an await?';
  if (value === null) return 'null.';
  const [list, promise] = [keyOf(value, Array.isArray), keyOf(value, isPromise)];
  if (list !== undefined) return `an object: return its property "${list}", which is the list.`;
  return promise === undefined ? `${describe(value)}.` : `an object whose property "${promise}" is a promise: is an await missing?`;
}

/** A field without a resolver. */
function explainProperty({ info: { fieldName, parentType }, value, parent }: Mismatch): string {
  const found = `It has no resolver, and the property "${fieldName}" of its parent is `;
  // The executor passes the parent of a value that is missing.
  if (value !== undefined && value !== null) return `${found}${returned(value)}`;
  if (parent === undefined || parent === null) return `It has no resolver: write ${parentType.name}: { ${fieldName}: () => … }.`;
  if (typeof parent !== 'object' || Array.isArray(parent)) return `Its parent is ${describe(parent)}, not one object.`;
  const method = Reflect.get(parent, fieldName) as unknown;
  if (typeof method === 'function')
    return `The method ${fieldName} of its parent${placed(method as () => unknown)} returned ${returned(value)}`;
  if (value === null) return `${found}null.`;
  if (fieldName in parent) return `${found}undefined: is an await missing where it is set?`;
  const names = Object.keys(parent);
  const known = names.length === 0 ? `is ${describe(parent)} without properties` : `has only ${names.slice(0, maxNames).join(', ')}`;
  const more = names.length > maxNames ? ', …' : '';
  const promise = keyOf(parent, isPromise);
  const hint = promise === undefined ? didYouMean(fieldName, names) : ` "${promise}" is a promise: is an await missing?`;
  return `It has no resolver, and its parent ${known}${more}.${hint}`;
}

/** Names of properties that are listed. */
const maxNames = 10;

/** Says where the parent object comes from. Returns an empty text if the parent's field has an alias or no resolver. */
function originOf({ info: { path, schema } }: Mismatch): string {
  let above = path.prev;
  while (typeof above?.key === 'number') above = above.prev;
  const { key = '', typename = '' } = above ?? {};
  const { resolve } = (schema.getType(typename) as GraphQLObjectType | undefined)?.getFields()[key] ?? {};
  return resolve === undefined || resolve === null ? '' : ` The parent comes from the resolver of ${typename}.${key}${placed(resolve)}.`;
}

function keyOf(value: unknown, test: (member: unknown) => boolean): string | undefined {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return members.find(([, member]) => test(member))?.[0];
}

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}
