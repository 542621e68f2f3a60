import type { HeaderMap } from '../../../message/header-map.ts';
import type { ExpressRequest } from './express.ts';

type Origin = boolean | string | RegExp | readonly (boolean | string | RegExp)[];
type OriginCallback = (error: Error | null, origin?: Origin) => void;

/** The options of the `cors` package, which version 3 passed on. */
export interface CORSOptions {
  readonly origin?: Origin | ((origin: string | undefined, callback: OriginCallback) => void);
  readonly methods?: string | readonly string[];
  readonly allowedHeaders?: string | readonly string[];
  readonly exposedHeaders?: string | readonly string[];
  readonly credentials?: boolean;
  readonly maxAge?: number;
  readonly preflightContinue?: boolean;
  readonly optionsSuccessStatus?: number;
}

/** Finds the options for each request. */
export type CORSOptionsDelegate = (request: ExpressRequest, callback: (error: Error | null, options?: CORSOptions) => void) => void;

/** `cors` of `expressGetMiddlewareOptions`. */
export type CORS = boolean | CORSOptions | CORSOptionsDelegate;

/** The options of version 2, where every answer carried all of the fields. */
export interface CORSOptionsOfVersion2 {
  readonly origin?: boolean | string | readonly string[];
  readonly methods?: string | readonly string[];
  readonly allowedHeaders?: string | readonly string[];
  readonly exposedHeaders?: string | readonly string[];
  readonly credentials?: boolean;
  readonly maxAge?: number;
}

/** The status of an answer that CORS gives alone, to a preflight; undefined: the request goes on. Rejects when a callback does. */
export async function applyCORS(cors: CORS | undefined, request: ExpressRequest, headers: HeaderMap): Promise<number | undefined> {
  if (cors === false) return undefined;
  const given = cors === true || cors === undefined ? {} : cors;
  const options: CORSOptions = typeof given === 'function' ? ((await called<CORSOptions>((back) => given(request, back))) ?? {}) : given;
  // Undefined on purpose, as from an environment variable that is not set, lets nobody in.
  const origin = 'origin' in options ? options.origin : '*';
  const asking = request.get('origin');
  const found = typeof origin === 'function' ? await called<Origin>((back) => origin(asking, back)) : origin;
  // A callback that lets nobody in, or `origin: false`, switches CORS off for the request.
  if (!found) return undefined;
  addOrigin(headers, found, asking);
  if (options.credentials === true) headers.set('access-control-allow-credentials', 'true');
  if (request.method !== 'OPTIONS') {
    addList(headers, 'access-control-expose-headers', options.exposedHeaders);
    return undefined;
  }
  addList(headers, 'access-control-allow-methods', options.methods ?? 'GET,HEAD,PUT,PATCH,POST,DELETE');
  addAllowedHeaders(headers, options, request);
  if (options.maxAge !== undefined && String(options.maxAge) !== '') headers.set('access-control-max-age', String(options.maxAge));
  addList(headers, 'access-control-expose-headers', options.exposedHeaders);
  return options.preflightContinue === true ? undefined : (options.optionsSuccessStatus ?? 204);
}

/** `cors` of version 2's createHandler. Preflights are answered alone, with status 204. */
export function applyCORSOfVersion2(cors: CORSOptionsOfVersion2, request: ExpressRequest, headers: HeaderMap): number | undefined {
  const asking = request.get('origin');
  const { origin } = cors;
  if (typeof origin === 'string') headers.set('access-control-allow-origin', origin);
  else if (asking !== undefined && (origin === true || (Array.isArray(origin) && origin.includes(asking)))) {
    headers.set('access-control-allow-origin', asking);
    addVary(headers, 'Origin');
  }
  addList(headers, 'access-control-allow-methods', cors.methods);
  addList(headers, 'access-control-allow-headers', cors.allowedHeaders);
  addList(headers, 'access-control-expose-headers', cors.exposedHeaders);
  const asked = request.get('access-control-request-headers');
  if (origin && !cors.allowedHeaders && asked) headers.set('access-control-allow-headers', asked);
  if (cors.credentials) headers.set('access-control-allow-credentials', 'true');
  if (typeof cors.maxAge === 'number') headers.set('access-control-max-age', String(cors.maxAge));
  return request.method === 'OPTIONS' ? 204 : undefined;
}

function called<T>(run: (back: (error: Error | null, value?: T) => void) => unknown): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // A delegate that is an async function and rejects would otherwise leave the request hanging.
    const returned = run((error, value) => (error ? reject(error) : resolve(value)));
    if (returned instanceof Promise) returned.catch(reject);
  });
}

function addOrigin(headers: HeaderMap, origin: Origin, asking: string | undefined): void {
  if (origin !== '*') addVary(headers, 'Origin');
  if (typeof origin === 'string') headers.set('access-control-allow-origin', origin);
  else if (asking !== undefined && isAllowed(origin, asking)) headers.set('access-control-allow-origin', asking);
}

function isAllowed(origin: Origin, asking: string): boolean {
  if (Array.isArray(origin)) return origin.some((one: boolean | string | RegExp) => isAllowed(one, asking));
  if (typeof origin === 'string') return origin === asking;
  // A pattern with the g or y flag keeps a position between calls, and would refuse every second request.
  if (origin instanceof RegExp) return new RegExp(origin.source, origin.flags.replaceAll(/[gy]/g, '')).test(asking);
  return Boolean(origin);
}

function addAllowedHeaders(headers: HeaderMap, { allowedHeaders }: CORSOptions, request: ExpressRequest): void {
  if (!allowedHeaders) addVary(headers, 'Access-Control-Request-Headers');
  addList(headers, 'access-control-allow-headers', allowedHeaders || request.get('access-control-request-headers'));
}

function addList(headers: HeaderMap, name: string, value: string | readonly string[] | undefined): void {
  const text = Array.isArray(value) ? value.join(',') : (value as string | undefined);
  if (text) headers.set(name, text);
}

function addVary(headers: HeaderMap, name: string): void {
  const present = headers.get('vary');
  const names = present?.split(',').map((one) => one.trim().toLowerCase()) ?? [];
  if (names.includes('*') || names.includes(name.toLowerCase())) return;
  headers.set('vary', present === null ? name : `${present}, ${name}`);
}
