import { isGraphQL17 } from '../../graphql-version.ts';
import type { DefinitionKind, FoundDefinition, ScannedMember, Span } from './location.ts';

/*
 * Regular expressions match whole definitions and fields: 3,000 types (1.2 MB) take a cold process 6 ms, and 45 token by token. Text
 * that does not match is left to graphql-js's parser.
 *
 * Each expression can match a text in only one way, so that backtracking is never slow or wrong: plain characters are followed by
 * characters that are not among them, comments extend to the end of the line, names to their last character. Lookaheads at the end
 * reject definitions that continue.
 */
const blank = String.raw`[\t\n\r ,\uFEFF]*`;
const comment = String.raw`#[^\n\r]*(?![^\n\r])`;
/** White space, commas and comments between two tokens. */
const gap = `${blank}(?:${comment}${blank})*`;
const wordEnd = '(?![A-Za-z0-9_])';
const name = `[A-Za-z_][A-Za-z0-9_]*${wordEnd}`;
const string = String.raw`(?:"""[^"\\]*(?:(?:\\"""|\\(?!""")|"(?!""))[^"\\]*)*"""|"(?!"")[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*")`;

/** Nested braces, for default values that are objects. */
function bracesIn(depth: number): string {
  const inner = depth === 0 ? '' : `|${bracesIn(depth - 1)}`;
  return String.raw`\{[^"#{}]*(?:(?:${string}|${comment}${inner})[^"#{}]*)*\}`;
}

const brackets = String.raw`\([^()"#]*(?:(?:${string}|${comment})[^()"#]*)*\)`;

/** The parts of definitions. `between`: white space, commas and comments between tokens. */
function partsWith(between: string): { prefix: string; directives: string; namesBy: (separator: string) => string } {
  return {
    prefix: `(?:(${string})${between}|(extend)${wordEnd}${between})?`,
    directives: `(?:${between}@${between}${name}(?:${between}${brackets})?)*`,
    namesBy: (separator) => `(?:${separator}${between})?${name}(?:${between}${separator}${between}${name})*`,
  };
}

/** Groups: description, `extend`, keyword, name, interfaces, directives, body, members of a union. */
function typePatternWith(between: string, body: string): RegExp {
  const { prefix, directives, namesBy } = partsWith(between);
  return sticky(
    `${prefix}(type|interface|enum|input|union|scalar)${wordEnd}${between}(${name})`,
    `(?:${between}implements${wordEnd}${between}(${namesBy('&')}))?(${directives})`,
    `(?:${between}(?:${body}|()=${between}${namesBy(String.raw`\|`)}))?(?!${gap}(?:[{@(&=|]|implements${wordEnd}))`,
  );
}

/** Most types, up to the opening brace. Small, because V8 compiles it at first use: saves half a millisecond for a small schema. */
const plainTypePattern = /* @__PURE__ */ typePatternWith(blank, String.raw`(\{)`);
/** The body of a type. */
const bodyPattern = /* @__PURE__ */ once(() => sticky(bracesIn(1)));
/** Definitions with comments, nested defaults, and other kinds than types. The groups are the same. */
const otherPatterns = /* @__PURE__ */ once(() => {
  const { prefix, directives, namesBy } = partsWith(gap);
  return {
    type: typePatternWith(gap, `()${bracesIn(3)}`),
    schema: sticky(`${prefix}(schema)${wordEnd}()()(${directives})(?:${gap}${bracesIn(0)})?(?!${gap}[{@(])`),
    directive: sticky(
      `${prefix}(directive)${wordEnd}${gap}@${gap}(${name})()(?:${gap}${brackets})?(${directives})`,
      `((?:${gap}repeatable${wordEnd})?${gap}on${wordEnd}${gap}${namesBy(String.raw`\|`)})?(?!${gap}(?:[|@(]|on${wordEnd}|repeatable${wordEnd}))`,
    ),
  };
});
const gapPattern = /* @__PURE__ */ sticky(gap);
const commentPattern = /* @__PURE__ */ new RegExp(comment, 'g');

function sticky(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''), 'y');
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The index where the next token starts. */
function skipGap(text: string, position: number): number {
  let at = position;
  let code = text.charCodeAt(at);
  // Usually line breaks and indentation, then a quote or a letter.
  while (code === 10 || code === 32) code = text.charCodeAt(++at);
  if (code === 34 || (code > 44 && code < 127)) return at;
  return matchEnd(gapPattern, text, at);
}

/**
 * Returns the index after the match, or 0 without a match. Uses `test`, because creating the object of a match takes longer than finding
 * the match.
 */
function matchEnd(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  pattern.test(text);
  return pattern.lastIndex;
}

/** Returns the definitions of a text; undefined if only a parser can find them. `offset`: the place of the text in all texts joined. */
export function scanDefinitions(text: string, offset = 0): readonly FoundDefinition<Span>[] | undefined {
  const definitions: ScannedDefinition[] = [];
  for (let at = skipGap(text, 0); at < text.length;) {
    const definition = typeAt(text, at, offset) ?? otherAt(text, at, offset);
    if (definition === undefined) return undefined;
    definitions.push(definition);
    at = skipGap(text, definition.end - offset);
  }
  return definitions;
}

