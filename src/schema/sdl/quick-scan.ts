import type { Span } from './location.ts';
import type { TypeEntry } from './schema-index.ts';
import type { FoundDefinition, ScannedMember, TypeKind } from './sdl-scanner.ts';

/**
 * Finds types and fields in schema text by one regular expression each. Cold, 3,000 types (1.2 MB) take 8 ms this way,
 * and 45 token by token; what an expression does not know is left to the careful scan, one definition at a time.
 *
 * Each expression can match a text in one way only: plain characters are followed by what cannot be among them, a comment
 * goes on to the end of its line, a name to its last character. So backtracking can neither make it slow nor let it
 * misread, whatever the text.
 */
const blank = String.raw`[\t\n\r ,\uFEFF]`;
const name = '[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_])';
const string = String.raw`(?:"""[^"\\]*(?:(?:\\"""|\\(?!""")|"(?!""))[^"\\]*)*"""|"(?!"")[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*")`;
const comment = String.raw`#[^\n\r]*(?![^\n\r])`;
const brackets = String.raw`\([^()"#]*(?:(?:${string}|${comment})[^()"#]*)*\)`;
const braces = String.raw`\{[^"#{}]*(?:(?:${string}|${comment})[^"#{}]*)*\}`;
const body = String.raw`\{[^"#{}]*(?:(?:${string}|${comment}|${braces})[^"#{}]*)*\}`;
const directives = `(?:${blank}*@${name}(?:${blank}*${brackets})?)*`;
const names = `(?:&${blank}*)?${name}(?:${blank}*&${blank}*${name})*`;

/** A whole type with fields or values: its kind, its name, what it implements, its directives. */
const typeWithBody = /* @__PURE__ */ new RegExp(
  `(?:${string}${blank}*)?(type|interface|enum|input)${blank}+(${name})(?:${blank}*implements${blank}+(${names}))?(${directives})${blank}*${body}`,
  'y',
);
const ignored = /* @__PURE__ */ new RegExp(`${blank}*(?:${comment}${blank}*)*`, 'y');

/** A type that was found whole. What most types are never asked for is made when it is. */
class QuickType implements FoundDefinition<Span>, TypeEntry {
  readonly kind: TypeKind;
  readonly name: string;
  readonly bare: boolean;
  readonly #start: number;
  readonly #end: number;
  readonly #implemented: string | undefined;
  #at: Span | undefined;

  constructor(found: RegExpExecArray, offset: number) {
    const [text, kind, typeName, implemented, directed] = found;
    this.kind = kind as TypeKind;
    this.name = typeName as string;
    this.bare = directed === '' && !text.startsWith('"');
    this.#start = found.index + offset;
    this.#end = this.#start + text.length;
    this.#implemented = implemented;
  }

  get extends(): false {
    return false;
  }

  /** The same array each time: members are kept by it. */
  get at(): Span {
    return (this.#at ??= [this.#start, this.#end]);
  }

  get extensions(): readonly [] {
    return none;
  }

  get interfaces(): readonly string[] {
    return this.#implemented?.match(/\w+/g) ?? none;
  }
}

const none = [] as const;

/**
 * Every definition in one text, where it is in all texts. `look` is the careful scan of the one that starts at a position;
 * it throws where nothing does.
 */
export function findDefinitions(text: string, offset: number, look: (at: number) => FoundDefinition<Span>): FoundDefinition<Span>[] {
  const definitions: FoundDefinition<Span>[] = [];
  for (let at = skipIgnored(text, 0); at < text.length;) {
    typeWithBody.lastIndex = at;
    const found = typeWithBody.exec(text);
    // Only types and interfaces can implement anything.
    if (found !== null && (found[3] === undefined || found[1] === 'type' || found[1] === 'interface')) {
      definitions.push(new QuickType(found, offset));
      at = skipIgnored(text, typeWithBody.lastIndex);
    } else {
      const definition = look(at);
      const [start, end] = definition.at;
      definitions.push(offset === 0 ? definition : { ...definition, at: [start + offset, end + offset] });
      at = skipIgnored(text, end);
    }
  }
  return definitions;
}

/** Where the next token starts. */
function skipIgnored(text: string, position: number): number {
  let at = position;
  // Nearly always one empty line, or one and a margin.
  for (let code = text.charCodeAt(at); code === 10 || code === 32; code = text.charCodeAt(at)) at += 1;
  ignored.lastIndex = at;
  ignored.test(text);
  return ignored.lastIndex;
}

const headOfFields = /* @__PURE__ */ new RegExp(
  `(?:${string}${blank}*)?(?:extend${blank}+)?(?:type|interface)${blank}[^"#{}]*(?:${string}[^"#{}]*)*\\{`,
  'y',
);
const description = /* @__PURE__ */ new RegExp(`${string}${blank}*`, 'y');
/** Nothing that belongs to the field may follow behind white space: then the careful scan says where it ends. */
const field = /* @__PURE__ */ new RegExp(
  String.raw`(${name})${blank}*(?:${brackets}${blank}*)?:${blank}*\[*${name}[\]!]*${directives}(?!${blank}*(?:${comment}${blank}*)*[@!\](])`,
  'y',
);

/** The fields of an object or interface type, or of an extension of one; undefined when it takes a careful look. */
export function findFields(text: string, [start, end]: Span): readonly ScannedMember[] | undefined {
  headOfFields.lastIndex = start;
  if (!headOfFields.test(text)) return undefined;
  const fields: QuickField[] = [];
  for (let at = skipIgnored(text, headOfFields.lastIndex); at !== end - 1; at = skipIgnored(text, field.lastIndex)) {
    const found = at < end ? fieldAt(text, at) : null;
    if (found === null) return undefined;
    fields.push(new QuickField(found[1] as string, text, at));
  }
  return fields;
}

/** With its description, if there is one; `field.lastIndex` is its end. */
function fieldAt(text: string, start: number): RegExpExecArray | null {
  field.lastIndex = start;
  if (text.charCodeAt(start) === 34) {
    description.lastIndex = start;
    if (!description.test(text)) return null;
    field.lastIndex = description.lastIndex;
  }
  return field.exec(text);
}

/** Of a large type's fields an operation asks for a few: where one ends is found again when it does. */
class QuickField implements ScannedMember {
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
    return [this.#start, field.lastIndex];
  }
}
