import { badRequest, malformedRequest, queryStringTooLong } from './errors.ts';

/** The wanted parameters of a query string, decoded. Throws a 4xx for what does not decode, and for one that stands there twice. */
export function parseQueryString(queryString: string, wanted: readonly string[], maxLength: number): ReadonlyMap<string, string> {
  if (queryString.length > maxLength) throw queryStringTooLong(maxLength, queryString.length);
  const found = new Map<string, string>();
  let parameters = 0;
  for (let start = 0; start <= queryString.length;) {
    const ampersand = queryString.indexOf('&', start);
    const end = ampersand < 0 ? queryString.length : ampersand;
    // Not split at once: a million ampersands would become a million strings.
    if (++parameters > maxParameters) throw malformedRequest(`Expected a query string of at most ${maxParameters} parameters, got more.`);
    addParameter(found, wanted, queryString.slice(start, end));
    start = end + 1;
  }
  return found;
}

/** This many leave room for whatever a gateway adds. */
const maxParameters = 1000;

function addParameter(found: Map<string, string>, wanted: readonly string[], pair: string): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  if (!wanted.includes(name)) return;
  if (found.has(name)) throw malformedRequest(`Expected the parameter "${name}" once in the query string, got it twice.`);
  found.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
}

/** application/x-www-form-urlencoded, but strict: what does not decode is refused instead of guessed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('Expected a percent-encoded query string in UTF-8, but an escape in it does not decode.');
  }
}
