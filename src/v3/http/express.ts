import { clientAddress } from '../../server/index.ts';
import type { PlatformCall } from '../../server/index.ts';
import { HeaderMap, isRecord } from '../../shared/index.ts';
import type { HTTPRequest } from '../../shared/index.ts';
import { serializeCookie } from './cookie.ts';
import type { CookieOptions } from './cookie.ts';

/** The part of Express's request that handlers of the version-3 generation read. */
export interface ExpressRequest extends Readonly<Record<'method' | 'url' | 'originalUrl' | 'path' | 'hostname' | 'protocol', string>> {
  readonly query: Record<string, any>;
  readonly params: Record<string, string>;
  readonly headers: Record<string, string | undefined>;
  body: any;
  /** The client's address as the platform reports it; empty where it does not. */
  readonly ip: string;
  readonly ips: readonly string[];
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
  const withApp = 'use your own Express app: see docs/migration.md, "Other hosts".';
  const refusing = (method: string) => (): never => {
    throw new Error(`${name}.${method} is not supported: ${advice[name]}; or ${withApp}`);
  };
  for (const method of refused[name].split(' ')) target[method] = refusing(method);
}

function parseCookies(header: string | null): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at < 0 || name === '' || Object.hasOwn(cookies, name)) continue;
    const value = pair.slice(at + 1).trim();
    const unquoted = decoded(/^".*"$/.test(value) ? value.slice(1, -1) : value);
    Object.defineProperty(cookies, name, { value: unquoted, enumerable: true, writable: true, configurable: true });
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

type FieldValue = string | number | readonly string[];

/**
 * The part of Express's response that handlers of the version-3 generation write: collects the status, header fields and cookies for the
 * answer. Other methods throw an error that names them.
 */
export class ExpressResponse {
  // Any: as on the request.
  [key: string]: any;
  statusCode: number = 200;
  readonly locals: Record<string, any> = {};
  readonly headersSent: boolean = false;
  readonly #fields: HeaderMap;

  constructor(fields: HeaderMap = new HeaderMap()) {
    this.#fields = fields;
    refuseMethods(this, 'res');
  }

  // These methods are fields, so that they work without the object, as in Express.
  status = (code: number): this => Object.assign(this, { statusCode: code });
  append = (name: string, value: FieldValue): this => {
    for (const one of [value].flat()) this.#fields.append(name, String(one));
    return this;
  };
  setHeader = (name: string, value: FieldValue): this => (this.#fields.delete(name), this.append(name, value));
  set = (name: string | Record<string, FieldValue>, value: FieldValue = ''): this => {
    for (const [key, one] of typeof name === 'string' ? [[name, value] as const] : Object.entries(name)) this.setHeader(key, one);
    return this;
  };
  header: ExpressResponse['set'] = this.set;
  get = (name: string): string | undefined => this.#fields.get(name) ?? undefined;
  getHeader = (name: string): string | string[] | undefined => (this.hasHeader(name) ? this.getHeaders()[name.toLowerCase()] : undefined);
  getHeaders = (): Record<string, string | string[]> => ({
    ...this.#fields.toRecord(),
    ...(this.hasHeader('set-cookie') && { 'set-cookie': this.#fields.getSetCookie() }),
  });
  hasHeader = (name: string): boolean => this.#fields.has(name);
  removeHeader = (name: string): void => this.#fields.delete(name);
  vary = (name: string): this => this.append('vary', name);
  type = (type: string): this => this.setHeader('content-type', type);
  cookie = (name: string, value: unknown, options?: CookieOptions): this =>
    this.append('set-cookie', serializeCookie(name, value, options));
  clearCookie = (name: string, options?: CookieOptions): this =>
    this.cookie(name, '', { path: '/', ...options, expires: new Date(1), maxAge: undefined });
}
