import { GraphQLError, parse } from 'graphql';
import type { DocumentNode } from 'graphql';

/** Something wrong with typeDefs or resolvers, and where in them. */
export interface Finding {
  readonly message: string;
  /** A place in schema text. */
  readonly sdl?: { readonly text: string; readonly offset: number } | undefined;
  /** Names of a type and of what is wrong in its resolvers: ["Query", "books"]. */
  readonly resolver?: readonly string[];
}

/** The parts of schema text that could be read. */
export interface TolerantParse {
  readonly documents: readonly DocumentNode[];
  readonly findings: readonly Finding[];
  /** Names of definitions that could not be read: definitions that refer to them are not to blame. */
  readonly skipped: readonly string[];
}

/** Parses every definition that can be parsed, with places; and says what is wrong with each of the others. */
export function parseTolerantly(sources: readonly (string | DocumentNode)[]): TolerantParse {
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const documents = sources.map((source) => {
    const text = typeof source === 'string' ? source : textOf(source);
    if (text === undefined) return source as DocumentNode;
    const parsed = parseText(text, findings, skipped);
    // A document may hold more than its own text: definitions that a loader has added.
    return typeof source !== 'string' && source.definitions.length !== parsed.definitions.length ? source : parsed;
  });
  return { documents, findings, skipped };
}

function textOf({ loc }: DocumentNode): string | undefined {
  return typeof loc?.source?.body === 'string' ? loc.source.body : undefined;
}

function parseText(text: string, findings: Finding[], skipped: string[]): DocumentNode {
  let rest = text;
  for (;;) {
    try {
      return relocated(parse(rest), text);
    } catch (error) {
      const offset = error instanceof GraphQLError ? error.positions?.[0] : undefined;
      if (offset === undefined) throw error;
      findings.push({ message: (error as GraphQLError).message, sdl: { text, offset } });
      const { start, end, names } = definitionAround(rest, offset);
      skipped.push(...names);
      const blanked = rest.slice(0, start) + rest.slice(start, end).replaceAll(/[^\n\r]/g, ' ') + rest.slice(end);
      // Nothing left of it, or nothing gained: the rest is better looked at when this has been mended.
      if (blanked.trim() === '' || blanked === rest) return { kind: 'Document', definitions: [] } as unknown as DocumentNode;
      rest = blanked;
    }
  }
}

/** Places are to be looked for in the user's text, not in the one with blanks. */
function relocated(document: DocumentNode, text: string): DocumentNode {
  // One Source is behind all nodes of a document.
  if (document.loc) Object.defineProperty(document.loc.source, 'body', { value: text });
  return document;
}

const definitionStart =
  /^[ \t]*(?:extend\s+)?(?:(?:type|interface|union|enum|input|scalar)\s+(\w+)|schema\s*[@{]|directive\s*@\s*(\w+)|(?:fragment|query|mutation|subscription)\b)/gm;

/** From the definition in which something is wrong to the next one. */
function definitionAround(text: string, offset: number): { start: number; end: number; names: string[] } {
  const starts = [...text.matchAll(definitionStart)];
  const own = starts.findLast(({ index }) => index <= offset);
  const next = starts.find(({ index }) => index > offset);
  const start = own === undefined ? 0 : withDescription(text, own.index);
  return { start, end: next?.index ?? text.length, names: own?.slice(1).filter((name) => name !== undefined) ?? [] };
}

/** A description would be taken for the next definition's. */
function withDescription(text: string, start: number): number {
  const before = text.slice(0, start).trimEnd();
  if (before.endsWith('"""')) return Math.max(0, before.lastIndexOf('"""', before.length - 4));
  return /"(?:[^"\\\n]|\\.)*"$/.exec(before)?.index ?? start;
}
