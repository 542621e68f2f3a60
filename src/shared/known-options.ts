import { describe } from './describe.ts';
import { didYouMean } from './did-you-mean.ts';
import { isRecord } from './plain-object.ts';

/**
 * Throws a TypeError for options that do not exist and for values that an option does not take. `path`: empty, or the option that contains
 * these entries, followed by a dot. `of`: the function that takes the options.
 */
export function assertEntries(path: string, values: unknown, expected: Readonly<Record<string, Expectation>>, of?: string): void {
  const owner = of === undefined ? '' : ` of ${of}`;
  const names = Object.keys(expected);
  if (!isRecord(values))
    throw new TypeError(`Expected the options${owner} to be an object with ${names.join(', ')}, got ${describe(values)}.`);
  // Uses Object.hasOwn, because "constructor" is not an option.
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) {
    // Lists all options only if none has a similar name.
    const hint = didYouMean(unknown, names) || ` Known options: ${names.join(', ')}.`;
    throw new TypeError(`Unknown option "${path}${unknown}"${owner}.${hint}`);
  }
  for (const name of names) assertValue(path + name, values[name], expected[name]!, of);
}

function assertValue(path: string, value: unknown, expectation: Expectation, of: string | undefined): void {
  const { words, holds, entries, each } = expectation;
  if (value === undefined && expectation.isRequired !== true) return;
  if (isRecord(value) && entries !== undefined) assertEntries(`${path}.`, value, entries, of);
  if (isRecord(value) && each !== undefined)
    for (const [key, one] of Object.entries(value)) assertValue(path + (/^\w+$/.test(key) ? `.${key}` : `["${key}"]`), one, each, of);
  if (!holds(value) || (value instanceof Promise && expectation !== anything))
    throw new TypeError(`Expected the option ${path}${of === undefined ? '' : ` of ${of}`} to be ${words}, got ${describeAll(value)}.`);
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
  /** The expectation for each value of an object with any keys. These values are checked first. */
  readonly each?: Expectation;
  /** Default: false */
  readonly isRequired?: boolean;
}

export const boolean: Expectation = { words: 'true or false', holds: (value) => typeof value === 'boolean' };
export const aFunction: Expectation = { words: 'a function', holds: (value) => typeof value === 'function' };
export const anything: Expectation = { words: 'anything', holds: () => true };
export const text: Expectation = { words: 'a string', holds: (value) => typeof value === 'string' };
export const positive: Expectation = {
  words: 'a positive whole number',
  holds: (value) => Number.isInteger(value) && (value as number) > 0,
};

/** A Keyv has these methods, too, but takes the lifetime in another form, so that nothing would expire. */
export const keyValueCache: Expectation = {
  words: 'an object with get, set and delete, such as new KeyvAdapter(keyv)',
  holds: (value) => hasMethods(value, 'get', 'set', 'delete') && !hasMethods(value, 'getMany', 'setMany'),
};

/** True for a list of strings. */
export function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(text.holds);
}

/** True for an object with these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return isRecord(value) && names.every((name) => typeof value[name] === 'function');
}
