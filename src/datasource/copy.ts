/**
 * A copy of what JSON.parse has made: arrays, plain objects, and what cannot be changed.
 *
 * By hand, because a memoised GET does little else. 0.5 KB of JSON take 0.4 µs here, 2.4 µs with JSON.parse of
 * the text, 6 µs with structuredClone (bench/). Spreading first and descending afterwards is what makes the
 * difference: the copy has the source's hidden class from the start, and an own "__proto__" stays an ordinary property.
 */
export function copyJSON<T extends object>(value: T): T;
export function copyJSON(value: Record<string, unknown> | unknown[]): unknown {
  if (Array.isArray(value)) return copyItems(value, copyJSON as (item: object) => unknown);
  return copyFields(value, copyJSON as (item: object) => unknown);
}

/**
 * A copy of anything: of arrays and plain objects as above, and of the built-in classes next to them. An instance of any
 * other class is handed on as it is, for only its class could copy it.
 */
export function copyOf<T>(value: T): T;
export function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return copyItems(value, copyOf);

  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return copyFields(value as Record<string, unknown>, copyOf);
  if (prototype === null) return Object.setPrototypeOf(copyFields(value as Record<string, unknown>, copyOf), null);
  return copyBuiltIn(value);
}

function copyItems(source: readonly unknown[], copyItem: (item: object) => unknown): unknown[] {
  const copy = source.slice();
  for (let index = 0; index < copy.length; index++) {
    const item = copy[index];
    if (typeof item === 'object' && item !== null) copy[index] = copyItem(item);
  }
  return copy;
}

function copyFields(source: Record<string, unknown>, copyItem: (item: object) => unknown): Record<string, unknown> {
  const copy = { ...source };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = copyItem(item);
  }
  return copy;
}

function copyBuiltIn(value: object): unknown {
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [copyOf(key), copyOf(item)]));
  if (value instanceof Set) return new Set([...value].map((item) => copyOf(item)));
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value) && 'slice' in value) return copyView(value as Uint8Array);
  return value;
}

/** Not view.slice(): a Buffer's slice shares its memory. */
function copyView(view: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(view);
}
