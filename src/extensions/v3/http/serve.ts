import { HeaderMap } from '../../../message/header-map.ts';
import type { HTTPRequest, HTTPResponse } from '../../../message/http-messages.ts';
import type { Invocation } from '../../../message/invocation.ts';
import type { LandingPage, Logger } from '../types.ts';
import { BodyError, parsedBody, readBody } from './body.ts';
import type { BodyParserConfig } from './body.ts';
import { applyCORS, applyCORSOfVersion2 } from './cors.ts';
import type { CORS, CORSOptionsOfVersion2 } from './cors.ts';
import { preventCSRF } from './csrf.ts';
import { createRequest, createResponse } from './express.ts';
import type { ExpressRequest, ExpressResponse } from './express.ts';
import { isHttpQueryError } from '../errors/apollo-error.ts';
import { setFields } from '../operation/request-context.ts';
import { runHttpQuery } from './run-http-query.ts';
import type { QueryOptions } from './run-http-query.ts';

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

/** How a server answers over HTTP. */
export interface Serving extends GetMiddlewareOptions {
  /** `cors` as version 2 had it, beside `onHealthCheck`. */
  readonly corsOfVersion2: CORSOptionsOfVersion2 | undefined;
  readonly csrfRequestHeaders: readonly string[] | undefined;
  readonly logger: Logger;
  /** Rejects when the server could not start. */
  readonly ready: () => Promise<void>;
  readonly landingPage: () => LandingPage | undefined;
  readonly options: (request: ExpressRequest, response: ExpressResponse) => Promise<QueryOptions>;
}

/** One call of the handler. */
interface ServedRequest {
  readonly serving: Serving;
  readonly record: HTTPRequest;
  readonly invocation: Invocation;
  readonly request: ExpressRequest;
  readonly response: ExpressResponse;
  readonly headers: HeaderMap;
}

/** `HTTPRequest` → `HTTPResponse`, by version 3's rules. Never rejects. */
export async function serveRequest(serving: Serving, record: HTTPRequest, invocation: Invocation): Promise<HTTPResponse> {
  const headers = new HeaderMap();
  const request = createRequest(record, { event: invocation.event, context: invocation.context });
  const served: ServedRequest = { serving, record, invocation, request, response: createResponse(headers), headers };
  try {
    return await answer(served);
  } catch (thrown) {
    return failed(served, thrown);
  }
}

async function answer(served: ServedRequest): Promise<HTTPResponse> {
  const { serving, record, request, headers } = served;
  await serving.ready();
  if (serving.disableHealthCheck !== true && isHealthCheck(record)) return health(serving, request);
  if (!isBelow(serving.path ?? '/', record.path)) return text(headers, 404, `Cannot ${record.method} ${request.path}`);

  const preflight = serving.corsOfVersion2
    ? applyCORSOfVersion2(serving.corsOfVersion2, request, headers)
    : await applyCORS(serving.cors, request, headers);
  if (preflight !== undefined) return { status: preflight, headers, body: null };

  const { bodyParserConfig } = serving;
  // False: the app around this server has a parser of its own.
  const body =
    bodyParserConfig === false ? parsedBody(record) : await readBody(record, bodyParserConfig === true ? {} : (bodyParserConfig ?? {}));
  request.body = body;
  const page = record.method === 'GET' && prefersHTML(record.headers) ? serving.landingPage() : undefined;
  if (page !== undefined) return html(headers, page);
  if (body === undefined) {
    return text(
      headers,
      500,
      '`res.body` is not set; you passed `bodyParserConfig: false`, but you still need to use `body-parser` middleware yourself.',
    );
  }
  return query(served);
}

