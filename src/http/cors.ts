import { runGuarded } from '../message/eventual.ts';
import type { Eventual, GuardedStep } from '../message/eventual.ts';
import type { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest } from '../message/http-messages.ts';
import type { Logger } from '../operation/types.ts';
import { isHeaderField } from '../message/header-fields.ts';
import { addVary } from '../message/header-map.ts';
import { methods } from './errors.ts';

/** An origin, a pattern for origins, or several of them. */
export type CORSOrigin = string | RegExp | readonly (string | RegExp)[];

/** Options of cross-origin resource sharing, under the names of the `cors` package. */
export interface CORSOptions {
  /**
   * The origins that may read answers. "*": all, without credentials. A string, pattern, or list: these origins. A function:
   * asked for each request, may be asynchronous; true lets the asking origin in. Default: "*".
   */
  readonly origin?: CORSOrigin | ((origin: string) => boolean | Promise<boolean>);
  /** Default: GET, POST, QUERY. */
  readonly methods?: string | readonly string[];
  /** Default: those the preflight asks for. */
  readonly allowedHeaders?: string | readonly string[];
  /** Response headers that scripts of other origins may read. Default: only those that every script may read. */
  readonly exposedHeaders?: string | readonly string[];
  /** Let browsers send cookies. Needs an `origin` other than "*". Default: false. */
  readonly credentials?: boolean;
  /** Seconds for which a browser may remember a preflight. Default: as the browser likes. */
  readonly maxAge?: number;
  /** Status of a preflight's answer. Default: 204. */
  readonly optionsSuccessStatus?: number;
}

/** A request, and the answer to which fields are added. */
interface Sharing {
  readonly cors: CORSOptions;
  readonly request: HTTPRequest;
  readonly headers: HeaderMap;
  readonly logger: Logger;
}

/** Adds the fields about sharing to the answer of this request. A promise only if an origin function is asked. One that fails lets no origin in. */
export function addCORSHeaders(sharing: Sharing): Eventual<void> {
  return runGuarded(shareStep, sharing);
}

const shareStep: GuardedStep<string | undefined, Sharing, void> = { run: allowedOrigin, rescue: letNobodyIn, next: addFields };

function letNobodyIn(error: unknown, { logger }: Sharing): undefined {
  logger.error('cors.origin failed for a request: its origin is not let in.', error);
}

function addFields(allowed: string | undefined, { cors, request, headers }: Sharing): void {
  if (cors.origin !== undefined && cors.origin !== '*') addVary(headers, 'Origin');
  if (allowed === undefined) return;
  headers.set('access-control-allow-origin', allowed);
  if (cors.credentials === true) headers.set('access-control-allow-credentials', 'true');
  if (isPreflight(request)) addPreflightHeaders(cors, request, headers);
  else if (cors.exposedHeaders !== undefined) headers.set('access-control-expose-headers', list(cors.exposedHeaders));
}

/** A browser's question before the request itself (Fetch standard, "CORS-preflight request"). */
function isPreflight(request: HTTPRequest): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}

/** Characters of an origin: the name of a host has 253 at most. */
const maxOrigin = 300;

/** The value of Access-Control-Allow-Origin. An origin is reflected only when a list, a pattern or a function names it. */
function allowedOrigin({ cors: { origin = '*', credentials }, request }: Sharing): Eventual<string | undefined> {
  if (origin === '*') return '*';
  const asking = request.headers.get('origin');
  // "null" is what every page can call itself, in a sandboxed frame: with credentials not even a function lets it in.
  if (asking === null || (asking === 'null' && credentials === true)) return undefined;
  // No pattern is asked about a long text: many take a time that grows with its square, or worse.
  if (asking.length > maxOrigin) return undefined;
  if (typeof origin === 'function') return ask(origin, asking);
  return matches(origin, asking) ? asking : undefined;
}

async function ask(isAllowed: (origin: string) => boolean | Promise<boolean>, asking: string): Promise<string | undefined> {
  const allowed: unknown = await isAllowed(asking);
  return allowed === true ? asking : undefined;
}

