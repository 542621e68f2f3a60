import { createError } from '../errors.ts';

/**
 * Throws when braces, brackets and parentheses nest deeper than the limit, or when there are too many comments: the parser
 * keeps each as a token that it does not count. One pass over the text, no recursion.
 */
export function assertNesting(source: string, limit: number, maxComments: number): void {
  let depth = 0;
  let comments = 0;
  for (let at = 0; at < source.length; at++) {
    switch (source.charCodeAt(at)) {
      case openBrace:
      case openBracket:
      case openParenthesis:
        if (++depth > limit)
          throw createError('GRAPHQL_PARSE_FAILED', `Syntax Error: Document nests deeper than ${limit} levels. Parsing aborted.`);
        break;
      case closeBrace:
      case closeBracket:
      case closeParenthesis:
        depth--;
        break;
      case quote:
        at = endOfString(source, at);
        break;
      case hash:
        if (++comments > maxComments)
          throw createError('GRAPHQL_PARSE_FAILED', `Syntax Error: Document has more than ${maxComments} comments. Parsing aborted.`);
        at = endOfLine(source, at);
        break;
    }
  }
}

/**
 * Characters of a name. Any name may come again in each of a hundred errors, and an alias for each row of an answer: one
 * of 900 KB over 500 rows was 450 MB. The longest that generators write have about 150.
 */
export const maxNameLength = 256;

/** Throws when a name is longer, be it an alias or a variable's: before the text is parsed, for then errors quote it. */
export function assertNames(source: string): void {
  // One character of each stretch as long as the limit is looked at: a longer name cannot lie between two of them.
  for (let at = maxNameLength; at < source.length; at += maxNameLength + 1) {
    if (lengthOfWord(source, at) <= maxNameLength) continue;
    assertNamesOneByOne(source);
    return;
  }
}

/** A long run of characters may also be part of a string or a comment, or a number. */
function assertNamesOneByOne(source: string): void {
  for (let at = 0; at < source.length; at++) {
    const character = source.charCodeAt(at);
    if (character === quote) at = endOfString(source, at);
    else if (character === hash) at = endOfLine(source, at);
    else if (isOfWord(character)) {
      const end = endOfWord(source, at);
      if (end - at > maxNameLength && !isDigit(character)) throw nameTooLong(end - at);
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

/** Letters, digits and the underscore. */
function isOfWord(character: number): boolean {
  return (character >= 0x61 && character <= 0x7a) || (character >= 0x41 && character <= 0x5a) || isDigit(character) || character === 0x5f;
}

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openParenthesis = 0x28;
const closeParenthesis = 0x29;
const quote = 0x22;
const hash = 0x23;
const backslash = 0x5c;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The index of the last character of the string that starts here, in a document or in JSON. Only documents have block strings, and
 * no valid JSON looks like one: a quote never follows an empty string. A string that has no end, or a line break in it, is for the
 * parser to report, which reads no further.
 *
 * The patterns of schema/sdl/sdl-scanner.ts hold the same string as a regular expression: they must refuse it where it is wrong.
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
  while (text.charCodeAt(at - 1 - count) === backslash) count++;
  return count;
}

function endOfBlockString(text: string, start: number): number {
  let end = text.indexOf('"""', start);
  while (end > 0 && text.charCodeAt(end - 1) === backslash) end = text.indexOf('"""', end + 3);
  return end < 0 ? text.length : end + 2;
}

function endOfLine(source: string, start: number): number {
  for (let at = start; at < source.length; at++) {
    const character = source.charCodeAt(at);
    if (character === lineFeed || character === carriageReturn) return at;
  }
  return source.length;
}
