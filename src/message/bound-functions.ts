type AnyFunction = (...given: never[]) => unknown;

const originals = new WeakMap<AnyFunction, AnyFunction>();

/** The function with `this` bound. What it was made of is remembered: a bound function hides its text and its parameters' names. */
export function bindTo(owner: object, original: AnyFunction): AnyFunction {
  const bound = original.bind(owner) as AnyFunction;
  originals.set(bound, original);
  return bound;
}

/** The function as the user wrote it. */
export function asWritten(given: AnyFunction): AnyFunction {
  return originals.get(given) ?? given;
}