/** True when an origin is the one, or one of those, that are let in. */
function matches(origin: CORSOrigin, asking: string): boolean {
  if (typeof origin === 'string') return origin === asking;
  // A pattern with the g or y flag keeps a position between calls, and would refuse every second request.
  if (origin instanceof RegExp) return new RegExp(origin.source, origin.flags.replaceAll(/[gy]/g, '')).test(asking);
  return origin.some((one) => matches(one, asking));
}

function addPreflightHeaders(cors: CORSOptions, request: HTTPRequest, headers: HeaderMap): void {
  headers.set('access-control-allow-methods', list(cors.methods ?? methods));
  const asked = request.headers.get('access-control-request-headers');
  if (cors.allowedHeaders !== undefined) headers.set('access-control-allow-headers', list(cors.allowedHeaders));
  else if (asked !== null) {
    headers.set('access-control-allow-headers', asked);
    addVary(headers, 'Access-Control-Request-Headers');
  }
  if (cors.maxAge !== undefined) headers.set('access-control-max-age', String(cors.maxAge));
}

function list(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}

/** Throws where credentials would be shared with every page. */
export function assertCredentials({ credentials, origin = '*' }: CORSOptions): void {
  if (credentials !== true) return;
  if (origin === '*') {
    throw new TypeError(
      'cors.credentials needs cors.origin to name who may read answers, for example "https://example.com": browsers refuse credentials with "*".',
    );
  }
  if (typeof origin === 'function') return;
  if (matches(origin, 'null')) {
    throw new TypeError(
      'cors.origin must not let in "null" together with cors.credentials: every page can call itself so, from a sandboxed frame, and would read what the user may see.',
    );
  }
  const letIn = anybody.find((one) => matches(origin, one));
  if (letIn !== undefined) {
    throw new TypeError(
      `cors.origin must not let in everybody together with cors.credentials, but its pattern lets in ${letIn}. Write the whole origin, for example /^https:\\/\\/[a-z]+\\.example\\.com$/.`,
    );
  }
}

/** Origins that cannot exist (RFC 2606): a pattern that lets them in lets in every origin. */
const anybody = ['https://a.invalid', 'http://a.invalid', 'https://a.invalid:8443'];

/** What the value of an option must be. */
interface Expectation {
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
}

const namesOfFields: Expectation = {
  words: 'a text, or a list of texts, of characters that HTTP allows',
  holds: (value) => (Array.isArray(value) ? value : [value]).every((one) => isHeaderField('name', one)),
};
/** Also of other options. */
export const count: Expectation = {
  words: 'a whole number that is not negative',
  holds: (value) => Number.isInteger(value) && (value as number) >= 0,
};

/** Of each option: a misspelt `origin` would let everybody in. */
export const corsExpectations: Readonly<Record<keyof CORSOptions, Expectation>> = {
  origin: {
    words:
      '"*", an origin like "https://example.com", a pattern, a list of these, or a function of the origin that returns true or false ' +
      '(it gets no callback). To let everybody in without credentials, leave it out',
    holds: (value) => value === '*' || isOrigin(value) || isListOfOrigins(value) || (typeof value === 'function' && value.length < 2),
  },
  methods: namesOfFields,
  allowedHeaders: namesOfFields,
  exposedHeaders: namesOfFields,
  credentials: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  maxAge: { words: `${count.words}, in seconds`, holds: count.holds },
  optionsSuccessStatus: {
    words: 'a status from 200 to 299',
    holds: (value) => count.holds(value) && (value as number) >= 200 && (value as number) < 300,
  },
};

function isListOfOrigins(value: unknown): boolean {
  return Array.isArray(value) && value.every(isOrigin);
}

/** An origin as browsers send it: scheme, host and port, without a path or a slash at the end. Anything else would never match. */
function isOrigin(value: unknown): boolean {
  return value instanceof RegExp || (typeof value === 'string' && (value === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/.test(value)));
}
