/**
 * Reads schema text token by token without building anything: what the scan of the definitions and the scan
 * of a type's members have in common.
 *
 * It knows the lexical grammar of the GraphQL specification (section 2.1) as far as it takes to find where
 * things end. Whatever it does not expect is an {@link UnexpectedSDL}, never a guess.
 *
 * Regular expressions instead of a loop over characters: a warm loop takes twice the time of a regular
 * expression, and in a cold process it starts in V8's interpreter. 3,000 types (2.7 MB) take 11 to 15 ms cold.
 */
export class SDLCursor {
  readonly text: string;
  /** Where the next token is looked for. */
  position: number;
  /** Where the last token ended: the end of a definition without the white space that follows it. */
  end: number;

  constructor(text: string, position = 0) {
    this.text = text;
    this.position = position;
    this.end = position;
  }

  /** The character the next token starts with; empty at the end of the text. */
  peek(): string {
    ignored.lastIndex = this.position;
    ignored.test(this.text);
    this.position = ignored.lastIndex;
    return this.text.charAt(this.position);
  }

  /** Takes one punctuator if it comes next. */
  take(punctuator: string): boolean {
    if (this.peek() !== punctuator) return false;
    this.#goTo(this.position + 1);
    return true;
  }

  expect(punctuator: string): void {
    if (!this.take(punctuator)) throw new UnexpectedSDL(this.position);
  }

  /** Takes a name. */
  name(): string {
    this.peek();
    const end = this.#nameEnd();
    if (end === this.position) throw new UnexpectedSDL(this.position);
    const name = this.text.slice(this.position, end);
    this.#goTo(end);
    return name;
  }

  /** Takes a name if it is this one. */
  takeKeyword(keyword: string): boolean {
    this.peek();
    if (!this.text.startsWith(keyword, this.position)) return false;
    if (this.#nameEnd() !== this.position + keyword.length) return false;
    this.#goTo(this.position + keyword.length);
    return true;
  }

  /** Takes a string or block string if one comes next. */
  takeString(): boolean {
    if (this.peek() !== '"') return false;
    this.#goTo(endOfString(this.text, this.position));
    return true;
  }

  /** Takes everything from an opening bracket to the one that closes it. */
  skipBrackets(open: '{' | '(' | '['): void {
    const stops = brackets[open];
    let depth = 0;
    let at = this.position;
    do {
      stops.lastIndex = at;
      if (!stops.test(this.text)) throw new UnexpectedSDL(this.text.length);
      at = stops.lastIndex - 1;
      const found = this.text.charAt(at);
      if (found === '"') at = endOfString(this.text, at);
      else if (found === '#') at = endOfLine(this.text, at);
      else {
        depth += found === open ? 1 : -1;
        at += 1;
      }
    } while (depth > 0);
    this.#goTo(at);
  }

  /** Takes `: [Type!]!` when it is written without comments or commas: what nearly every field has, in one step. */
  takePlainType(): boolean {
    plainType.lastIndex = this.position;
    if (!plainType.test(this.text)) return false;
    this.#goTo(plainType.lastIndex);
    return true;
  }

  /** Takes a number, a name or a variable: every value that has no brackets or quotes of its own. */
  skipPlainValue(): void {
    this.peek();
    plainValue.lastIndex = this.position;
    if (!plainValue.test(this.text)) throw new UnexpectedSDL(this.position);
    this.#goTo(plainValue.lastIndex);
  }

  #nameEnd(): number {
    nameToken.lastIndex = this.position;
    return nameToken.test(this.text) ? nameToken.lastIndex : this.position;
  }

  #goTo(position: number): void {
    this.position = position;
    this.end = position;
  }
}

/** The scan met something it does not know. The text may be wrong, or new: graphql-js's parser decides. */
export class UnexpectedSDL extends Error {
  readonly position: number;

  constructor(position: number) {
    super(`Unexpected schema text at ${position}.`);
    this.position = position;
  }
}

/** Whether a name occurs in the text outside of strings and comments. */
export function mentions(text: string, name: string): boolean {
  const stops = new RegExp(`["#]|\\b${name}\\b`, 'g');
  while (stops.test(text)) {
    const at = stops.lastIndex - 1;
    const found = text.charAt(at);
    if (found === '"') stops.lastIndex = endOfString(text, at);
    else if (found === '#') stops.lastIndex = endOfLine(text, at);
    else return true;
  }
  return false;
}

// White space, commas, the byte order mark and comments. Written without nested repetition that could match
// the same text in two ways, so that no text makes it slow.
const ignored = /[\t\n\r ,\uFEFF]*(?:#[^\n\r]*[\t\n\r ,\uFEFF]*)*/y;
const nameToken = /[A-Za-z_][A-Za-z0-9_]*/y;
// It ends in the last token, not in white space behind it: a field's span ends there. The lookaheads refuse a type
// that goes on after white space, and keep the pattern from settling for a part of a name instead.
const plainType = /[\t\n\r ]*:[\t\n\r ]*\[*[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_])[\]!]*(?![\]!]|[\t\n\r ,#]+[\]!#])/y;
const plainValue = /[-+.$A-Za-z0-9_]+/y;
const stringStops = /["\\\n\r]/g;
const brackets = { '{': /["#{}]/g, '(': /["#()]/g, '[': /["#[\]]/g };

function endOfLine(text: string, at: number): number {
  lineEnd.lastIndex = at;
  return lineEnd.test(text) ? lineEnd.lastIndex - 1 : text.length;
}

const lineEnd = /[\n\r]/g;

function endOfString(text: string, start: number): number {
  return text.startsWith('"""', start) ? endOfBlockString(text, start) : endOfPlainString(text, start);
}

/** Inside a block string a backslash means something only before three quotes (specification, 2.9.4). */
function endOfBlockString(text: string, start: number): number {
  let at = start + 3;
  for (;;) {
    at = text.indexOf('"""', at);
    if (at < 0) throw new UnexpectedSDL(start);
    // The opening quotes cannot be what the backslash precedes: the search starts after them.
    if (text.charAt(at - 1) !== '\\') return at + 3;
    at += 3;
  }
}

function endOfPlainString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    stringStops.lastIndex = at;
    if (!stringStops.test(text)) throw new UnexpectedSDL(start);
    at = stringStops.lastIndex;
    const found = text.charAt(at - 1);
    if (found === '"') return at;
    if (found !== '\\') throw new UnexpectedSDL(at - 1);
    at += 1;
  }
}
