import { clientAddress } from '../../server/index.ts';
import type { PlatformCall } from '../../server/index.ts';
import { HeaderMap, isRecord } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import { serializeCookie } from './cookie.ts';
import type { CookieOptions } from './cookie.ts';

/** The part of Express's request that handlers of the version-3 generation read. */
export interface ExpressRequest {
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly path: string;
  readonly query: Record<string, any>;
  readonly params: Record<string, string>;
  readonly headers: Record<string, string | undefined>;
  body: any;
  /** The client's address as the platform reports it; empty where it does not. */
  readonly ip: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly protocol: string;
  readonly secure: boolean;
  readonly xhr: boolean;
  readonly cookies: Record<string, string>;
  /** The event and context of the platform. */
  readonly apiGateway: PlatformCall;
  get(name: string): string | undefined;
  header(name: string): string | undefined;
  // Any: users add properties, such as `req.user`.
  [key: string]: any;
}

/** The part of Express's response that handlers of the version-3 generation write. Other methods throw an error that names them. */
export interface ExpressResponse {
  statusCode: number;
  readonly locals: Record<string, any>;
  readonly headersSent: boolean;
  status(code: number): this;
  setHeader(name: string, value: string | number | readonly string[]): this;
  set(name: string | Record<string, string>, value?: string | readonly string[]): this;
  header(name: string | Record<string, string>, value?: string | readonly string[]): this;
  append(name: string, value: string | readonly string[]): this;
  getHeader(name: string): string | string[] | undefined;
  get(name: string): string | undefined;
  getHeaders(): Record<string, string | string[]>;
  hasHeader(name: string): boolean;
  removeHeader(name: string): void;
  vary(name: string): this;
  type(type: string): this;
  cookie(name: string, value: any, options?: CookieOptions): this;
  clearCookie(name: string, options?: CookieOptions): this;
  // Any: as on the request.
  [key: string]: any;
}

/** `express` of the context function's argument. */
export interface ExpressContext {
  readonly req: ExpressRequest;
  readonly res: ExpressResponse;
}

/** The request in the form of Express's `req`. */
export function createRequest(request: HTTPRequest, platform: PlatformCall): ExpressRequest {
  const { method, path, queryString, headers } = request;
  const url = queryString === '' ? path || '/' : `${path || '/'}?${queryString}`;
  const get = (name: string): string | undefined =>
    headers.get(/^referr?er$/i.test(name) ? (headers.has('referrer') ? 'referrer' : 'referer') : name) ?? undefined;
  const protocol = headers.get('x-forwarded-proto')?.split(',')[0]?.trim() ?? 'https';
  const record: ExpressRequest = {
    method,
    url,
    originalUrl: url,
    path: path || '/',
    query: parseQuery(queryString),
    params: {},
    headers: headers.toRecord(),
    body: {},
    ip: clientAddress(platform, headers) ?? '',
    ips: [],
    hostname: (headers.get('host') ?? '').replace(/:\d+$/, ''),
    protocol,
    secure: protocol === 'https',
    xhr: get('x-requested-with')?.toLowerCase() === 'xmlhttprequest',
    get cookies() {
      return parseCookies(headers.get('cookie'));
    },
    apiGateway: platform,
    get,
    header: get,
  };
  refuseMethods(record, 'req');
  return record;
}

/** Further parameters are ignored, as in Express. */
const maxParameters = 1000;

/**
 * A query string as Express's handlers see it: a name given twice is a list, `name[key]=value` an entry of an object.
 * Only one level, which is enough for GraphQL.
 */
function parseQuery(queryString: string): Record<string, any> {
  const query: Record<string, unknown> = {};
  for (const pair of queryString.split('&', maxParameters)) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!.map((part) => decoded(part.replaceAll('+', ' ')));
    const [, outer = name, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    // No parameter may reach an object's prototype.
    if (name === '' || outer in Object.prototype) continue;
    const given = inner === undefined ? value : inner === '' ? [value] : { [inner]: value };
    const present = query[outer];
    if (present === undefined) query[outer] = given;
    else query[outer] = isRecord(present) && isRecord(given) ? { ...present, ...given } : [present, given].flat();
  }
  return query;
}

const advice = {
  req: 'there is no Express here. Read req.headers, req.get(name), req.query or req.body',
  res: 'the server sends the answer. Use res.setHeader, res.append, res.cookie or res.status, or put what you need into the context',
};

/** Methods that negotiate content, send the answer, or need Node's request and response. */
const refused = {
  req: 'is accepts acceptsCharsets acceptsEncodings acceptsLanguages range param on once pipe',
  res: 'send json jsonp end write writeHead redirect render sendFile sendStatus download pipe flushHeaders on once',
};

/** Adds methods that throw an error that names them. */
function refuseMethods(target: ExpressRequest | ExpressResponse, name: keyof typeof advice): void {
  for (const method of refused[name].split(' '))
    target[method] = () => {
      throw new Error(
        `${name}.${method} is not supported: ${advice[name]}; or use your own Express app: see docs/migration.md, "Other hosts".`,
      );
    };
}

function parseCookies(header: string | null): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at < 0 || name === '' || Object.hasOwn(cookies, name)) continue;
    const value = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    Object.defineProperty(cookies, name, { value: decoded(value), enumerable: true, writable: true, configurable: true });
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The response in the form of Express's `res`: collects the status, header fields and cookies for the answer. */
export function createResponse(fields: HeaderMap = new HeaderMap()): ExpressResponse {
  const set: ExpressResponse['set'] = (name, value) => {
    for (const [key, one] of typeof name === 'string' ? [[name, value] as const] : Object.entries(name)) setField(fields, key, one);
    return response;
  };
  const valueOf = (name: string): string | string[] | undefined =>
    name.toLowerCase() === 'set-cookie' ? (fields.has(name) ? fields.getSetCookie() : undefined) : (fields.get(name) ?? undefined);
  const response: ExpressResponse = {
    statusCode: 200,
    locals: {},
    headersSent: false,
    status: (code) => Object.assign(response, { statusCode: code }),
    setHeader: (name, value) => (setField(fields, name, value), response),
    set,
    header: set,
    append: (name, value) => {
      for (const one of typeof value === 'string' ? [value] : value) fields.append(name, one);
      return response;
    },
    getHeader: valueOf,
    get: (name) => fields.get(name) ?? undefined,
    getHeaders: () => (fields.has('set-cookie') ? { ...fields.toRecord(), 'set-cookie': fields.getSetCookie() } : fields.toRecord()),
    hasHeader: (name) => fields.has(name),
    removeHeader: (name) => fields.delete(name),
    vary: (name) => (fields.append('vary', name), response),
    type: (type) => (fields.set('content-type', type), response),
    cookie: (name, value, options) => (fields.append('set-cookie', serializeCookie(name, value, options)), response),
    clearCookie: (name, options) => {
      fields.append('set-cookie', serializeCookie(name, '', { path: '/', ...options, expires: new Date(1), maxAge: undefined }));
      return response;
    },
  };
  refuseMethods(response, 'res');
  return response;
}

function setField(fields: HeaderMap, name: string, value: string | number | readonly string[] | undefined): void {
  fields.delete(name);
  for (const one of Array.isArray(value) ? (value as string[]) : [String(value)]) fields.append(name, one);
}
