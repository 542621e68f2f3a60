import { addVary, boolean, isHeaderField } from '../../shared/index.ts';
import type { Expectation, PromiseOrValue, HTTPRequest, HeaderMap } from '../../shared/index.ts';
import type { ServerPlugin } from '../operation/plugin.ts';
import type { Logger } from '../operation/types.ts';
import { methods } from './errors.ts';

/** An origin, a pattern for origins, or several of them. */
export type CORSOrigin = string | RegExp | readonly (string | RegExp)[];

/** Options of cross-origin resource sharing, under the names of the `cors` package. */
export interface CORSOptions {
  /**
   * The origins that may read answers. "*": all, without credentials. A string, or a list: these origins. A pattern: those that it matches,
   * without credentials. A function, possibly asynchronous: called for each request, returns true to allow its origin. Default: "*".
   */
  readonly origin?: CORSOrigin | ((origin: string) => boolean | Promise<boolean>);
  /** Default: GET, POST, QUERY. */
  readonly methods?: string | readonly string[];
  /** The request headers that are allowed. Default: the headers that the preflight requests. */
  readonly allowedHeaders?: string | readonly string[];
  /** Response headers that scripts of other origins may read. Default: only the CORS-safelisted headers. */
  readonly exposedHeaders?: string | readonly string[];
  /** Let browsers send cookies. Needs an `origin` other than "*". Default: false. */
  readonly credentials?: boolean;
  /** Seconds for which a browser may cache a preflight. Default: the browser's. */
  readonly maxAge?: number;
}

/** A request, and the headers of its answer. */
interface Sharing {
  readonly cors: CORSOptions;
  readonly request: HTTPRequest;
  readonly headers: HeaderMap;
  readonly logger: Logger;
}

/** Characters of an origin. A host name has at most 253; many patterns take quadratic time or worse on long text. */
const maxOrigin = 300;

/**
 * Adds the CORS headers to an answer. An origin is reflected only when a list, a pattern or a function names it. Returns a promise only if
 * `origin` is a function; if that fails, the origin is refused.
 */
export function addCORSHeaders({ cors, request, headers, logger }: Sharing): PromiseOrValue<void> {
  const { origin = '*', credentials } = cors;
  const requestedFields = isPreflight(request) ? request.headers.get('access-control-request-headers') : undefined;
  const allow = (allowed: string): void => writeCORSFields(allowed, cors, requestedFields, headers);
  if (origin === '*') {
    allow('*');
    return;
  }
  addVary(headers, 'Origin');
  const requested = request.headers.get('origin');
  if (requested === null || requested.length > maxOrigin) return;
  // Every page can send "null", from a sandboxed frame: with credentials not even a function can allow it.
  if (requested === 'null' && credentials === true) return;
  if (typeof origin === 'function')
    return askOrigin(origin, requested, logger).then((isAllowed) => (isAllowed ? allow(requested) : undefined));
  if (matchesOrigin(origin, requested)) allow(requested);
}

async function askOrigin(isAllowed: (origin: string) => unknown, requested: string, logger: Logger): Promise<boolean> {
  try {
    return (await isAllowed(requested)) === true;
  } catch (error) {
    logger.error('cors.origin failed: the origin of a request was refused.', error);
    return false;
  }
}

/** True if the origin of a request is allowed. */
export function matchesOrigin(allowed: CORSOrigin, requested: string): boolean {
  if (typeof allowed === 'string') return allowed === requested;
  // A pattern with the g or y flag keeps a position between calls, and would refuse every second request.
  if (allowed instanceof RegExp) return new RegExp(allowed.source, allowed.flags.replaceAll(/[gy]/g, '')).test(requested);
  return allowed.some((one) => matchesOrigin(one, requested));
}

/** True for the request by which a browser asks whether a page may send another (Fetch standard, "CORS-preflight request"). */
export function isPreflight({ method, headers }: HTTPRequest): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

/**
 * Writes the header fields for an origin. `allowed`: the origin, undefined if it is not allowed. `requested`: the header fields that a
 * preflight requests, null if it names none; undefined if the request is no preflight.
 */
