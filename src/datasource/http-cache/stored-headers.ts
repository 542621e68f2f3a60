import type { OriginHeaders } from '../origin/origin-response.ts';

/** Header fields by lower-case name. */
export type HeaderRecord = Readonly<Record<string, string>>;

// Of one connection (RFC 9110 section 7.6.1), of an encoding that fetch has undone, or of one user alone.
const unstored = new Set(
  (
    'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade ' +
    'content-encoding content-length content-range set-cookie set-cookie2'
  ).split(' '),
);

/** All fields of a response; of several Set-Cookie the last. */
export function toRecord(headers: OriginHeaders): HeaderRecord {
  return headers.record ?? Object.fromEntries(headers);
}

/**
 * The fields of a response that are stored, and shown to hooks from the first answer on. Those that speak of the body speak of
 * the stored one: no Content-Encoding, for fetch has undone it, and as Content-Length the length of what is there.
 */
export function storedHeadersOf(fields: HeaderRecord, bodyLength: number): HeaderRecord {
  const ofConnection = namesIn(fields['connection']);
  const stored: Record<string, string> = {};
  for (const name in fields) if (!unstored.has(name) && !ofConnection.includes(name)) stored[name] = fields[name]!;
  if (fields['content-length'] !== undefined && fields['content-encoding'] === undefined) stored['content-length'] = `${bodyLength}`;
  return stored;
}

/**
 * The fields of a stored response after a 304 (RFC 9111 section 3.2). What a 304 says of a body speaks of its own, empty one;
 * age and date are those of the answer that was just given.
 */
export function mergeHeaders(stored: HeaderRecord, fields: HeaderRecord): HeaderRecord {
  const { age: _age, date: _date, ...kept } = stored;
  const newer = Object.entries(storedHeadersOf(fields, 0)).filter(([name]) => !name.startsWith('content-'));
  return { ...kept, ...Object.fromEntries(newer) };
}

/** The cookies that a response sets: for the one who asked, and never stored. */
export function cookiesOf(headers: OriginHeaders, fields: HeaderRecord): readonly string[] {
  return fields['set-cookie'] === undefined ? [] : headers.getSetCookie();
}

function namesIn(field: string | undefined): readonly string[] {
  return field === undefined ? [] : field.toLowerCase().split(/\s*,\s*/);
}
