import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse, Invocation } from '../../shared/index.ts';
import type { LandingPage, Logger } from '../types.ts';
import { BodyError, parsedBody, readBody } from './body.ts';
import type { BodyParserConfig } from './body.ts';
import { applyCORS } from './cors.ts';
import type { CORS } from './cors.ts';
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

/** Settings for answering HTTP requests. */
export interface Serving extends GetMiddlewareOptions {
  /** Answers OPTIONS, also for origins that are not allowed. */
  readonly answersPreflights: boolean;
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

  const isAnswered = serving.answersPreflights && record.method === 'OPTIONS';
  const preflight = (await applyCORS(serving.cors, request, headers)) ?? (isAnswered ? 204 : undefined);
  if (preflight !== undefined) return { status: preflight, headers, body: null };

  const { bodyParserConfig } = serving;
  // False means that the surrounding app parses bodies.
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
  const whole = json(headers, answered.status, answered.body);
  if (type !== null) headers.set('content-type', withCharset(type));
  return whole;
}

/** Adds the charset to a plugin's content type, as Express did. */
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

/** The server cannot answer now. Clients may see the message. */
export class NotReadyError extends Error {}

function errorBody(message: string, code: string): string {
  return `${JSON.stringify({ errors: [{ message, extensions: { code } }] })}\n`;
}

function json(headers: HeaderMap, status: number, body: string): HTTPResponse {
  headers.set('content-type', 'application/json; charset=utf-8');
  headers.set('x-content-type-options', 'nosniff');
  return { status, headers, body };
}

/** Never HTML, because the text may contain what the client sent. */
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

/** The name of a stage, or the function's path, may come first. */
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

/** Matches a path as Express does: whole segments, ignoring case. Unless `fromStart`, the name of a stage or the function's path may come first. */
export function isBelow(mounted: string, path: string, fromStart = false): boolean {
  const prefix = `/${mounted.replaceAll(/^\/+|\/+$/g, '').toLowerCase()}/`;
  const actual = `${path.toLowerCase()}/`;
  return prefix === '//' || (fromStart ? actual.startsWith(prefix) : actual.includes(prefix));
}

/** True when `accept` prefers HTML to JSON, as in a browser's navigation. Wildcards do not count. */
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
