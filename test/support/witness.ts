import { AsyncLocalStorage } from 'node:async_hooks';

import * as graphql from 'graphql';

import { reachableFrom } from './reachable.ts';

/** Whose call this is, wherever the code runs. */
export const callers: AsyncLocalStorage<string> = new AsyncLocalStorage<string>();

/**
 * Everything that functions of the user were given, with the call in which that was. An object that comes in two calls is a way from one
 * user to another: code keeps things by it, or writes into it.
 */
export class Witness {
  readonly problems = new Set<string>();
  readonly #owners = new WeakMap<object, string>();
  #known: ReadonlySet<object> = new Set();

  /** Objects that all calls share by intention: the schema, and what the user has made. But not those that only copies may be given of. */
  knows(roots: readonly unknown[], except: ReadonlySet<object> = new Set()): void {
    this.#known = reachableFrom([...roots, graphql, globalThis, process, new Error('with its accessors')], except);
  }

  sees(place: string, given: unknown, path = '', depth = 0): void {
    const caller = callers.getStore();
    if (caller === undefined || depth > 8) return;
    if (typeof given === 'string') {
      for (const [token] of given.matchAll(/user-\d+-\d+/g))
        if (token !== caller) this.problems.add(`${place}${path}: a text of another call`);
      return;
    }
    if (typeof given !== 'object' || given === null || this.#known.has(given) || isDocumentPart(given)) return;
    const owner = this.#owners.get(given);
    if (owner === caller) return;
    if (owner !== undefined) {
      if (!isTheSameForGood(given)) this.problems.add(`${place}${path}: ${given.constructor?.name ?? 'null'} of another call`);
      return;
    }
    this.#owners.set(given, caller);
    if (isOfThePlatform(given)) return;
    if (Symbol.iterator in given && typeof (given as { entries?: unknown }).entries === 'function')
      for (const entry of given as Iterable<unknown>) this.sees(place, entry, `${path}[]`, depth + 1);
    for (const key of Reflect.ownKeys(given))
      if (!ownParts.has(key)) this.sees(place, read(given, key), `${path}.${String(key)}`, depth + 1);
  }
}

/** Of this library and of graphql-js, for themselves. */
const ownParts: ReadonlySet<PropertyKey> = new Set(['resultLimit', '_memoizedCoercedDefaultValue']);

function read(object: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}

/** A document is kept, and graphql-js shares it in the same way. */
function isDocumentPart(value: object): boolean {
  const { kind } = value as { kind?: unknown };
  return (
    (typeof kind === 'string' && Object.values(graphql.Kind).includes(kind as graphql.Kind)) ||
    value instanceof graphql.Location ||
    value instanceof graphql.Source ||
    isSchemaPart(value)
  );
}

function isSchemaPart(value: object): boolean {
  return graphql.isType(value) || graphql.isSchema(value) || graphql.isDirective(value);
}

function isTheSameForGood(object: object): boolean {
  return Object.isFrozen(object) && Reflect.ownKeys(object).every((key) => !isObject(Reflect.get(object, key)));
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Node's objects have parts that all of them share. */
function isOfThePlatform(value: object): boolean {
  return (
    value instanceof Request || value instanceof Response || value instanceof AbortSignal || value instanceof Promise || 'socket' in value
  );
}

/** Writes into everything that a careless function could write into. */
export function spoil(caller: string, ...values: unknown[]): void {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || isDocumentPart(value) || isOfThePlatform(value) || !Object.isExtensible(value))
      continue;
    if (Array.isArray(value)) value.push(`spoilt by ${caller}`);
    else if (Object.getPrototypeOf(value) === null || Object.getPrototypeOf(value) === Object.prototype) {
      Reflect.set(value, 'spoilt', caller);
      for (const key of Object.keys(value)) {
        const part = Reflect.get(value, key) as unknown;
        if (typeof part === 'object' && part !== null && (Array.isArray(part) || Object.getPrototypeOf(part) === null)) spoil(caller, part);
      }
    }
  }
}
