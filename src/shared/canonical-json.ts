import { isObjectLike, isRecord } from './plain-object.ts';

const maxValues = 10_000;

/**
 * JSON with the members of every object in one order, so that equal values have one text. The value must come from JSON. Undefined if it
 * has more than 10,000 values, too many levels, or a number that JSON writes differently: 1e400 as null, -0 as 0.
 */
export function canonicalJSON(value: unknown): string | undefined {
  let left = maxValues;
  const check = (one: unknown): void => {
    const isExact = typeof one !== 'number' || (Number.isFinite(one) && !Object.is(one, -0));
    if (--left < (isRecord(one) ? Object.keys(one).length : 0) || !isExact) throw new RangeError('The value has no canonical JSON.');
  };
  try {
    return sortedJSON(value, check);
  } catch {
    // The value is too deep for the stack, or one of the cases above.
    return undefined;
  }
}

/**
 * JSON with the members of every object in one order. `check` is called with each value. Sorts texts, because a sorted copy of an object
 * with 80,000 keys takes 50 MB.
 */
export function sortedJSON(value: unknown, check?: (value: unknown) => void): string {
  check?.(value);
  if (Array.isArray(value) && (check !== undefined || value.some(isObjectLike)))
    return `[${value.map((item) => sortedJSON(item, check)).join()}]`;
  if (!isRecord(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${sortedJSON(value[name], check)}`).join()}}`;
}
