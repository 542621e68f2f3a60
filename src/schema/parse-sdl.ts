import { GraphQLError, parse, type DefinitionNode, type DocumentNode, type ParseOptions } from 'graphql';

import type { SchemaIndex } from './schema-index.ts';
import type { Span, TypeKind } from './sdl-scanner.ts';

/** Text to cut definitions out of, and what it was put together from. */
export type IndexedText = Pick<SchemaIndex, 'text' | 'sources'>;

/** The definition in a stretch of the indexed text. */
export function parseDefinition(indexed: IndexedText, [start, end]: Span): DefinitionNode {
  return definitionIn(parseFragment(indexed, indexed.text.slice(start, end), start, { noLocation: true }));
}

/** The extension in a stretch of the indexed text, where a second definition of a type's name may stand instead. */
export function parseExtension(indexed: IndexedText, at: Span): DefinitionNode {
  const [start, end] = at;
  if (indexed.text.startsWith('extend', start)) return parseDefinition(indexed, at);
  const keyword = 'extend ';
  return definitionIn(parseFragment(indexed, keyword + indexed.text.slice(start, end), start - keyword.length, { noLocation: true }));
}

/** The member in a stretch of the indexed text, as all there is in a definition of its type's kind. */
export function parseMember(indexed: IndexedText, kind: TypeKind, [start, end]: Span): DefinitionNode {
  const opening = `${kind} T{`;
  const fragment = `${opening}${indexed.text.slice(start, end)}}`;
  return definitionIn(parseFragment(indexed, fragment, start - opening.length, { noLocation: true }));
}

/** A stretch of the indexed text with the locations of its nodes, which count from its start. */
export function parseDocument(indexed: IndexedText, [start, end]: Span): DocumentNode {
  return parseFragment(indexed, indexed.text.slice(start, end), start, {});
}

/** One of the given texts, whole. */
export function parseSource(source: string, number: number, count: number): DocumentNode {
  try {
    return parse(source);
  } catch (error) {
    throw wrongText(error, (position) => describeIn(source, position, sourceName(number, count)));
  }
}

function definitionIn({ definitions: [definition] }: DocumentNode): DefinitionNode {
  if (definition === undefined) throw new Error('The schema index does not fit its text. Build it again.');
  return definition;
}

function parseFragment(indexed: IndexedText, fragment: string, offset: number, options: ParseOptions): DocumentNode {
  try {
    return parse(fragment, options);
  } catch (error) {
    throw wrongText(error, (position) => describePosition(indexed, offset + position));
  }
}

/**
 * The error for text that is not schema text, with the line that is wrong. A plain Error, because this may
 * be noticed in the middle of a request, and a GraphQLError would be answered as the client's mistake.
 */
function wrongText(error: unknown, describe: (position: number) => string): unknown {
  const position = error instanceof GraphQLError ? error.positions?.[0] : undefined;
  if (position === undefined) return error;
  const { message } = error as GraphQLError;
  return new Error(`The typeDefs cannot be parsed. ${message}\n\n${describe(position)}`, { cause: error });
}

/** Where a position of the indexed text stands in what the user wrote. */
function describePosition({ text, sources }: IndexedText, position: number): string {
  const number = sources.findIndex(([start, end]) => position >= start && position <= end);
  const [start, end] = sources[number] ?? [0, text.length];
  const name = number < 0 ? 'typeDefs, merged' : sourceName(number, sources.length);
  return describeIn(text.slice(start, end), position - start, name);
}

function sourceName(number: number, count: number): string {
  return count > 1 ? `typeDefs[${number}]` : 'typeDefs';
}

/** `typeDefs, line 3, column 5:` with the line and a mark under the column. */
function describeIn(text: string, position: number, name: string): string {
  const before = text.slice(0, position).split(lineEnd);
  const column = (before.at(-1)?.length ?? 0) + 1;
  const line = text.split(lineEnd)[before.length - 1] ?? '';
  return `${name}, line ${before.length}, column ${column}:\n  ${line}\n  ${' '.repeat(column - 1)}^`;
}

const lineEnd = /\r\n|[\n\r]/;
