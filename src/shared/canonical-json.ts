import { isRecord } from './plain-object.ts';

const maxValues = 10_000;

/**
 * JSON with the members of every object in one order, so that equal values have one text. The value must come from JSON. Undefined if it
 * has more than 10,000 values, too many levels, or a number that JSON writes differently: 1e400 as null, -0 as 0.
 */
export function canonicalJSON(value: unknown): string | undefined {
  let left = maxValues;
  const inOrder = (_name: string, one: unknown): unknown => {
    const names = isRecord(one) ? Object.keys(one) : [];
    const isExact = typeof one !== 'number' || (Number.isFinite(one) && !Object.is(one, -0));
    if (--left < names.length || !isExact) throw new RangeError('The value has no canonical JSON.');
    return isRecord(one) ? Object.fromEntries(names.toSorted().map((name) => [name, one[name]])) : one;
  };
  try {
    return JSON.stringify(value, inOrder);
  } catch {
    // The value is too deep for the stack, or one of the cases above.
    return undefined;
  }
}
