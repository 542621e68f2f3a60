import { matchesOrigin, writeCORSFields } from '../../server/index.ts';
import type { CORSOptions as ServerCORSOptions } from '../../server/index.ts';
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
  if (found !== '*') addVary(headers, 'Origin');
  const allowed =
    typeof found === 'string' ? found : requestOrigin !== undefined && isAllowed(found, requestOrigin) ? requestOrigin : undefined;
  const { methods = 'GET,HEAD,PUT,PATCH,POST,DELETE', allowedHeaders, exposedHeaders } = options;
  const lists = { methods: text(methods), allowedHeaders: text(allowedHeaders), exposedHeaders: text(exposedHeaders) };
  const isPreflight = request.method === 'OPTIONS';
  if (isPreflight) writeCORSFields(allowed, { ...options, ...lists }, request.get('access-control-request-headers') ?? '', headers);
  // In version 3, the answer to a preflight has exposed header fields, too.
  writeCORSFields(allowed, { ...options, ...lists }, undefined, headers);
  if (!isPreflight || options.preflightContinue === true) return undefined;
  return options.optionsSuccessStatus ?? 204;
}

/** Joins lists here, because the server would write a blank between their elements. */
const text = (list: string | readonly string[] | undefined): string => String(list ?? '');

function called<T>(run: (back: (error: Error | null, value?: T) => void) => unknown): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // A delegate that is an async function and rejects would otherwise leave the request hanging.
    const returned = run((error, value) => (error ? reject(error) : resolve(value)));
    if (returned instanceof Promise) returned.catch(reject);
  });
}

/** Any page may be allowed here, with credentials, too: version 3 did not refuse `origin: true`. */
function isAllowed(origin: Origin, requestOrigin: string): boolean {
  return [origin].flat().some((one) => (typeof one === 'boolean' ? one : matchesOrigin(one, requestOrigin)));
}
