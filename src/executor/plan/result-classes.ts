/**
 * An object of the response: an instance of a constructor with an empty prototype, so that all objects of a selection have one hidden
 * class. graphql-js uses `Object.create(null)`, a hash table in V8: 1,000 rows of 8 fields take twice as long to fill and to stringify
 * (bench/execute.ts).
 */
export type ResultObject = Record<string, unknown>;

/** The classes of objects, by the response names of their fields. */
export type ResultClasses = Map<string, ResultClass>;

export type ResultClass = new () => ResultObject;

/** Number of objects before a selection gets a dedicated class. Creating one takes 1 to 2 us, half of the first run of a small document. */
export const sharedUses = 16;

/** Shared classes by the number of fields, for which V8 reserves space in the object. */
const sharedClasses: ResultClass[] = [];
const maxSharedClasses = 32;

export function sharedClassFor(fields: number): ResultClass {
  return (sharedClasses[Math.min(fields, maxSharedClasses)] ??= createResultClass());
}

/** The class for objects of a plan with these fields. */
export function classFor(fields: readonly { readonly responseName: string }[], classes: ResultClasses): ResultClass {
  const names = fields.map(({ responseName }) => responseName).join(' ');
  let known = classes.get(names);
  if (known === undefined) classes.set(names, (known = createResultClass()));
  return known;
}

function createResultClass(): ResultClass {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- a constructor per selection is the point
  function Result(): void {
    // Fields are added in the order of the selection.
  }
  // Frozen, because responses share it.
  Result.prototype = Object.freeze(Object.create(null) as object);
  return Result as unknown as ResultClass;
}
