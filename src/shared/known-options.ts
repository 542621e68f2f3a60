import { describe } from './describe.ts';
import { didYouMean } from './did-you-mean.ts';
import { isRecord } from './plain-object.ts';

/**
 * Throws for options that do not exist, with the most similar name, or all names. `of`: the function that takes the options. `path`: the
 * option that contains these, followed by a dot.
 */
export function assertKnownOptions(
  options: object,
  known: Readonly<Record<string, unknown>>,
  { of = '', path = '' }: { readonly of?: string; readonly path?: string },
): void {
  // Uses Object.hasOwn, because "constructor" is not an option.
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known);
  // Lists all options only if none has a similar name.
  const hint = didYouMean(unknown, names) || ` Known options: ${names.join(', ')}.`;
  throw new TypeError(`Unknown option "${path}${unknown}"${of === '' ? '' : ` of ${of}`}.${hint}`);
}

/** `path`: empty, or the option that contains these entries, followed by a dot. `of`: the function that takes the options. */
export function assertEntries(path: string, values: object, expected: Readonly<Record<string, Expectation>>, of?: string): void {
  assertKnownOptions(values, expected, { path, ...(of !== undefined && { of }) });
  const owner = of === undefined ? '' : ` of ${of}`;
  for (const [name, expectation] of Object.entries(expected)) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (value === undefined && expectation.isRequired !== true) continue;
    if (expectation.entries !== undefined && isRecord(value)) assertEntries(`${path}${name}.`, value, expectation.entries, of);
    if (!expectation.holds(value) || (value instanceof Promise && expectation !== anything))
      throw new TypeError(`Expected the option ${path}${name}${owner} to be ${expectation.words}, got ${describeAll(value)}.`);
  }
}

/** Describes the items of a list, because one of them is wrong. */
function describeAll(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? `[${value.slice(0, 5).map(describe).join(', ')}]` : describe(value);
}

/** Describes the values that an option may have. */
export interface Expectation {
  /** Completes "Expected the option x to be …". */
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
  /** The entries, if the value may be an object. They are checked first, so that the message names the wrong entry. */
  readonly entries?: Readonly<Record<string, Expectation>>;
  /** Default: false */
  readonly isRequired?: boolean;
}

export const boolean: Expectation = { words: 'true or false', holds: (value) => typeof value === 'boolean' };
export const aFunction: Expectation = { words: 'a function', holds: (value) => typeof value === 'function' };
export const anything: Expectation = { words: 'anything', holds: () => true };
export const positive: Expectation = {
  words: 'a positive whole number',
  holds: (value) => Number.isInteger(value) && (value as number) > 0,
};
