import type { DefinitionLocation, Span } from './location.ts';
import { SDLCursor, UnexpectedSDL } from './sdl-cursor.ts';

/** What a definition defines, by its keyword in the text. */
export type DefinitionKind = TypeKind | 'schema' | 'directive';

/** The kinds of types, by their keywords. */
export type TypeKind = 'type' | 'interface' | 'union' | 'enum' | 'input' | 'scalar';

/** One definition or extension, in the text or in a document. */
export interface FoundDefinition<At extends DefinitionLocation = DefinitionLocation> {
  readonly kind: DefinitionKind;
  /** Empty for `schema`. */
  readonly name: string;
  readonly extends: boolean;
  readonly at: At;
  /** Names after `implements`. */
  readonly interfaces: readonly string[];
  /** Neither a description nor directives: nothing but members to merge with another definition of the name. */
  readonly bare: boolean;
}

/** A field, input field or enum value in the text of a type. */
export interface ScannedMember {
  readonly name: string;
  readonly at: Span;
}

/**
 * Finds the definitions in schema text without parsing it: bodies are skipped from brace to brace.
 * Throws an {@link UnexpectedSDL} at what it does not know.
 */
export function scanDefinitions(text: string): FoundDefinition<Span>[] {
  const cursor = new SDLCursor(text);
  const definitions: FoundDefinition<Span>[] = [];
  while (cursor.peek() !== '') definitions.push(scanDefinition(cursor));
  return definitions;
}

/** The one definition that starts at a position. */
export function scanDefinitionAt(text: string, position: number): FoundDefinition<Span> {
  return scanDefinition(new SDLCursor(text, position));
}

function scanDefinition(cursor: SDLCursor): FoundDefinition<Span> {
  const start = cursor.position;
  const { kind, name, extends: extending, interfaces, bare } = scanHead(cursor);
  if (hasBody.has(kind) && cursor.peek() === '{') cursor.skipBrackets('{');
  return { kind, name, extends: extending, at: [start, cursor.end], interfaces, bare };
}

/** Names and places of the fields, input fields or values in the definition or extension of a type. */
export function scanMembers(text: string, at: Span): ScannedMember[] {
  const cursor = new SDLCursor(text, at[0]);
  const { kind } = scanHead(cursor);
  const members: ScannedMember[] = [];
  // The next definition starts behind `end`: a type without a body must not take its braces.
  if (kind === 'schema' || !hasBody.has(kind) || cursor.end >= at[1] || !cursor.take('{')) return members;
  while (!cursor.take('}')) members.push(scanMember(cursor, kind));
  return members;
}

const hasBody: ReadonlySet<DefinitionKind> = new Set(['type', 'interface', 'enum', 'input', 'schema']);
const keywords: ReadonlySet<string> = new Set([...hasBody, 'union', 'scalar', 'directive']);

/** A definition up to its opening brace; the whole of those that have none. */
function scanHead(cursor: SDLCursor): Omit<FoundDefinition<Span>, 'at'> {
  const described = cursor.takeString();
  // Only definitions have descriptions, extensions do not.
  const extending = !described && cursor.takeKeyword('extend');
  const keyword = cursor.name();
  if (!isDefinitionKind(keyword) || (extending && keyword === 'directive')) throw new UnexpectedSDL(cursor.position);
  if (keyword === 'directive') cursor.expect('@');
  const name = keyword === 'schema' ? '' : cursor.name();
  const interfaces = keyword === 'type' || keyword === 'interface' ? scanInterfaces(cursor) : none;
  const directed = keyword === 'directive' ? skipDirectiveDefinition(cursor) : skipDirectives(cursor);
  if (keyword === 'union' && cursor.take('=')) scanNames(cursor, '|');
  return { kind: keyword, name, extends: extending, interfaces, bare: !described && !directed };
}

function isDefinitionKind(keyword: string): keyword is DefinitionKind {
  return keywords.has(keyword);
}

function scanInterfaces(cursor: SDLCursor): readonly string[] {
  return cursor.takeKeyword('implements') ? scanNames(cursor, '&') : none;
}

/** One for all: most types implement nothing. */
const none: readonly string[] = [];

/** `A | B`, also with a leading separator. */
function scanNames(cursor: SDLCursor, separator: '&' | '|'): string[] {
  cursor.take(separator);
  const names = [cursor.name()];
  while (cursor.take(separator)) names.push(cursor.name());
  return names;
}

function skipDirectiveDefinition(cursor: SDLCursor): false {
  if (cursor.peek() === '(') cursor.skipBrackets('(');
  cursor.takeKeyword('repeatable');
  if (!cursor.takeKeyword('on')) throw new UnexpectedSDL(cursor.position);
  scanNames(cursor, '|');
  return false;
}

/** Whether there were any. */
function skipDirectives(cursor: SDLCursor): boolean {
  const start = cursor.end;
  while (cursor.take('@')) {
    cursor.name();
    if (cursor.peek() === '(') cursor.skipBrackets('(');
  }
  return cursor.end > start;
}

function scanMember(cursor: SDLCursor, kind: DefinitionKind): ScannedMember {
  cursor.peek();
  const start = cursor.position;
  cursor.takeString();
  const name = cursor.name();
  if (kind !== 'enum') skipFieldTail(cursor, kind);
  skipDirectives(cursor);
  return { name, at: [start, cursor.end] };
}

/** Arguments, type and default value. */
function skipFieldTail(cursor: SDLCursor, kind: DefinitionKind): void {
  if (kind !== 'input' && cursor.peek() === '(') cursor.skipBrackets('(');
  if (!cursor.takePlainType()) {
    cursor.expect(':');
    skipType(cursor);
  }
  if (kind === 'input' && cursor.take('=')) skipValue(cursor);
}

function skipType(cursor: SDLCursor): void {
  while (cursor.take('['));
  cursor.name();
  while (cursor.take(']') || cursor.take('!'));
}

function skipValue(cursor: SDLCursor): void {
  const next = cursor.peek();
  if (next === '{' || next === '[') cursor.skipBrackets(next);
  else if (!cursor.takeString()) cursor.skipPlainValue();
}
