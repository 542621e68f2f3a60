/**
 * The object that a selection's results go into.
 *
 * They are instances of one constructor whose prototype is empty, so that V8 gives them all one hidden class. graphql-js uses
 * `Object.create(null)`, which V8 keeps as a hash table: 1,000 rows of 8 fields take twice as long to fill and to stringify
 * (bench/execute.ts). Either has no inherited property that a field name could meet.
 */
export type ResultObject = Record<string, unknown>;

/** By the names of the response: objects of the same names are of one class, whatever their type. */
export type ResultClasses = Map<string, ResultClass>;

export type ResultClass = new () => ResultObject;

/**
 * Objects that a selection makes before it gets a class of its own. A class takes 1 to 2 us, half of the first run of a document in which
 * each selection makes one object; for those V8 finds the hidden classes that others have left.
 */
export const sharedUses = 16;

/** By the number of fields, for which V8 leaves room in the object. */
const sharedClasses: ResultClass[] = [];
const maxSharedClasses = 32;

export function sharedClassFor(fields: number): ResultClass {
  return (sharedClasses[Math.min(fields, maxSharedClasses)] ??= createResultClass());
}

/** The class of the selections of a plan that have these names. */
export function ownClassFor(fields: readonly { readonly responseName: string }[], classes: ResultClasses): ResultClass {
  const names = fields.map(({ responseName }) => responseName).join(' ');
  let own = classes.get(names);
  if (own === undefined) classes.set(names, (own = createResultClass()));
  return own;
}

function createResultClass(): ResultClass {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- a constructor per selection is the point
  function Result(): void {
    // Fields are added in the order of the selection.
  }
  // Frozen, so that no answer can leave anything there to another.
  Result.prototype = Object.freeze(Object.create(null) as object);
  return Result as unknown as ResultClass;
}
