import type { HTTPRequest } from '../../shared/index.ts';
import type { DoorRules } from '../operation/door.ts';
import {
  acceptedTypes,
  methodNotAllowed,
  notAcceptable,
  preflightMissing,
  unsupportedCharset,
  unsupportedEncoding,
  unsupportedMediaType,
} from './errors.ts';
import { accepts, parseMediaType } from './accept.ts';
import type { MediaType } from './accept.ts';

/** Which requests must prove that they were not sent by a page of another site. */
export interface CSRFSettings {
  /** 'always' for `csrfPrevention: true`, 'never' for false. 'foreign' if unset: only requests that the browser marks as cross-site. */
  readonly csrfPrevention: 'always' | 'foreign' | 'never';
  /** Lower-case names of headers that a browser sends to another site only after a preflight. */
  readonly csrfRequestHeaders: readonly string[];
}

/** The rules of a door, including rules that only the door for GraphQL has. */
export interface OwnRules extends DoorRules {
  /** Header fields of the answer to OPTIONS, and of 405 and 415. */
  readonly announced?: Readonly<Record<string, string>>;
  /** If true, the option `csrfPrevention` decides about requests that need no preflight. */
  readonly hasForgeryTable?: true;
}

const onlyJSON: readonly string[] = ['application/json'];
const anyOrNone: readonly string[] = [];

/** GET and HEAD change nothing, and pages of other sites can send a DELETE only after a preflight. */
const needNoBody = new Set(['GET', 'HEAD', 'DELETE']);

/** Throws for a wrong method, a possible forgery, an unsupported content type, or if no answer is acceptable, in this order. */
export function assertAllowed(rules: OwnRules, settings: CSRFSettings, request: HTTPRequest): void {
  const { methods, gives, announced, hasForgeryTable } = rules;
  const { method, headers } = request;
  if (!methods.includes(method)) throw methodNotAllowed(method, methods, announced);
  const given = rules.takes ?? (needNoBody.has(method) ? anyOrNone : onlyJSON);
  // Pages of other sites can send a POST of any other type, or of none, with cookies.
  const takes = given.length === 0 && method === 'POST' ? onlyJSON : given;
  if (takes.length > 0) {
    const contentType = headers.get('content-type');
    // True for nearly every request. A browser sends this type to another site only after a preflight.
    const isPlain = contentType === 'application/json' && takes.includes(contentType);
    const mediaType = isPlain || contentType === null ? undefined : parseMediaType(contentType);
    if (!isPlain) {
      if (hasForgeryTable === true) assertNotForged(settings, request, mediaType);
      else if (mediaType === undefined || !takes.includes(mediaType.essence))
        throw unsupportedMediaType(takes, mediaType?.essence, announced);
    }
    // UTF-8 without compression: decoding anything else takes CPU before a limit can be checked.
    const charset = mediaType?.charset;
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') throw unsupportedCharset(charset, announced);
    const encoding = headers.get('content-encoding')?.toLowerCase();
    if (encoding && encoding !== 'identity') throw unsupportedEncoding();
  }
  if (gives?.some((type) => accepts(request, type)) === false) throw notAcceptable(gives);
}

/**
 * Throws for a possible forgery, or an unsupported content type.
 *
 * The attack: a page of another site makes the browser send a request, with the user's cookies, to this server. The browser sends a
 * CORS preflight first, unless the request is "simple": GET or POST, no unusual header, and a Content-Type of text/plain, a form or
 * multipart, or none. So a request is safe if its content type or one of the listed headers shows that it was not simple. QUERY is never
 * simple. A GET needs the check although it changes nothing: its time or size can reveal what the user may see.
 */
function assertNotForged(settings: CSRFSettings, { method, headers }: HTTPRequest, mediaType: MediaType | undefined): void {
  const { runs, isForgery } = table[method as keyof typeof table][headers.has('content-type') ? classify(mediaType) : 'none'];
  if (isForgery.includes(preventionFor(settings, headers))) throw preflightMissing(settings.csrfRequestHeaders);
  if (!runs) throw unsupportedMediaType(onlyJSON, mediaType?.essence, acceptedTypes);
}

/** CSRF prevention for one request: 'never' if it has a listed header that is not empty, or is not foreign. */
function preventionFor({ csrfPrevention, csrfRequestHeaders }: CSRFSettings, headers: HTTPRequest['headers']): Prevention {
  if (csrfRequestHeaders.some((name) => (headers.get(name) ?? '').trim() !== '')) return 'never';
  // Browsers mark requests of pages of another origin (Fetch Metadata); no page can remove the mark.
  const isForeign = /^(?:cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '');
  return csrfPrevention === 'foreign' && !isForeign ? 'never' : csrfPrevention;
}

type Prevention = CSRFSettings['csrfPrevention'];
type ContentTypeClass = 'json' | 'safelisted' | 'none' | 'other';

/** The rule for the requests of one method and class of content types. */
interface Rule {
  /** False: their content type is not supported. */
  readonly runs: boolean;
  /** The states of CSRF prevention in which they are refused as a possible forgery. */
  readonly isForgery: readonly Prevention[];
}

const run: Rule = { runs: true, isForgery: [] };
const runUnguarded: Rule = { runs: true, isForgery: ['always', 'foreign'] };
const unsupported: Rule = { runs: false, isForgery: ['foreign'] };
const suspect: Rule = { runs: false, isForgery: ['always', 'foreign'] };
/** The rule for a method that browsers never send to another site without a preflight (RFC 10008 section 4). */
const unsupportedAnyway: Rule = { runs: false, isForgery: [] };

/**
 * The CSRF table of the specification, with one difference: its rule 3 exempts a GET with any Content-Type, but browsers send a
 * safelisted one without a preflight, so rule 2 applies to it.
 */
const table: Readonly<Record<'GET' | 'POST' | 'QUERY', Readonly<Record<ContentTypeClass, Rule>>>> = {
  POST: { json: run, safelisted: suspect, none: suspect, other: unsupported },
  GET: { json: run, safelisted: suspect, none: runUnguarded, other: unsupported },
  QUERY: { json: run, safelisted: unsupportedAnyway, none: unsupportedAnyway, other: unsupportedAnyway },
};

/** The content types of simple requests (Fetch standard, "CORS-safelisted request-header"). */
const safelisted = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/** True for a content type that a page can send to another site without a preflight. Browsers send one for a malformed type. */
export function needsNoPreflight(contentType: string): boolean {
  return classify(parseMediaType(contentType)) === 'safelisted';
}

function classify(mediaType: MediaType | undefined): ContentTypeClass {
  const essence = mediaType?.essence;
  if (essence === 'application/json') return 'json';
  return essence !== undefined && safelisted.has(essence) ? 'safelisted' : 'other';
}
