import { malformedRequest } from './errors.ts';

/**
 * Throws when a JSON text has more objects and lists than allowed, before they are made: 1 MiB of `{}` would be 340,000
 * objects, and 50 MB of resident memory (bench/hostile.ts). One pass over the text, 1 to 2 ms for a MiB.
 */
export function assertJSONSize(text: string, maxContainers: number): void {
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if ((character === openBrace || character === openBracket) && ++containers > maxContainers) {
      throw malformedRequest(`Expected a request of at most ${maxContainers} objects and lists, got more.`);
    }
  }
}

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const backslash = 0x5c;

/** The index of the closing quote. A string without one is for the parser to report. */
function endOfString(text: string, start: number): number {
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
