import { isObjectLike } from '../shared/index.ts';

/**
 * A copy of a value from JSON.parse. 0.5 KB of JSON takes 0.4 µs, compared with 2.4 µs for JSON.parse and 6 µs for structuredClone
 * (bench/). Spreading first keeps the source's hidden class, and "__proto__" remains an ordinary property.
 */
export function copyJSON<T extends object>(value: T): T;
export function copyJSON(value: Record<string, unknown> | unknown[]): unknown {
  if (Array.isArray(value)) return copyItems(value, copyJSON as (item: object) => unknown);
  return copyFields(value, copyJSON as (item: object) => unknown);
}

/**
 * A copy of anything that a hook can return: arrays, plain objects and instances of built-in classes, cycles included. Instances of
 * other classes are not copied. What can be read only once (a stream, a generator, a Response with a used body) goes to the first
 * caller; the next one gets an error.
 */
export function copyOf(root: unknown, isFirst: boolean): unknown {
  const copies = new Map<object, object>();
  const unfinished: [source: object, copy: object][] = [];
  const copyItem = (value: object): object => {
    const known = copies.get(value);
    if (known !== undefined) return known;

    const container = shallowCopyOf(value);
    const copy = container ?? copyBuiltIn(value, isFirst) ?? value;
    copies.set(value, copy);
    if (container !== undefined) unfinished.push([value, container]);
    return copy;
  };

  const result = isObjectLike(root) ? copyItem(root) : root;
  // This is not recursive, because a deeply nested value could overflow the stack.
  for (let next = unfinished.pop(); next !== undefined; next = unfinished.pop()) finish(next[0], next[1], copyItem);
  return result;
}

/** A copy of an array or a plain object; any other value as it is. */
export function copyOfPlain(value: unknown): unknown {
  if (!isObjectLike(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null ? copyOf(value, true) : value;
}

type CopyItem = (item: object) => unknown;

function copyItems(source: readonly unknown[], copyItem: CopyItem): unknown[] {
  return replaceItems(source.slice(), copyItem);
}

function copyFields(source: Record<string, unknown>, copyItem: CopyItem): Record<string, unknown> {
  return replaceFields({ ...source }, copyItem);
}

function replaceItems(copy: unknown[], copyItem: CopyItem): unknown[] {
  for (let index = 0; index < copy.length; index++) {
    const item = copy[index];
    if (typeof item === 'object' && item !== null) copy[index] = copyItem(item);
  }
  return copy;
}

function replaceFields(copy: Record<string, unknown>, copyItem: CopyItem): Record<string, unknown> {
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = copyItem(item);
  }
  return copy;
}

/** A container with the same items, or an empty one for a Map or Set; undefined for other values. */
function shallowCopyOf(value: object): object | undefined {
  if (Array.isArray(value)) return value.slice();
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return { ...value };
  if (prototype === null) return Object.setPrototypeOf({ ...value }, null) as object;
  if (value instanceof Map) return new Map();
  return value instanceof Set ? new Set() : undefined;
}

function finish(source: object, copy: object, copyItem: CopyItem): void {
  const toCopy = (item: unknown): unknown => (isObjectLike(item) ? copyItem(item) : item);
  if (Array.isArray(copy)) replaceItems(copy, copyItem);
  else if (copy instanceof Map) for (const [key, item] of source as Map<unknown, unknown>) copy.set(toCopy(key), toCopy(item));
  else if (copy instanceof Set) for (const item of source as Set<unknown>) copy.add(toCopy(item));
  else replaceFields(copy as Record<string, unknown>, copyItem);
}

/** Compares tags, because mentioning Headers or FormData would load fetch. */
function copyBuiltIn(value: object, isFirst: boolean): object | undefined {
  if (value instanceof Date) return new Date(value);
  if (value instanceof URL) return new URL(value);
  if (value instanceof URLSearchParams) return new URLSearchParams(value);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (value instanceof DataView) return new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
  if (ArrayBuffer.isView(value)) return copyView(value as Uint8Array);
  const tag = Object.prototype.toString.call(value);
  if (tag === '[object Headers]') return new Headers(value as Headers);
  if (tag === '[object FormData]') return copyForm(value as FormData);
  if (tag === '[object Response]' && !(value as Response).bodyUsed) return (value as Response).clone();
  if (!isFirst && (tag === '[object Response]' || tag === '[object ReadableStream]' || isIterator(value))) throw onceOnly();
  return undefined;
}

function isIterator(value: object): boolean {
  return Symbol.asyncIterator in value || (Symbol.iterator in value && 'next' in value);
}

function onceOnly(): Error {
  return new TypeError(
    'The result of this GET can be read only once (a stream, an iterator or a Response whose body was read), and an equal GET has already read it: ' +
      'read it in didReceiveResponse and return what you read, or set memoizeGetRequests to false',
  );
}

function copyForm(form: FormData): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value as string);
  return copy;
}

/** Does not use view.slice(), because a Buffer's slice shares its memory. */
function copyView(view: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(view);
}
