import { GraphQLError, parse, version } from 'graphql';
import type {
  ASTNode,
  DefinitionNode,
  DocumentNode,
  EnumValueDefinitionNode,
  FieldDefinitionNode,
  InputValueDefinitionNode,
} from 'graphql';

import { isGraphQL17 } from '../../graphql-version.ts';
import { isParsed } from './location.ts';
import type { DefinitionLocation, Span, TypeKind } from './location.ts';
import type { SchemaIndex } from './schema-index.ts';

/** Schema text with the spans of its sources. */
export type IndexedText = Pick<SchemaIndex, 'text' | 'sources'>;

/** A field, an input field or an enum value. */
export type MemberNode = FieldDefinitionNode | InputValueDefinitionNode | EnumValueDefinitionNode;

export function parseDefinition<Node extends DefinitionNode>(indexed: IndexedText, at: DefinitionLocation<Node>): Node {
  if (isParsed<Node>(at)) return at;
  const [start, end] = at as Span;
  return definitionIn(parseFragment(indexed, indexed.text.slice(start, end), start)) as Node;
}

/** Parses an extension, or a second definition as an extension. */
export function parseExtension(indexed: IndexedText, at: DefinitionLocation): DefinitionNode {
  const node = parseDefinition(indexed, at);
  return { ...node, kind: node.kind.replace('Definition', 'Extension') } as DefinitionNode;
}

/** Parses a member alone, inside a definition of its type's kind. */
export function parseMember(indexed: IndexedText, kind: TypeKind, at: DefinitionLocation<MemberNode>): MemberNode {
  if (isParsed(at)) return at;
  const [start, end] = at;
  const opening = `${kind} T{`;
  const fragment = `${opening}${indexed.text.slice(start, end)}}`;
  return membersOf(definitionIn(parseFragment(indexed, fragment, start - opening.length)))[0] as MemberNode;
}

/** The fields or values of a definition or extension. */
export function membersOf(node: ASTNode): readonly MemberNode[] {
  if ('fields' in node && node.fields) return node.fields as readonly MemberNode[];
  return 'values' in node && node.values ? (node.values as readonly MemberNode[]) : [];
}

/** Parses one of several texts. */
export function parseSource(source: string, number: number, count: number): DocumentNode {
  return parseText(source, (position) => describeIn(source, position, sourceName(number, count)));
}

function definitionIn({ definitions }: DocumentNode): DefinitionNode {
  return definitions[0] as DefinitionNode;
}

function parseFragment(indexed: IndexedText, fragment: string, offset: number): DocumentNode {
  return parseText(fragment, (position) => describePosition(indexed, offset + position));
}

/** Throws a plain Error for invalid text, because during a request a GraphQLError would be the client's mistake. */
function parseText(text: string, describe: (position: number) => string): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    const position = error instanceof GraphQLError ? error.positions?.[0] : undefined;
    if (position === undefined) throw error;
    const { message } = error as GraphQLError;
    throw new Error(`The typeDefs cannot be parsed. ${message}${newerSyntaxIn(message)}\n\n${describe(position)}`, { cause: error });
  }
}

/** Explains syntax that graphql 16 does not parse (GraphQL, September 2026: directives on directive definitions). */
function newerSyntaxIn(message: string): string {
  const isNewer = !isGraphQL17 && /Expected "on", found "@"|Unexpected Name "directive"/.test(message);
  return isNewer ? `. Directives on directive definitions need graphql 17; this is graphql ${version}.` : '';
}

/** The location of a position in the user's texts. */
function describePosition({ text, sources }: IndexedText, position: number): string {
  const number = sources.findIndex(([start, end]) => position >= start && position <= end);
  const [start, end] = sources[number]!;
  return describeIn(text.slice(start, end), position - start, sourceName(number, sources.length));
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
