import { didYouMean } from './did-you-mean.ts';

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