async function query(served: ServedRequest): Promise<HTTPResponse> {
  const { serving, record, invocation, request, response, headers } = served;
  if (serving.csrfRequestHeaders !== undefined) preventCSRF(record.headers, serving.csrfRequestHeaders);
  const { method } = record;
  const answered = await runHttpQuery({
    method,
    query: method === 'POST' ? (request.body as unknown) : request.query,
    head: { url: request.url, method, headers: record.headers },
    options: () => serving.options(request, response),
    invocation,
  });
  const type = answered.headers.get('content-type');
  setFields(headers, answered.headers);
  // Any cache on the way may keep an answer to a GET by rules of its own, and hand it to the next user.
  if (method === 'GET' && !headers.has('cache-control')) headers.set('cache-control', 'private, no-store');
  const whole = json(headers, answered.status, answered.body);
  if (type !== null) headers.set('content-type', withCharset(type));
  return whole;
}

/** A plugin's own type has the charset added, as Express did. */
function withCharset(type: string): string {
  return /;\s*charset=/i.test(type) ? type : `${type}; charset=utf-8`;
}

function failed({ serving, headers }: ServedRequest, thrown: unknown): HTTPResponse {
  if (isHttpQueryError(thrown)) {
    for (const [name, value] of Object.entries(thrown.headers ?? {})) headers.set(name, value);
    return thrown.isGraphQLError ? json(headers, thrown.statusCode, thrown.message) : text(headers, thrown.statusCode, thrown.message);
  }
  if (thrown instanceof BodyError) return json(headers, thrown.status, errorBody(thrown.message, 'BAD_REQUEST'));
  const isKnown = thrown instanceof NotReadyError;
  if (!isKnown) serving.logger.error('The request failed outside of any operation.', thrown);
  return json(headers, 500, errorBody(isKnown ? thrown.message : 'Internal server error', 'INTERNAL_SERVER_ERROR'));
}

/** The server cannot answer now; the message is fit for clients. */
export class NotReadyError extends Error {}

function errorBody(message: string, code: string): string {
  return `${JSON.stringify({ errors: [{ message, extensions: { code } }] })}\n`;
}

function json(headers: HeaderMap, status: number, body: string): HTTPResponse {
  headers.set('content-type', 'application/json; charset=utf-8');
  headers.set('x-content-type-options', 'nosniff');
  return { status, headers, body };
}

/** Never as HTML: the text may hold what the client sent. */
function text(headers: HeaderMap, status: number, body: string): HTTPResponse {
  headers.set('content-type', 'text/plain; charset=utf-8');
  headers.set('x-content-type-options', 'nosniff');
  return { status, headers, body };
}

function html(headers: HeaderMap, page: LandingPage): HTTPResponse {
  headers.set('content-type', 'text/html');
  headers.set('cache-control', 'no-store');
  return { status: 200, headers, body: page.html };
}

/** A stage, or the function's own path, may stand before it. */
export function isHealthCheck({ path }: Pick<HTTPRequest, 'path'>): boolean {
  return /\/\.well-known\/apollo\/server-health\/?$/.test(path);
}

async function health({ onHealthCheck }: Serving, request: ExpressRequest): Promise<HTTPResponse> {
  let isHealthy = true;
  try {
    await onHealthCheck?.(request);
  } catch {
    isHealthy = false;
  }
  const headers = new HeaderMap({ 'content-type': 'application/health+json; charset=utf-8' });
  return { status: isHealthy ? 200 : 503, headers, body: JSON.stringify({ status: isHealthy ? 'pass' : 'fail' }) };
}

/** As Express mounts a path: whole segments, in any case. A stage or the function's own path may stand before it, unless it is asked from the start. */
export function isBelow(mounted: string, path: string, fromStart = false): boolean {
  const wanted = `/${mounted.replaceAll(/^\/+|\/+$/g, '').toLowerCase()}/`;
  const asked = `${path.toLowerCase()}/`;
  return wanted === '//' || (fromStart ? asked.startsWith(wanted) : asked.includes(wanted));
}

/** A browser's navigation: of the two types it names HTML first. A wildcard is no wish for a page. */
function prefersHTML(headers: HeaderMap): boolean {
  const ranges = (headers.get('accept') ?? '').split(',').map((range, at) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)), at };
  });
  const [first] = ranges
    .filter(({ type, quality }) => (type === 'text/html' || type === 'application/json') && quality > 0)
    .toSorted((a, b) => b.quality - a.quality || a.at - b.at);
  return first?.type === 'text/html';
}
