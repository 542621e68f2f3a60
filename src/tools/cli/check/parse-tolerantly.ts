import { GraphQLError, parse } from 'graphql';
import type { DocumentNode } from 'graphql';

/** A problem in typeDefs or resolvers, with its place. */
export interface Finding {
  readonly message: string;
  /** A place in schema text. */
  readonly sdl?: { readonly text: string; readonly offset: number } | undefined;
  /** The path of the resolver: ["Query", "books"]. */
  readonly resolver?: readonly string[];
}

/** The parts of schema text that could be parsed. */
export interface TolerantParse {
  readonly documents: readonly DocumentNode[];
  readonly findings: readonly Finding[];
  /** Names of definitions that could not be parsed. References to them are not reported. */
  readonly skipped: readonly string[];
}

/** Parses every definition that can be parsed, and reports a problem for each of the others. */
export function parseTolerantly(sources: readonly (string | DocumentNode)[]): TolerantParse {
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const documents = sources.map((source) => {
    const text = typeof source === 'string' ? source : textOf(source);
    if (text === undefined) return source as DocumentNode;
    const parsed = parseText(text, findings, skipped);
    // A loader may have added definitions that are not in the document's text.
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
      // Nothing is left, or nothing changed: the rest can be checked once this is fixed.
      if (blanked.trim() === '' || blanked === rest) return { kind: 'Document', definitions: [] } as unknown as DocumentNode;
      rest = blanked;
    }
  }
}

/** Makes places refer to the user's text instead of the one with blanks. */
function relocated(document: DocumentNode, text: string): DocumentNode {
  // All nodes of a document share one Source.
  if (document.loc) Object.defineProperty(document.loc.source, 'body', { value: text });
  return document;
}

const definitionStart =
  /^[ \t]*(?:extend\s+)?(?:(?:type|interface|union|enum|input|scalar)\s+(\w+)|schema\s*[@{]|directive\s*@\s*(\w+)|(?:fragment|query|mutation|subscription)\b)/gm;

/** The range from the start of the definition at an offset to the next definition. */
function definitionAround(text: string, offset: number): { start: number; end: number; names: string[] } {
  const starts = [...text.matchAll(definitionStart)];
  const current = starts.findLast(({ index }) => index <= offset);
  const next = starts.find(({ index }) => index > offset);
  const start = current === undefined ? 0 : withDescription(text, current.index);
  return { start, end: next?.index ?? text.length, names: current?.slice(1).filter((name) => name !== undefined) ?? [] };
}

/** Includes the description, which would otherwise be attached to the next definition. */
function withDescription(text: string, start: number): number {
  const before = text.slice(0, start).trimEnd();
  if (before.endsWith('"""')) return Math.max(0, before.lastIndexOf('"""', before.length - 4));
  return /"(?:[^"\\\n]|\\.)*"$/.exec(before)?.index ?? start;
}
