import { createError } from '../errors.ts';

/** Levels of braces, brackets and parentheses in a document, also with its fragments expanded, and of objects and lists in variables. */
export const maxNesting = 200;

/**
 * Maximum length of a name. A name may be repeated in each of a hundred errors, and an alias in each row of an answer: one of 900 KB in
 * 500 rows took 450 MB. The longest names that code generators write have about 150 characters.
 */
export const maxNameLength = 256;

/**
 * Throws when braces, brackets and parentheses nest deeper than the limit, when a name is too long, or when there are too many comments:
 * the parser keeps a token for each of them, but does not count it. One pass over the text before parsing, no recursion.
 */
export function assertSource(source: string, maxComments: number): void {
  // Most documents have neither so many brackets nor so long a word, which native searches see in a fifth of the time.
  if (source.length <= maxComments && countOpening(source) <= maxNesting && !longWord.test(source)) return;
  let depth = 0;
  let comments = 0;
  for (let at = 0; at < source.length; at++) {
    switch (source.charAt(at)) {
      case '{':
      case '[':
      case '(':
        if (++depth > maxNesting) throw refusal(`Document nests deeper than ${maxNesting} levels. Parsing aborted.`);
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
        if (++comments > maxComments) throw refusal(`Document has more than ${maxComments} comments. Parsing aborted.`);
        at = endOf(line, source, at);
        break;
      default: {
        const end = endOf(word, source, at);
        // A number may have any length.
        if (end - at > maxNameLength && !/\d/.test(source.charAt(at)))
          throw refusal(`Expected names of at most ${maxNameLength} characters, got one of ${end - at}.`);
        if (end > at) at = end - 1;
      }
    }
  }
}

/** More than `maxNameLength` word characters, also in a string. Begins only where a word does, so that its time is linear. */
const longWord = /\b\w{257}/;

/** The number of opening brackets, also in strings and comments. */
function countOpening(source: string): number {
  let count = 0;
  for (const bracket of '{[(') for (let at = source.indexOf(bracket); at >= 0; at = source.indexOf(bracket, at + 1)) count++;
  return count;
}

function refusal(problem: string): Error {
  return createError('GRAPHQL_PARSE_FAILED', `Syntax Error: ${problem}`);
}

const word = /\w*/y;
const line = /[^\n\r]*/y;

/** The index after the match that begins at `start`. */
function endOf(pattern: RegExp, source: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(source);
  return pattern.lastIndex;
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