export function writeCORSFields(
  allowed: string | undefined,
  { credentials, methods: allowedMethods = methods, allowedHeaders, exposedHeaders, maxAge }: Omit<CORSOptions, 'origin'>,
  requested: string | null | undefined,
  headers: HeaderMap,
): void {
  const write = (name: string, value: string | readonly string[] | null | undefined): void => {
    const text = typeof value === 'object' ? value?.join(', ') : value;
    if (text) headers.set(name, text);
  };
  write('access-control-allow-origin', allowed);
  if (credentials === true) headers.set('access-control-allow-credentials', 'true');
  if (requested === undefined) {
    write('access-control-expose-headers', exposedHeaders);
    return;
  }
  write('access-control-allow-methods', allowedMethods);
  if (!allowedHeaders && requested !== null) addVary(headers, 'Access-Control-Request-Headers');
  write('access-control-allow-headers', allowedHeaders || requested);
  write('access-control-max-age', maxAge === undefined ? undefined : String(maxAge));
}

/** The options, with the header fields of plugins. Without `allowedHeaders`, those that a preflight requests are allowed anyway. */
export function corsWith(cors: CORSOptions, plugins: readonly Pick<ServerPlugin, 'corsHeaders'>[]): CORSOptions {
  const fields = plugins.flatMap(({ corsHeaders }) => corsHeaders ?? []);
  if (fields.length === 0) return cors;
  const { allowedHeaders, exposedHeaders = [] } = cors;
  const allowed = fields.flatMap((one) => one.allowed ?? []);
  const exposed = fields.flatMap((one) => one.exposed ?? []);
  return {
    ...cors,
    ...(allowedHeaders !== undefined && { allowedHeaders: [allowedHeaders, allowed].flat() }),
    ...(exposed.length > 0 && { exposedHeaders: [exposedHeaders, exposed].flat() }),
  };
}

/** Throws for a URL that browsers send in another form: it would match no request. */
export function assertOriginForm(origin: unknown): void {
  for (const one of [origin].flat()) {
    if (typeof one !== 'string' || !/^https?:\/\/[^\s*]+$/i.test(one) || !URL.canParse(one)) continue;
    const sent = new URL(one).origin;
    if (one === sent) continue;
    const extra = one.slice(one.indexOf('://') + 3).match(/[/?#].*/)?.[0];
    const why = extra === undefined ? 'as browsers send it' : `without ${extra === '/' ? 'the slash at its end' : `the path "${extra}"`}`;
    throw new TypeError(`Expected the origin in cors.origin ${why}, "${sent}", got "${one}".`);
  }
}

/** Throws for options that would let any page read answers with the user's credentials. */
export function assertCredentials({ credentials, origin = '*' }: CORSOptions): void {
  if (credentials !== true || typeof origin === 'function') return;
  const origins = [origin].flat();
  if (origin === '*')
    throw new TypeError('cors.credentials needs a cors.origin like "https://example.com": browsers refuse credentials with "*".');
  if (origins.includes('null'))
    throw new TypeError('cors.origin must not allow "null" with cors.credentials: any page can send it from a sandboxed frame.');
  const pattern = origins.find((one) => one instanceof RegExp);
  if (pattern !== undefined)
    throw new TypeError(
      `cors.origin must not be a pattern with cors.credentials, because a small mistake in it lets other sites in, but ${String(pattern)} is one. ` +
        'Write a function, for example origin: (origin) => origin.startsWith("https://") && origin.endsWith(".example.com").',
    );
}

const namesOfFields: Expectation = {
  words: 'a string or a list of strings, with characters that HTTP allows',
  holds: (value) => (Array.isArray(value) ? value : [value]).every((one) => isHeaderField('name', one)),
};

/** A misspelled `origin` would allow every site. */
export const corsExpectations: Readonly<Record<keyof CORSOptions, Expectation>> = {
  origin: {
    words:
      '"*", an origin like "https://example.com", a pattern, a list of these, or a function of the origin that returns true or false ' +
      '(there is no callback). To allow every site, without credentials, leave it out',
    holds: (value) => value === '*' || [value].flat().every(isOrigin) || (typeof value === 'function' && value.length < 2),
  },
  methods: namesOfFields,
  allowedHeaders: namesOfFields,
  exposedHeaders: namesOfFields,
  credentials: boolean,
  maxAge: {
    words: 'a whole number that is not negative, in seconds',
    holds: (value) => Number.isInteger(value) && (value as number) >= 0,
  },
};

/** An origin as browsers send it: scheme, host and port, without a path or a trailing slash. Nothing else would match. */
function isOrigin(value: unknown): boolean {
  return value instanceof RegExp || (typeof value === 'string' && (value === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/.test(value)));
}
