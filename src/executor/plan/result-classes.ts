/**
 * An object of the response: an instance of a constructor with an empty prototype, so that all objects of a selection have one hidden
 * class. graphql-js uses `Object.create(null)`, a hash table in V8: 1,000 rows of 8 fields take twice as long to fill and to
 * stringify.
 */
export type ResultObject = Record<string, unknown>;

export type ResultClass = new () => ResultObject;

/** Classes by the number of fields, for which V8 reserves space in the object. */
const classes: ResultClass[] = [];
const maxClasses = 32;

export function resultClassFor(fields: number): ResultClass {
  return (classes[Math.min(fields, maxClasses)] ??= createResultClass());
}

function createResultClass(): ResultClass {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- one constructor for each number of fields is the point
  function Result(): void {
    // Fields are added in the order of the selection.
  }
  // Frozen, because responses share it.
  Result.prototype = Object.freeze(Object.create(null) as object);
  return Result as unknown as ResultClass;
}
