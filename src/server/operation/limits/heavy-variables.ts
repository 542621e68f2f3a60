/**
 * For variables above this weight only the first error is reported: graphql-js reads variables several times, and prints the object
 * around each invalid value. 80,000 unknown keys took 4 s of CPU and 400 MB, and 19,000 half a second. The weight is the number of
 * characters in strings and keys, plus 20 for each value: the limit is a thousand values, or 20,000 characters.
 */
export const lightWeight = 20_000;

const heavy = new WeakSet<object>();

/** Called by the request parser for variables above {@link lightWeight}. */
export function markHeavy(variables: object): void {
  heavy.add(variables);
}

/** True for variables that {@link markHeavy} was called with. */
export function areHeavy(variables: Readonly<Record<string, unknown>>): boolean {
  return heavy.has(variables);
}
