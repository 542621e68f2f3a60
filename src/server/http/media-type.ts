/** A parsed media type. */
export interface MediaType {
  /** Type and subtype in lower case, for example "application/json". */
  readonly essence: string;
  /** The charset parameter in lower case; undefined when there is none. */
  readonly charset: string | undefined;
}

/**
 * Parses a whole Content-Type value (WHATWG MIME Sniffing, section 4.4), so that neither "application/jsonp" nor
 * "application/json, text/plain" passes for JSON. Undefined: invalid.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const end = text.indexOf(';');
  const type = (end < 0 ? text : text.slice(0, end)).trim();
  if (!essence.test(type)) return undefined;
  return { essence: type.toLowerCase(), charset: end < 0 ? undefined : charsetOf(text.slice(end)) };
}

const essence = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A parameter: its name, then a quoted string or everything up to the next semicolon. */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*)))?/gy;

/** The value of the first charset parameter that has one. */
function charsetOf(parameters: string): string | undefined {
  for (const [, name, quoted, plain] of parameters.matchAll(parameter)) {
    if (name?.toLowerCase() !== 'charset') continue;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain?.trim();
    // An empty value without quotes is ignored (section 4.4, step 11.9).
    if (value !== undefined && (value !== '' || quoted !== undefined)) return value.toLowerCase();
  }
  return undefined;
}
