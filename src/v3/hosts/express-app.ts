import type { IncomingMessage, ServerResponse } from 'node:http';

import { HeaderMap, textOfUTF8 } from '../../shared/index.ts';
import type { HTTPRequest, HTTPRequestBody, HTTPResponse } from '../../shared/index.ts';
import { isBelow, isHealthCheck } from '../http/serve.ts';
import type { GetMiddlewareOptions } from '../http/serve.ts';

/** An app of Express, or any other function that answers requests of node:http. */
export type NodeApp = (request: IncomingMessage, response: ServerResponse) => unknown;

type Socket = IncomingMessage['socket'];

/** A request for an app. */
export interface AppRequest {
  readonly record: HTTPRequest;
  /** The client's address. */
  readonly address: string | undefined;
  /** Called with Node's request before the app is called. */
  readonly prepare: (request: IncomingMessage) => void;
}

/** The answer of an app. Its body is base64 where `isBase64` says so. */
export interface AppResponse extends HTTPResponse {
  readonly isBase64: boolean;
}

/**
 * True when the middleware answers a request. Then the path is moved from the URL to `baseUrl`, as in
 * routers of Express.
 */
export function takes({ path: mounted = '/', disableHealthCheck }: GetMiddlewareOptions, request: MountedRequest): boolean {
  const { url = '/', baseUrl = '', originalUrl } = request;
  const path = url.split('?', 1)[0]!;
  if (disableHealthCheck !== true && isHealthCheck({ path })) return true;
  if (!isBelow(mounted, path, true)) return false;
  const { length } = mounted.replace(/\/+$/, '');
  // Only Express keeps the whole URL.
  if (length === 0 || originalUrl === undefined) return true;
  request.baseUrl = baseUrl + url.slice(0, length);
  request.url = url.slice(length).startsWith('/') ? url.slice(length) : `/${url.slice(length)}`;
  return true;
}

/** A request that may come from Express. */
interface MountedRequest {
  url?: string | undefined;
  baseUrl?: string;
  readonly originalUrl?: string;
}

/** The app that the option `expressAppFromMiddleware` has returned. Throws for anything else. */
export function assertApp(app: unknown): NodeApp {
  if (typeof app === 'function') return app as NodeApp;
  throw new TypeError(
    `Expected expressAppFromMiddleware to return an Express app, got ${app instanceof Promise ? 'a promise. Make the app without waiting' : String(app)}.`,
  );
}

/** Calls an app without a socket. Rejects when the app closes the response instead of ending it. */
export async function callApp(app: NodeApp, { record, address, prepare }: AppRequest): Promise<AppResponse> {
  const bytes = await bytesOf(record.body);
  const socket = createSocket(address);
  const request = createNodeRequest(record, bytes, socket);
  prepare(request);
  const { response, chunks } = createNodeResponse(request);
  response.assignSocket(socket);
  await new Promise<void>((resolve, reject) => {
    response.once('finish', () => resolve());
    response.once('close', () => reject(new Error('The Express app closed the response before it had ended it.')));
    // Express handles its own errors. Other apps are asynchronous functions that may reject.
    Promise.resolve(app(request, response)).catch(reject);
  });
  return toAppResponse(response, Buffer.concat(chunks));
}

/** Stands in for the connection: middleware reads the client's address and whether TLS was used. Discards what is written. */
function createSocket(address: string | undefined): Socket {
  // Not imported, here and below, so that only projects with an app load these modules.
  const { Writable } = process.getBuiltinModule('node:stream');
  const socket = new Writable({ write: (_chunk, _encoding, done) => done() });
  Object.assign(socket, { encrypted: true, remoteAddress: address, setTimeout: () => socket });
  return socket as unknown as Socket;
}

function createNodeRequest({ method, path, queryString, headers }: HTTPRequest, bytes: Uint8Array, socket: Socket): IncomingMessage {
  const http = process.getBuiltinModule('node:http');
  const request = new http.IncomingMessage(socket);
  const fields = new HeaderMap(headers);
  // Body parsers read the length of the body.
  fields.delete('transfer-encoding');
  if (bytes.byteLength > 0) fields.set('content-length', String(bytes.byteLength));
  for (const [name, value] of fields) request.rawHeaders.push(name, value);
  Object.assign(request, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, complete: true, headers: fields.toRecord() });
  request.method = method;
  request.url = queryString === '' ? path || '/' : `${path || '/'}?${queryString}`;
  if (bytes.byteLength > 0) request.push(bytes);
  request.push(null);
  return request;
}

async function bytesOf(body: HTTPRequestBody): Promise<Uint8Array> {
  if (body.kind === 'none') return new Uint8Array();
  if (body.kind === 'bytes') return body.bytes;
  if (body.kind === 'text') return Buffer.from(body.text);
  if (body.kind === 'value') return Buffer.from(JSON.stringify(body.value));
  return new Uint8Array(await body.read(Infinity));
}

/** A response that keeps its body, and all header fields where `getHeaders` finds them: Node's writeHead sends some without storing them. */
function createNodeResponse(request: IncomingMessage): { readonly response: ServerResponse; readonly chunks: readonly Buffer[] } {
  const chunks: Buffer[] = [];
  const { ServerResponse } = process.getBuiltinModule('node:http');
  const { write, end, writeHead } = ServerResponse.prototype;
  const response = new ServerResponse(request);
  const keep = ([chunk, encoding]: readonly [chunk?: unknown, encoding?: unknown]): void => {
    if (response.writableEnded) return;
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  // Properties of the response, because Express replaces its prototype. Any: each of these methods has several forms, all of which are passed on.
  const methods = {
    write: (...given: any): boolean => {
      keep(given);
      return write.apply(response, given);
    },
    end: (...given: any): ServerResponse => {
      keep(given);
      return end.apply(response, given);
    },
    writeHead: (status: number, ...given: any): ServerResponse => {
      const [reason, fields] = typeof given[0] === 'string' ? given : [undefined, given[0]];
      // A list has names and values by turns, and a name may be repeated.
      const list: readonly any[] | undefined = Array.isArray(fields) ? fields.flat() : undefined;
      const pairs: [string, any][] =
        list?.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])) ?? Object.entries(fields ?? {});
      for (const [name] of pairs) response.removeHeader(name);
      for (const [name, value] of pairs) response.appendHeader(name, typeof value === 'number' ? String(value) : value);
      return writeHead.call(response, status, reason);
    },
  };
  return { response: Object.assign(response, methods), chunks };
}

/** Fields that belong to a connection, or that the platform sets. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

function toAppResponse(response: ServerResponse, bytes: Buffer): AppResponse {
  const { statusCode: status, req } = response;
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (!ofConnection.has(name)) for (const one of [value ?? []].flat()) headers.append(name, String(one));
  }
  const hasBody = req.method !== 'HEAD' && status !== 204 && status !== 304;
  return { status, headers, ...bodyOf(hasBody ? bytes : Buffer.alloc(0), headers) };
}

/** Results are text, so images and compressed bodies become base64. */
function bodyOf(bytes: Buffer, headers: HeaderMap): Pick<AppResponse, 'body' | 'isBase64'> {
  if (bytes.byteLength === 0) return { body: null, isBase64: false };
  const encoding = headers.get('content-encoding') ?? 'identity';
  const text = encoding === 'identity' ? textOfUTF8(bytes) : undefined;
  return text === undefined ? { body: bytes.toString('base64'), isBase64: true } : { body: text, isBase64: false };
}
