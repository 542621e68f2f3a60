import type { HTTPRequest } from '../message/http-messages.ts';
import { methodNotAllowed, preflightMissing, unsupportedEncoding, unsupportedMediaType } from './errors.ts';
import { parseMediaType } from './media-type.ts';
import type { MediaType } from './media-type.ts';

/** Which requests need a sign that no foreign page sent them. */
export interface CSRFSettings {
  /** 'always': `csrfPrevention: true`. 'never': false. 'foreign': unset, then only what the browser itself calls foreign. */
  readonly csrfPrevention: 'always' | 'foreign' | 'never';
  /** Lower-case names. A browser sends none of them to another site without a preflight. */
  readonly csrfRequestHeaders: readonly string[];
}

/**
 * Lets a request through, or throws. Looks at the method, then CSRF, then the content type.
 *
 * The attack: a page of another site makes the browser send a request, with the user's cookies, to this server. The
 * browser asks first (a CORS preflight) unless the request is "simple": GET or POST, no unusual header, and a
 * Content-Type of text/plain, a form or multipart, or none. So a request is safe when its content type or one of the
 * listed headers shows that it was not simple. QUERY never is. A GET matters too, although it changes nothing: its time
 * or size can tell the attacker what the user may see.
 */
export function preventCSRF(settings: CSRFSettings, request: HTTPRequest): void {
  const { method } = request;
  if (method !== 'GET' && method !== 'POST' && method !== 'QUERY') throw methodNotAllowed(method);

  const contentType = request.headers.get('content-type');
  // The content type of nearly every client; a browser asks before it sends it to another site.
  if (contentType === 'application/json') {
    assertNotEncoded(request);
    return;
  }
  const mediaType = contentType === null ? undefined : parseMediaType(contentType);
  const row = table[method][contentType === null ? 'none' : classify(mediaType)];
  const verdict = row === run ? 'run' : verdictOf(row, settings, request);
  if (verdict === 'forgery') throw preflightMissing(settings.csrfRequestHeaders);
  if (verdict === 'unsupported')
    throw unsupportedMediaType(`Expected content-type application/json, got ${mediaType?.essence.slice(0, 80) ?? 'none that is valid'}.`);
  assertDecodable(request, mediaType);
}

/** The headers are looked up only where they make a difference: most requests are JSON. */
function verdictOf(row: Row, settings: CSRFSettings, request: HTTPRequest): Verdict {
  return hasHeader(request, settings.csrfRequestHeaders) ? row.withHeader : row[columnOf(settings, request)];
}

type ContentTypeClass = 'json' | 'safelisted' | 'none' | 'other';
type Verdict = 'run' | 'forgery' | 'unsupported';

interface Row {
  /** One of the listed headers is there and not empty. */
  readonly withHeader: Verdict;
  /** None is, and CSRF prevention is on. */
  readonly always: Verdict;
  /** None is, CSRF prevention is unset, and the browser itself calls the request foreign. */
  readonly foreign: Verdict;
  /** Without this header the request is as safe as with it. */
  readonly unguarded: Verdict;
}

const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: 'run' };
const unsupported: Row = { withHeader: 'unsupported', always: 'unsupported', foreign: 'forgery', unguarded: 'unsupported' };
const suspect: Row = { withHeader: 'unsupported', always: 'forgery', foreign: 'forgery', unguarded: 'unsupported' };
/** For a method that browsers never send to another site without a preflight (RFC 10008 section 4). */
const unsupportedAnyway: Row = { ...unsupported, foreign: 'unsupported' };

/**
 * Every cell of the interface's CSRF table. One departure from the specification's letter: its rule 3 frees a GET that
 * carries any Content-Type, but browsers send a safelisted one without a preflight, so such a GET stays bound by rule 2.
 */
const table: Readonly<Record<'GET' | 'POST' | 'QUERY', Readonly<Record<ContentTypeClass, Row>>>> = {
  POST: { json: run, safelisted: suspect, none: suspect, other: unsupported },
  GET: {
    json: run,
    safelisted: suspect,
    none: { withHeader: 'run', always: 'forgery', foreign: 'forgery', unguarded: 'run' },
    other: unsupported,
  },
  QUERY: { json: run, safelisted: unsupportedAnyway, none: unsupportedAnyway, other: unsupportedAnyway },
};

/** The content types of simple requests (Fetch standard, "CORS-safelisted request-header"). */
const safelisted = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

function columnOf(settings: CSRFSettings, request: HTTPRequest): 'always' | 'foreign' | 'unguarded' {
  if (settings.csrfPrevention === 'always') return 'always';
  return settings.csrfPrevention === 'foreign' && isForeign(request) ? 'foreign' : 'unguarded';
}

function classify(mediaType: MediaType | undefined): ContentTypeClass {
  const essence = mediaType?.essence;
  if (essence === 'application/json') return 'json';
  return essence !== undefined && safelisted.has(essence) ? 'safelisted' : 'other';
}

function hasHeader(request: HTTPRequest, names: readonly string[]): boolean {
  for (const name of names) {
    const value = request.headers.get(name);
    if (value !== null && value.trim() !== '') return true;
  }
  return false;
}

/** Browsers mark what a page of another origin sends (Fetch Metadata); no page can take the mark away. */
function isForeign(request: HTTPRequest): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** UTF-8 and no compression: other charsets and encodings cost CPU to undo before any limit can be kept. */
function assertDecodable(request: HTTPRequest, mediaType: MediaType | undefined): void {
  const charset = mediaType?.charset;
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupportedMediaType(`Expected charset utf-8, got ${charset.slice(0, 20)}.`);
  }
  assertNotEncoded(request);
}

function assertNotEncoded(request: HTTPRequest): void {
  const encoding = request.headers.get('content-encoding')?.toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw unsupportedEncoding();
  }
}
