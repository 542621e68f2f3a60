/** Header fields by lower-case name. */
export type HeaderRecord = Readonly<Record<string, string>>;

// Fields of the connection (RFC 9110 section 7.6.1), of the length that was sent, or of one user.
const unstored = new Set(
  (
    'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade ' +
    'content-length set-cookie'
  ).split(' '),
);

/** All fields of a response, with only the last of several Set-Cookie. */
export function fieldsOf({ headers }: Response): HeaderRecord {
  return Object.fromEntries(headers);
}

/** The codings that fetch decodes; a body with any other stays as it was sent. */
const decoded = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** The fields of a response that are stored and that hooks see. They describe the decoded body: without its Content-Encoding, with its length. */
export function storedHeadersOf(fields: HeaderRecord, bodyLength: number): HeaderRecord {
  const ofConnection = namesIn(fields['connection']);
  const stored: Record<string, string> = {};
  for (const name in fields) if (!unstored.has(name) && !ofConnection.includes(name)) stored[name] = fields[name]!;
  if (isDecoded(fields['content-encoding'])) delete stored['content-encoding'];
  if (fields['content-length'] !== undefined && stored['content-encoding'] === fields['content-encoding'])
    stored['content-length'] = `${bodyLength}`;
  return stored;
}

/**
 * Returns the fields after a 304 (RFC 9111 section 3.2): fields of the 304 replace stored fields, except fields about the body. Age and
 * Date belong to one response.
 */
export function mergeHeaders(stored: HeaderRecord, fields: HeaderRecord): HeaderRecord {
  const { age: _age, date: _date, ...kept } = stored;
  const { 'content-length': _length, 'content-range': _range, ...newer } = storedHeadersOf(fields, 0);
  return { ...kept, ...newer };
}

/** The cookies of a response, which are never stored. */
export function cookiesOf(headers: Headers, fields: HeaderRecord): readonly string[] {
  return fields['set-cookie'] === undefined ? [] : headers.getSetCookie();
}

function isDecoded(field: string | undefined): boolean {
  return namesIn(field?.trim()).every((coding) => decoded.has(coding));
}

function namesIn(field: string | undefined): readonly string[] {
  return field === undefined ? [] : field.toLowerCase().split(/\s*,\s*/);
}
