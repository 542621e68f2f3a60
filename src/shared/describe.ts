/** Describes a received value in a few words, for messages. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === 'object') return describeObject(value);
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Reads the prototype: a property named `constructor` may be anything that a client sent. */
function describeObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return 'an object';
  const name = (prototype as Partial<object>).constructor?.name;
  return name ? `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}` : 'an object';
}

/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs work whose errors need no stack, which is most of the cost of an error. `Reflect.set`, because some processes freeze `Error`. */
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

/** The function with `this` bound. Remembers the original, because a bound function hides its source text and parameter names. */
export function bindTo(owner: object, original: AnyFunction): AnyFunction {
  const bound = original.bind(owner) as AnyFunction;
  originals.set(bound, original);
  return bound;
}

/** The function as the user wrote it. */
export function asWritten(given: AnyFunction): AnyFunction {
  return originals.get(given) ?? given;
}

/** Truncates a text. The default is for a message that may quote what a client sent. */
export function cut(text: string, length = 1_000): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** "1 point", "2 points". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
