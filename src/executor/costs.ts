// Costs of a response, beyond the values of its fields.

/**
 * Costs beyond the size of the response, in units of a third of a microsecond. They share one limit, because each is small alone and
 * multiplies with rows, aliases or defaults: 7,000 literals of `{}` with 30 defaults in each of 100 rows took 1.4 s.
 */
export const workOf = {
  /** A promise: also 300 bytes or more until all have settled. */
  promise: 3,
  /** A failing field whose error is not recorded. Most of the work is the stack trace. */
  error: 45,
  /** An object or a list in an argument or a default value. */
  inputValue: 4,
  /** The number of list items, or fields of an input type, that count as one unit. Each also takes up to 45 bytes. */
  inputLeaves: 3,
  /** A default in an input object, which the client does not send: also 120 bytes. 20 KB of `{}` with 200 defaults each made 79 MB. */
  inputDefault: 1,
  /** A field planned for one more type: also up to 900 bytes. 2,490 aliases in rows of 40 types took 240 ms and 92 MiB. */
  plannedField: 10,
} as const;

/** Work of an operation that is free: 20,000 rows with three promises each. */
export const freeWork: number = 60_000 * workOf.promise;
/** The most work of an operation while its answer is empty. Each byte of the answer allows more. */
export const maxWork: number = 75_000 * workOf.promise;

/** Errors recorded per execution: a few more than a response contains. */
export const maxRecordedErrors = 1_100;
/** Errors that each operation of a batch may record, whatever its share. */
export const minRecordedErrors = 20;

/** Objects and lists that count only their characters. Each further one counts more: a million of them take a second before they are 6 MiB. */
export const freeContainers = 100_000;
export const sizeOfContainer = 64;

/** Characters counted for each item of a list, without its text or its fields. */
export const sizeOfItem = 2;
/** Characters counted for each item read from an iterable, which may be infinite. */
export const sizeOfRead = 8;

/** The default of `maxResultBytes`. */
export const usualMaxBytes = 33_554_432;

/** The most characters of JSON in invalid variables that graphql-js explains. It took half a second for 19,000 unknown keys, and 4 s and 400 MB for 80,000. */
export const maxExplained = 8_000;

/** Length of a value's JSON. 0 if it cannot be serialized: that fails later, when the response is written. */
export function lengthOfJSON(value: object): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}

/** True if the JSON of a value has more than `characters`. Stops reading the value there: the whole JSON of 70,000 keys takes 17 ms. */
export function isLongerThan(characters: number, value: unknown): boolean {
  let left = characters;
  const take = (part: unknown, name = ''): boolean => {
    left -= (name === '' ? 2 : name.length + 5) + (typeof part === 'string' ? part.length : 0);
    if (left < 0 || typeof part !== 'object' || part === null) return left < 0;
    if (Array.isArray(part)) return part.some((item) => take(item));
    for (const key in part) if (take((part as Record<string, unknown>)[key], key)) return true;
    return false;
  };
  return take(value);
}
