import { createError } from '../errors.ts';

/** Levels of braces, brackets and parentheses in a document, also with its fragments expanded, and of objects and lists in variables. */
export const maxNesting = 200;

/**
 * Throws when braces, brackets and parentheses nest deeper than the limit, or when there are too many comments: the parser keeps a token
 * for each of them, but does not count it. One pass over the text, no recursion.
 */
export function assertNesting(source: string, maxComments: number): void {
  let depth = 0;
  let comments = 0;
  for (let at = 0; at < source.length; at++) {
    switch (source.charAt(at)) {
      case '{':
      case '[':
      case '(':
        if (++depth > maxNesting)
          throw createError('GRAPHQL_PARSE_FAILED', `Syntax Error: Document nests deeper than ${maxNesting} levels. Parsing aborted.`);
        break;
      case '}':
      case ']':
      case ')':
        depth--;
        break;
      case '"':
        at = endOfString(source, at);
        break;
      case '#':
        if (++comments > maxComments)
          throw createError('GRAPHQL_PARSE_FAILED', `Syntax Error: Document has more than ${maxComments} comments. Parsing aborted.`);
        at = endOfLine(source, at);
        break;
    }
  }
}

/**
 * Maximum length of a name. A name may be repeated in each of a hundred errors, and an alias in each row of an answer: one of 900 KB in
 * 500 rows took 450 MB. The longest names that code generators write have about 150 characters.
 */
export const maxNameLength = 256;

/** Throws when a name, alias or variable name is longer. Must run before parsing, whose errors quote names. */
export function assertNames(source: string): void {
  // Look at every 257th character: a name that is too long covers at least one of them.
  for (let at = maxNameLength; at < source.length; at += maxNameLength + 1) {
    if (lengthOfWord(source, at) <= maxNameLength) continue;
    assertNamesOneByOne(source);
    return;
  }
}

/** The slow check: skips strings, comments and numbers. */
function assertNamesOneByOne(source: string): void {
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (source[at] === '"') at = endOfString(source, at);
    else if (source[at] === '#') at = endOfLine(source, at);
    else if (isOfWord(code)) {
      const end = endOfWord(source, at);
      if (end - at > maxNameLength && !isDigit(code)) throw nameTooLong(end - at);
      at = end - 1;
    }
  }
}

function nameTooLong(length: number): Error {
  return createError('GRAPHQL_PARSE_FAILED', `Syntax Error: Expected names of at most ${maxNameLength} characters, got one of ${length}.`);
}

function lengthOfWord(source: string, at: number): number {
  let start = at;
  while (start > 0 && isOfWord(source.charCodeAt(start - 1))) start--;
  return endOfWord(source, at) - start;
}

function endOfWord(source: string, start: number): number {
  let end = start;
  while (isOfWord(source.charCodeAt(end))) end++;
  return end;
}

/** True for letters, digits and the underscore. */
function isOfWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * The index of the last character of the string that starts at `start`, in a document or in JSON. Only documents have block strings; in
 * valid JSON no quote follows an empty string. Unterminated strings and strings with line breaks are left to the parser, which stops
 * there with an error.
 *
 * schema/sdl/sdl-scanner.ts matches the same strings with regular expressions, but has to reject invalid ones.
 */
export function endOfString(text: string, start: number): number {
  if (text.startsWith('"""', start)) return endOfBlockString(text, start + 3);
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    if (backslashesBefore(text, end) % 2 === 0) return end;
  }
  return text.length;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === '\\') count++;
  return count;
}

function endOfBlockString(text: string, start: number): number {
  let end = text.indexOf('"""', start);
  while (end > 0 && text[end - 1] === '\\') end = text.indexOf('"""', end + 3);
  return end < 0 ? text.length : end + 2;
}

function endOfLine(source: string, start: number): number {
  for (let at = start; at < source.length; at++) {
    if (source[at] === '\n' || source[at] === '\r') return at;
  }
  return source.length;
}
