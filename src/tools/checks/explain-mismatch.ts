import type { Mismatch } from '../../executor/index.ts';
import { describe, didYouMean } from '../../shared/index.ts';
import { placeTextOf } from './function-place.ts';

/** The likely cause of a null in a non-null field, or of a value that is not a list: one or two sentences for its error's message. */
export function explainMismatch(mismatch: Mismatch): string {
  try {
    const { resolve, parent, fieldName } = mismatch;
    if (resolve !== undefined) return explainReturned('Its resolver', resolve, mismatch.value);
    const method = ownerOf(parent)?.[fieldName];
    if (typeof method === 'function')
      return explainReturned(`The method ${fieldName} of its parent`, method as AnyFunction, mismatch.value);
    return explainProperty(mismatch);
  } catch {
    // The user's objects may be proxies whose traps throw.
    return '';
  }
}

type AnyFunction = (...given: never[]) => unknown;

function explainReturned(subject: string, resolve: AnyFunction, value: unknown): string {
  const place = placeTextOf(resolve);
  return ` ${subject}${place === undefined ? '' : ` (${place})`} returned ${returned(value)}`;
}

function returned(value: unknown): string {
  if (value === undefined) return 'undefined: is there a return? If it reads from a promise, is there an await?';
  if (value === null) return 'null.';
  const [list, promise] = [keyOf(value, Array.isArray), keyOf(value, isPromise)];
  if (list !== undefined) return `an object: return its property "${list}", which is the list.`;
  return promise === undefined ? `${describe(value)}.` : `an object whose property "${promise}" is a promise: is an await missing?`;
}

/** A field without a resolver. */
function explainProperty({ parentType, fieldName, value, parent }: Mismatch): string {
  if (value !== undefined && value !== null)
    return ` It has no resolver, and the property "${fieldName}" of its parent is ${returned(value)}`;
  if (parent === undefined || parent === null) return ` It has no resolver: write ${parentType}: { ${fieldName}: () => … }.`;
  if (Array.isArray(parent)) return ` Its parent is ${describe(parent)} items, not one object: is the list of the right field returned?`;
  if (value === null) return ` It has no resolver, and the property "${fieldName}" of its parent is null.`;
  const names = Object.keys(parent);
  const known = names.length === 0 ? `is ${describe(parent)} without properties` : `has only ${names.slice(0, maxNames).join(', ')}`;
  const more = names.length > maxNames ? ', …' : '';
  const promise = keyOf(parent, isPromise);
  const hint = promise === undefined ? didYouMean(fieldName, names) : ` "${promise}" is a promise: is an await missing?`;
  return ` It has no resolver, and its parent ${known}${more}.${hint}`;
}

/** Names of properties that are listed. */
const maxNames = 10;

function ownerOf(parent: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof parent === 'object' && parent !== null ? (parent as Readonly<Record<string, unknown>>) : undefined;
}

function keyOf(value: unknown, test: (member: unknown) => boolean): string | undefined {
  return Object.entries(ownerOf(value) ?? {}).find(([, member]) => test(member))?.[0];
}

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}