function typeAt(text: string, at: number, offset: number): ScannedDefinition | undefined {
  const found = matchAt(plainTypePattern, text, at);
  if (found === null || !isPossible(found)) return undefined;
  const { lastIndex } = plainTypePattern;
  const end = found[7] === undefined ? lastIndex : matchEnd(bodyPattern(), text, lastIndex - 1);
  return end === 0 ? undefined : new ScannedDefinition(found, end, offset);
}

function otherAt(text: string, at: number, offset: number): ScannedDefinition | undefined {
  const { type, schema, directive } = otherPatterns();
  const found = matchAt(type, text, at);
  if (found !== null && !isPossible(found)) return undefined;
  const other = found ?? matchAt(schema, text, at) ?? matchAt(directive, text, at);
  if (other === null || (other[3] === 'directive' && !isPossibleDirective(other))) return undefined;
  return new ScannedDefinition(other, at + other[0].length, offset);
}

/** An extension adds directives, and a definition has locations. graphql 16 has no directives on either: its parser says so. */
function isPossibleDirective(found: RegExpExecArray): boolean {
  const isExtension = found[2] !== undefined;
  const hasDirectives = found[6] !== '';
  const hasLocations = found[7] !== undefined;
  return isExtension ? isGraphQL17 && hasDirectives && !hasLocations : hasLocations && (isGraphQL17 || !hasDirectives);
}

/** The pattern allows interfaces, bodies and union members for every kind. By index: destructuring takes a cold process a microsecond. */
function isPossible(found: RegExpExecArray): boolean {
  const kind = found[3];
  if (found[5] !== undefined && kind !== 'type' && kind !== 'interface') return false;
  if (found[7] !== undefined && (kind === 'union' || kind === 'scalar')) return false;
  return found[8] === undefined || kind === 'union';
}

/** Creates properties that are rarely read when they are. */
class ScannedDefinition implements FoundDefinition<Span> {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly extends: boolean;
  readonly end: number;
  readonly #start: number;
  readonly #implemented: string | undefined;
  #at: Span | undefined;

  /** `end` is an index in its text, which starts at `offset` of all texts. */
  constructor(found: RegExpExecArray, end: number, offset: number) {
    this.kind = found[3] as DefinitionKind;
    this.name = found[4] as string;
    this.extends = found[2] !== undefined;
    this.end = end + offset;
    this.#start = found.index + offset;
    this.#implemented = found[5];
  }

  /** Returns the same array each time, because caches use it as a key. */
  get at(): Span {
    return (this.#at ??= [this.#start, this.end]);
  }

  /** Lets a single definition stand for a TypeEntry. */
  get extensions(): readonly [] {
    return none;
  }

  get interfaces(): readonly string[] {
    return this.#implemented?.replaceAll(commentPattern, '').match(/\w+/g) ?? none;
  }
}

const none = [] as const;

const fieldPatterns = /* @__PURE__ */ once(() => {
  const { prefix, directives, namesBy } = partsWith(gap);
  const implemented = `(?:${gap}implements${wordEnd}${gap}${namesBy('&')})?`;
  return {
    /** A type up to the brace that opens its fields. */
    head: sticky(`${prefix}(?:type|interface)${wordEnd}${gap}${name}${implemented}${directives}${gap}\\{`),
    description: sticky(`${string}${gap}`),
    /** Group: the field's name. */
    field: sticky(
      String.raw`(${name})${gap}(?:${brackets}${gap})?:${gap}(?:\[${gap})*${name}(?:${gap}[\]!])*${directives}(?!${gap}[@!\](])`,
    ),
  };
});

/** The fields of an object or interface type or extension. Undefined if it needs a parser. */
export function scanFields(text: string, [start, end]: Span): readonly ScannedMember[] | undefined {
  const { head, field } = fieldPatterns();
  if (matchAt(head, text, start) === null) return undefined;
  const fields: ScannedMember[] = [];
  for (let at = skipGap(text, head.lastIndex); at !== end - 1; at = skipGap(text, field.lastIndex)) {
    const found = at < end ? fieldAt(text, at) : null;
    if (found === null) return undefined;
    fields.push(new ScannedField(found[1] as string, text, at));
  }
  return fields;
}

/** Matches a field with its description. It ends at the last index of the field's pattern. */
function fieldAt(text: string, start: number): RegExpExecArray | null {
  const { description, field } = fieldPatterns();
  if (text.charCodeAt(start) !== 34) return matchAt(field, text, start);
  return matchAt(description, text, start) && matchAt(field, text, description.lastIndex);
}

/** A field that does not store its end, and finds it again when needed: operations use few fields of a large type. */
class ScannedField implements ScannedMember {
  readonly name: string;
  readonly #text: string;
  readonly #start: number;

  constructor(fieldName: string, text: string, start: number) {
    this.name = fieldName;
    this.#text = text;
    this.#start = start;
  }

  get at(): Span {
    fieldAt(this.#text, this.#start);
    return [this.#start, fieldPatterns().field.lastIndex];
  }
}

/** True if a name occurs in the text outside of strings and comments. */
export function mentions(text: string, wanted: string): boolean {
  const stops = new RegExp(`${string}|${comment}|\\b(${wanted})\\b`, 'g');
  for (let found = stops.exec(text); found !== null; found = stops.exec(text)) if (found[1] !== undefined) return true;
  return false;
}
