import type { DocumentNode } from 'graphql';

import { describeValue } from '../resolvers/merge-resolvers.ts';

/** The schema in the schema definition language: text, a parsed document, or a list of these. */
export type TypeDefs = string | DocumentNode | readonly TypeDefs[];

/** All texts and documents in `typeDefs`. Throws an Error that says what to write if there is anything else. */
export function sourcesOf(typeDefs: unknown): (string | DocumentNode)[] {
  const sources = collect(typeDefs, 'typeDefs');
  if (sources.length === 0) throw new Error('typeDefs is an empty list. Put schema text into it: type Query { … }.');
  return sources;
}

function collect(typeDefs: unknown, path: string): (string | DocumentNode)[] {
  if (Array.isArray(typeDefs)) return typeDefs.flatMap((item, position) => collect(item, `${path}[${position}]`));
  return [isDocument(typeDefs) ? typeDefs : assertText(typeDefs, path)];
}

/** True for documents of any copy of graphql. */
function isDocument(value: unknown): value is DocumentNode {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Document';
}

function assertText(value: unknown, path: string): string {
  if (typeof value !== 'string')
    throw new Error(`${path} takes schema text or a parsed document, got ${describeValue(value)}.${hintFor(value)}`);
  if (value.trim() === '') throw new Error(`${path} is empty. Write the schema: type Query { … }.`);
  if (looksLikePath(value))
    throw new Error(`${path} takes schema text, got a path: "${value}". Read its text with readFileSync(…, "utf8").`);
  return value;
}

/** True for a text without spaces that ends like a file name: schema text has a space in every definition. */
function looksLikePath(text: string): boolean {
  return /^\S+\.(?:graphqls?|gql|sdl|ts|js|mjs|cjs|json|txt)$/.test(text.trim());
}

function hintFor(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'default' in value) return ' Import its default export.';
  if (isSchema(value)) return ' It is a GraphQLSchema: give it as `schema`.';
  if (value === undefined) return ' Is it imported from a module that imports this one?';
  if (value instanceof Uint8Array) return ' It is a file as bytes: read it with "utf8".';
  const kind = describeValue(value);
  if (kind === 'a promise') return ' Await it first.';
  return kind === 'a function' ? ' Call it first.' : '';
}

/** True for a `GraphQLSchema` of any copy of graphql. */
export function isSchema(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object GraphQLSchema]';
}

/** Marks schema text for editors and formatters, and returns it unparsed, unlike `graphql-tag`. */
export function gql(strings: TemplateStringsArray, ...texts: readonly string[]): string {
  return String.raw({ raw: strings.map(assertCooked) }, ...texts.map(assertPiece));
}

function assertCooked(text: string | undefined): string {
  if (text === undefined) throw new SyntaxError('gql: the template has an invalid escape sequence; write the backslash twice.');
  return text;
}

function assertPiece(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`gql: the template takes strings only, got ${typeof value}.`);
}
