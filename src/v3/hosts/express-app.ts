import type { IncomingMessage, ServerResponse } from 'node:http';

import { HeaderMap } from '../../shared/index.ts';
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
  const { socket, written } = createSocket(address);
  const request = createNodeRequest(record, bytes, socket);
  prepare(request);
  const http = process.getBuiltinModule('node:http');
  const response = new http.ServerResponse(request);
  // Not chunked: the pieces are concatenated here.
  response.useChunkedEncodingByDefault = false;
  response.assignSocket(socket);
  await new Promise<void>((resolve, reject) => {
    response.once('finish', () => resolve());
    response.once('close', () => reject(new Error('The Express app closed the response before it had ended it.')));
    // Express handles its own errors. Other apps are asynchronous functions that may reject.
    Promise.resolve(app(request, response)).catch(reject);
  });
  return readResponse(Buffer.concat(written));
}

/** Stands in for the connection: middleware reads the client's address and whether TLS was used. */
function createSocket(address: string | undefined): { readonly socket: Socket; readonly written: Buffer[] } {
  const written: Buffer[] = [];
  // Not imported, here and below, so that only projects with an app load these modules.
  const { Writable } = process.getBuiltinModule('node:stream');
  const socket = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  Object.assign(socket, { encrypted: true, remoteAddress: address, setTimeout: () => socket });
  return { socket: socket as unknown as Socket, written };
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

/** Fields that belong to a connection, or that the platform sets. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Parses what the app wrote to the socket, which includes the header fields however the app set them. */
function readResponse(bytes: Buffer): AppResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const rest = bytes.subarray(end + 4);
  const status = Number(first.split(' ')[1]);
  // 100 and 103 come before the answer.
  if (status < 200) return readResponse(rest);
  const headers = new HeaderMap();
  let isChunked = false;
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    isChunked ||= name === 'transfer-encoding' && value === 'chunked';
    if (!ofConnection.has(name)) headers.append(name, value);
  }
  return { status, headers, ...bodyOf(isChunked ? joinChunks(rest) : rest, headers) };
}

/** An app that passes on the header fields of another server may send chunks (RFC 9112 section 7.1). */
function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

/** Results are text, so images and compressed bodies become base64. */
function bodyOf(bytes: Buffer, headers: HeaderMap): Pick<AppResponse, 'body' | 'isBase64'> {
  if (bytes.byteLength === 0) return { body: null, isBase64: false };
  const encoding = headers.get('content-encoding') ?? 'identity';
  const text = encoding === 'identity' ? textOf(bytes) : undefined;
  return text === undefined ? { body: bytes.toString('base64'), isBase64: true } : { body: text, isBase64: false };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
