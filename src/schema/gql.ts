/**
 * Marks schema text for editors and formatters, and returns the text as it stands.
 *
 * Not `graphql-tag`, which parses every schema at start: here the text stays text, and only the types that
 * operations touch are ever parsed.
 */
export function gql(strings: TemplateStringsArray, ...texts: readonly string[]): string {
  return String.raw({ raw: strings.map(assertCooked) }, ...texts.map(assertText));
}

function assertCooked(text: string | undefined): string {
  if (text === undefined)
    throw new SyntaxError('gql: the template has an escape that JavaScript does not know; write the backslash twice.');
  return text;
}

function assertText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`gql: only text can be put into the template, got ${typeof value}.`);
}
