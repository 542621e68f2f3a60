import { needsNoPreflight, parseAccept } from '../../server/index.ts';
import type { RequestCall } from '../../server/index.ts';
import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, Invocation } from '../../shared/index.ts';
import { HttpQueryError, NotReadyError, isHttpQueryError, refusal } from '../errors/apollo-error.ts';
import { assertDocuments } from '../options.ts';
import type { GraphQLServerOptions } from '../options.ts';
import { setFields } from '../operation/request-context.ts';
import type { LandingPage, Logger } from '../types.ts';
import { readBody } from './body.ts';
import type { BodyParserConfig } from './body.ts';
import { applyCORS } from './cors.ts';
import type { CORS } from './cors.ts';
import { ExpressResponse, createRequest } from './express.ts';
import type { ExpressRequest } from './express.ts';
import { runQuery } from './run-query.ts';

/** `expressGetMiddlewareOptions` of version 3's createHandler. */
export interface GetMiddlewareOptions {
  /** Only requests to this path and below are served. Default: "/", all. */
  readonly path?: string;
  /** Default: every origin, without credentials. */
  readonly cors?: CORS;
  readonly bodyParserConfig?: boolean | BodyParserConfig;
  /** The health check fails when its promise rejects. */
  readonly onHealthCheck?: (request: any) => Promise<any>;
  /** Default: false. */
  readonly disableHealthCheck?: boolean;
}

/** A server, and how its endpoint is served. */
export interface Endpoint extends GetMiddlewareOptions {
  /** If true, OPTIONS is answered for every origin, even one that is not allowed. */
  readonly answersPreflights: boolean;
  /** Header fields that CSRF prevention requires; undefined: it is off. */
  readonly csrfRequestHeaders: readonly string[] | undefined;
  readonly logger: Logger;
  /** Rejects when the server could not start. */
  readonly ready: () => Promise<void>;
  readonly landingPage: () => LandingPage | undefined;
  /** The settings of one request. */
  readonly options: (request: ExpressRequest, response: ExpressResponse) => Promise<GraphQLServerOptions>;
}

/** The response to a request, by version 3's rules. Never rejects. */
export async function respond(endpoint: Endpoint, call: RequestCall): Promise<HTTPResponse> {
  const headers = new HeaderMap();
  try {
    return await answer(endpoint, call, headers);
  } catch (thrown) {
    const refused = isHttpQueryError(thrown) ? thrown : toRefusal(thrown, endpoint.logger);
    for (const [name, value] of Object.entries(refused.headers ?? {})) headers.set(name, value);
    // The type is never HTML, because the text may quote the client.
    headers.set('content-type', refused.isGraphQLError ? json : 'text/plain; charset=utf-8');
    headers.set('x-content-type-options', 'nosniff');
    return { status: refused.statusCode, headers, body: refused.message };
  }
}

const json = 'application/json; charset=utf-8';

function toRefusal(thrown: unknown, logger: Logger): HttpQueryError {
  if (thrown instanceof NotReadyError) return refusal(500, thrown.message, 'INTERNAL_SERVER_ERROR');
  logger.error('The request failed outside of any operation.', thrown);
  return refusal(500, 'Internal server error', 'INTERNAL_SERVER_ERROR');
}

async function answer(endpoint: Endpoint, { request: record, invocation }: RequestCall, headers: HeaderMap): Promise<HTTPResponse> {
  const { method } = record;
  const request = createRequest(record, { event: invocation.event, context: invocation.context });
  await endpoint.ready();
  if (endpoint.disableHealthCheck !== true && isHealthCheck(record)) return health(endpoint, request);
  if (!isBelow(endpoint.path ?? '/', record.path)) throw new HttpQueryError(404, `Cannot ${method} ${request.path}`);

  const preflight =
    (await applyCORS(endpoint.cors, request, headers)) ?? (endpoint.answersPreflights && method === 'OPTIONS' ? 204 : undefined);
  if (preflight !== undefined) return { status: preflight, headers, body: null };

  request.body = await readBody(record, endpoint.bodyParserConfig);
  const page = method === 'GET' && prefersHTML(record.headers) ? endpoint.landingPage() : undefined;
  if (page !== undefined) {
    headers.set('content-type', 'text/html');
    headers.set('cache-control', 'no-store');
    return { status: 200, headers, body: page.html };
  }
  if (request.body === undefined)
    throw new HttpQueryError(
      500,
      '`res.body` is not set; you passed `bodyParserConfig: false`, but you still need to use `body-parser` middleware yourself.',
    );
  if (endpoint.csrfRequestHeaders !== undefined) preventCSRF(record.headers, endpoint.csrfRequestHeaders);
  const payload: unknown = method === 'POST' ? request.body : request.query;
  const options = assertDocuments(await endpoint.options(request, new ExpressResponse(headers)));
  const answered = await runQuery(options, payload, { url: request.url, method, headers: record.headers }, invocation as Invocation);
  setFields(headers, answered.headers);
  const type = answered.headers.get('content-type') ?? json;
  // Adds the charset to a plugin's content type, as Express did.
  headers.set('content-type', /;\s*charset=/i.test(type) ? type : `${type}; charset=utf-8`);
  headers.set('x-content-type-options', 'nosniff');
  return { ...answered, headers };
}

/** The name of a stage, or the function's path, may come first. */
export function isHealthCheck({ path }: Pick<HTTPRequest, 'path'>): boolean {
  return /\/\.well-known\/apollo\/server-health\/?$/.test(path);
}

async function health({ onHealthCheck }: Endpoint, request: ExpressRequest): Promise<HTTPResponse> {
  const headers = new HeaderMap({ 'content-type': 'application/health+json; charset=utf-8' });
  try {
    await onHealthCheck?.(request);
    return { status: 200, headers, body: '{"status":"pass"}' };
  } catch {
    return { status: 503, headers, body: '{"status":"fail"}' };
  }
}

/** Matches a path as Express does: whole segments, ignoring case. Unless `fromStart`, the name of a stage or the function's path may come first. */
export function isBelow(mounted: string, path: string, fromStart = false): boolean {
  const prefix = `/${mounted.replaceAll(/^\/+|\/+$/g, '').toLowerCase()}/`;
  const actual = `${path.toLowerCase()}/`;
  return prefix === '//' || (fromStart ? actual.startsWith(prefix) : actual.includes(prefix));
}

/** True when `accept` prefers HTML to JSON, as in a browser's navigation. Wildcards do not count. */
function prefersHTML(headers: HeaderMap): boolean {
  const [first] = parseAccept(headers.get('accept') ?? '')
    .filter(({ range, quality }) => (range === 'text/html' || range === 'application/json') && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return first?.range === 'text/html';
}

/** Header fields that a page cannot send to another site without a preflight. */
export const recommendedRequestHeaders: readonly string[] = ['x-apollo-operation-name', 'apollo-require-preflight'];

/**
 * Refuses requests that a page of another site could have sent without a preflight. A content-type that requires one, or one
 * of the header fields, shows that it did not.
 */
function preventCSRF(headers: HeaderMap, requestHeaders: readonly string[]): void {
  const contentType = headers.get('content-type');
  if (contentType !== null && !needsNoPreflight(contentType)) return;
  if (requestHeaders.some((name) => (headers.get(name) ?? '') !== '')) return;
  throw new HttpQueryError(
    400,
    "This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a 'content-type' header (with a " +
      'type that is not one of application/x-www-form-urlencoded, multipart/form-data, text/plain) or provide a non-empty value for one of ' +
      `the following headers: ${requestHeaders.join(', ')}\n`,
  );
}
