/** A media type taken apart. */
export interface MediaType {
  /** Type and subtype in lower case, for example "application/json". */
  readonly essence: string;
  /** The charset parameter in lower case; undefined when there is none. */
  readonly charset: string | undefined;
}

/** Most requests carry the value of the one before. A long one is not kept: clients can send any. */
let lastText = '';
let lastMediaType: MediaType | undefined;

/**
 * Parses a Content-Type value as the WHATWG does (MIME Sniffing, section 4.4): the whole text, never a prefix of it,
 * so that neither "application/jsonp" nor "application/json, text/plain" passes for JSON. Undefined: not a media type.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text === lastText) return lastMediaType;
  const mediaType = parse(text);
  if (text.length <= 128) {
    lastText = text;
    lastMediaType = mediaType;
  }
  return mediaType;
}

const essence = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A parameter: the name, then a quoted string or everything up to the next semicolon. */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*)))?/gy;

function parse(text: string): MediaType | undefined {
  const end = text.indexOf(';');
  const type = (end < 0 ? text : text.slice(0, end)).trim();
  if (!essence.test(type)) return undefined;
  return { essence: type.toLowerCase(), charset: end < 0 ? undefined : charsetOf(text.slice(end)) };
}

/** The first charset parameter with a value wins, as the WHATWG says. */
function charsetOf(parameters: string): string | undefined {
  for (const [, name, quoted, plain] of parameters.matchAll(parameter)) {
    if (name?.toLowerCase() !== 'charset') continue;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain?.trim();
    // Without quotes, a parameter with an empty value is dropped (section 4.4, step 11.9).
    if (value !== undefined && (value !== '' || quoted !== undefined)) return value.toLowerCase();
  }
  return undefined;
}
