import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { isLocalHost } from '../../../server/node/index.ts';
import type { DevEvent, LocalFunction } from './local-function.ts';
import { homePage, refusalPage, takesPage } from './pages.ts';
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

/** The functions to serve, and for which hosts. */
export interface ServeSettings {
  readonly host: string;
  readonly prefix: string;
  readonly functions: ReadonlyMap<string, LocalFunction>;
  /** Resolves when `functions` contains those of the folder. */
  readonly found: Promise<void>;
  readonly report: (event: DevEvent) => void;
}

/** The limit of Netlify and AWS for buffered requests. */
const maxBodyBytes = 6 * 1024 * 1024;

/** Answers a request with the function at its path. */
export async function answerRequest(settings: ServeSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let local: LocalFunction | undefined;
  try {
    assertLocalHost(settings, request);
    await settings.found;
    if (isHome(settings, request)) {
      sendPage(response, 200, homePage(settings));
      return;
    }
    local = functionFor(settings, request);
    const body = await readBody(request);
    await send(response, await local.call(toThreadRequest(request, body)), request.method === 'HEAD');
  } catch (error) {
    // It is too late for another response. Closing the connection shows that this one is incomplete.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof RefusedRequest) reportRefused(settings, request, error);
    const status = error instanceof RefusedRequest ? error.status : 500;
    if (takesPage(request)) sendPage(response, status, refusalPage(headingFor(status, local), (error as Error).message));
    else refuse(response, status, bodyFor(request, status, (error as Error).message));
  }
}

function headingFor(status: number, local: LocalFunction | undefined): string {
  if (local?.isBroken) return 'This function does not compile';
  return status === 404 ? 'Not found' : status < 500 ? 'Request refused' : 'This function failed';
}

/** True for the page at the server's root. */
function isHome({ functions }: ServeSettings, request: IncomingMessage): boolean {
  return request.method === 'GET' && request.url === '/' && takesPage(request) && !functions.has('');
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  // The icon is an empty data: URL, so that browsers do not request /favicon.ico.
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'";
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': policy,
  });
  response.end(html);
}

/** Reports a request that reached no function. */
function reportRefused(
  { report }: ServeSettings,
  { method = 'GET', url = '/' }: IncomingMessage,
  { status, message }: RefusedRequest,
): void {
  const [reason = ''] = message.split('\n', 1);
  report({
    kind: 'request',
    name: '-',
    record: { method, path: url, status, milliseconds: 0, operations: [], errors: status === 404 ? [] : [reason] },
  });
}

class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Prevents DNS rebinding: any page can point its host name to this machine, and would then have the same origin as this
 * server, which shows everything. The host must be localhost unless the user listens on another one.
 */
function assertLocalHost({ host }: ServeSettings, { headers }: IncomingMessage): void {
  if (host !== 'localhost' || isLocalHost(headers.host ?? '')) return;
  throw new RefusedRequest(403, 'This server only answers requests for localhost. Use --host to change that.');
}

function functionFor({ prefix, functions }: ServeSettings, { url = '/' }: IncomingMessage): LocalFunction {
  const [path = ''] = url.split('?', 1);
  const [name = ''] = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1).split('/', 1) : [];
  const local = functions.get(name);
  if (local !== undefined && !local.isHelper) return local;
  const paths = [...functions.values()].filter(({ isHelper }) => !isHelper).map((known) => `  ${prefix}/${known.name}`);
  throw new RefusedRequest(
    404,
    `No function at ${path}. ${paths.length === 0 ? 'There are none yet.' : `Functions:\n\n${paths.join('\n')}`}`,
  );
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw new RefusedRequest(413, `The body exceeds ${maxBodyBytes} bytes, the limit of Netlify and AWS.`);
    chunks.push(chunk as Buffer);
  }
  return bytes === 0 ? undefined : new Uint8Array(Buffer.concat(chunks));
}

function toThreadRequest(request: IncomingMessage, body: Uint8Array<ArrayBuffer> | undefined): ThreadRequest {
  const { method = 'GET', url = '/' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as const),
  );
  // Request allows no body for these methods, and platforms drop it.
  const hasNone = method === 'GET' || method === 'HEAD';
  return { method, url: `http://${request.headers.host ?? 'localhost'}${url}`, headers, body: hasNone ? undefined : body };
}

async function send(response: ServerResponse, { status, headers, body }: ThreadResponse, isHead: boolean): Promise<void> {
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(status);
  if (body === null || isHead) {
    await body?.cancel();
    response.end();
    return;
  }
  // Also ends the function's stream when the client disconnects.
  await pipeline(Readable.fromWeb(body), response);
}

/** What a response to a refused request contains. */
interface RefusalBody {
  readonly type: string;
  readonly body: string;
}

/** JSON for clients that ask for it, which cannot show another form; text for people and `curl`. */
function bodyFor({ headers: { accept = '' } }: IncomingMessage, status: number, message: string): RefusalBody {
  const [type] = /application\/(?:graphql-response\+)?json/i.exec(accept) ?? [];
  if (type === undefined) return { type: 'text/plain; charset=utf-8', body: `${message}\n` };
  const code = status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
  return { type: `${type}; charset=utf-8`, body: JSON.stringify({ errors: [{ message, extensions: { code } }] }) };
}

function refuse(response: ServerResponse, status: number, { type, body }: RefusalBody): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  // Closing the connection saves reading the rest of a body that is too large.
  response.writeHead(status, { 'content-type': type, ...(status === 413 ? { connection: 'close' } : {}) });
  response.end(body);
}
