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
