import { AsyncLocalStorage } from 'node:async_hooks';

import * as graphql from 'graphql';

import { reachableFrom } from './reachable.ts';

/** The user of the current call, in synchronous and asynchronous code. */
export const callers: AsyncLocalStorage<string> = new AsyncLocalStorage<string>();

/**
 * Records every object that functions of the user receive, with the call in which they received it. An object that appears in two calls
 * can carry data from one user to another, because code stores values by it or writes to it.
 */
export class Witness {
  readonly problems = new Set<string>();
  readonly #owners = new WeakMap<object, string>();
  #known: ReadonlySet<object> = new Set();

  /** Objects that all calls share intentionally: the schema, and objects of the user, except those of which functions must receive copies. */
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

/** Internal properties of this library and of graphql-js. `rules`: what edge() was told, the same for all calls; `_spanContext`: OpenTelemetry's constant for no span. */
const ownParts: ReadonlySet<PropertyKey> = new Set(['resultLimit', 'rules', '_spanContext', '_memoizedCoercedDefaultValue']);

function read(object: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}

/** True for parts of documents, which are cached, and which graphql-js shares in the same way. */
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

/** True for instances of Node's classes, which share some of their parts. */
function isOfThePlatform(value: object): boolean {
  return (
    value instanceof Request || value instanceof Response || value instanceof AbortSignal || value instanceof Promise || 'socket' in value
  );
}

/** Writes to every object that a careless function could write to. */
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
