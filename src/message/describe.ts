/** A value in a few words, for messages that say what came. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === 'object') return describeObject(value);
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Asks the prototype: a `constructor` of the object's own may be anything that a client sent. */
function describeObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return 'an object';
  const { constructor } = prototype as Partial<object>;
  return typeof constructor === 'function' ? `a ${constructor.name}` : 'an object';
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The first line of it: of what Node says of a module that cannot be found, the only line that helps. */
export function firstLineOf(thrown: unknown): string {
  return messageOf(thrown).split('\n', 1)[0]!;
}

/**
 * Does work whose errors have no stacks: all stacks would be alike or of no use, and they are most of the cost of
 * an error. `Reflect.set`, because `Error` is frozen in some processes.
 */
export function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return work();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

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
