import type { CORSOptions as ServerCORSOptions } from '../../server/for-v3.ts';
import { addVary } from '../../shared/index.ts';
import type { HeaderMap } from '../../shared/index.ts';
import type { ExpressRequest } from './express.ts';

type Origin = boolean | string | RegExp | readonly (boolean | string | RegExp)[];
type OriginCallback = (error: Error | null, origin?: Origin) => void;

/** The options of the `cors` package, which version 3 used. */
export interface CORSOptions extends Omit<ServerCORSOptions, 'origin' | 'methods'> {
  readonly origin?: Origin | ((origin: string | undefined, callback: OriginCallback) => void);
  /** Default: GET, HEAD, PUT, PATCH, POST, DELETE. */
  readonly methods?: string | readonly string[];
  readonly preflightContinue?: boolean;
  /** Status of the answer to a preflight. Default: 204. */
  readonly optionsSuccessStatus?: number;
}

/** Finds the options for each request. */
export type CORSOptionsDelegate = (request: ExpressRequest, callback: (error: Error | null, options?: CORSOptions) => void) => void;

/** `cors` of `expressGetMiddlewareOptions`. */
export type CORS = boolean | CORSOptions | CORSOptionsDelegate;

/** The status of the answer to a preflight; undefined when the request goes on. Rejects when a callback does. */
export async function applyCORS(cors: CORS | undefined, request: ExpressRequest, headers: HeaderMap): Promise<number | undefined> {
  if (cors === false) return undefined;
  const given = cors === true || cors === undefined ? {} : cors;
  const options: CORSOptions = typeof given === 'function' ? ((await called<CORSOptions>((back) => given(request, back))) ?? {}) : given;
  // An explicit undefined, as from an environment variable that is not set, allows no origin.
  const origin = 'origin' in options ? options.origin : '*';
  const requestOrigin = request.get('origin');
  const found = typeof origin === 'function' ? await called<Origin>((back) => origin(requestOrigin, back)) : origin;
  // A callback that allows no origin, or `origin: false`, turns CORS off for the request.
  if (!found) return undefined;
  addOrigin(headers, found, requestOrigin);
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

function called<T>(run: (back: (error: Error | null, value?: T) => void) => unknown): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // A delegate that is an async function and rejects would otherwise leave the request hanging.
    const returned = run((error, value) => (error ? reject(error) : resolve(value)));
    if (returned instanceof Promise) returned.catch(reject);
  });
}

function addOrigin(headers: HeaderMap, origin: Origin, requestOrigin: string | undefined): void {
  if (origin !== '*') addVary(headers, 'Origin');
  if (typeof origin === 'string') headers.set('access-control-allow-origin', origin);
  else if (requestOrigin !== undefined && isAllowed(origin, requestOrigin)) headers.set('access-control-allow-origin', requestOrigin);
}

function isAllowed(origin: Origin, requestOrigin: string): boolean {
  if (Array.isArray(origin)) return origin.some((one: boolean | string | RegExp) => isAllowed(one, requestOrigin));
  if (typeof origin === 'string') return origin === requestOrigin;
  // A pattern with the g or y flag keeps its position between calls, and would refuse every second request.
  if (origin instanceof RegExp) return new RegExp(origin.source, origin.flags.replaceAll(/[gy]/g, '')).test(requestOrigin);
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
