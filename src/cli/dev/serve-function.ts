import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { DevEvent, LocalFunction } from './local-function.ts';
import { homePage, refusalPage, takesPage } from './pages.ts';
import { servePlayground } from './serve-playground.ts';
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

/** Which functions are where, and for whom. */
export interface ServeSettings {
  readonly host: string;
  readonly prefix: string;
  readonly functions: ReadonlyMap<string, LocalFunction>;
  readonly report: (event: DevEvent) => void;
}

/** Netlify takes as much, buffered; so does AWS. */
const maxBodyBytes = 6 * 1024 * 1024;

/** HTTP request → the function under whose path it is → HTTP response. */
export async function answerRequest(settings: ServeSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    assertForUs(settings, request);
    if (await servePlayground(request, response)) return;
    if (isHome(settings, request)) {
      sendPage(response, 200, homePage(settings));
      return;
    }
    const local = functionFor(settings, request);
    const body = await readBody(request);
    await send(response, await local.call(toThreadRequest(request, body)), request.method === 'HEAD');
  } catch (error) {
    // Too late for another answer: a cut connection says that this one is not whole.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof Refusal) reportRefused(settings, request, error);
    const status = error instanceof Refusal ? error.status : 500;
    if (takesPage(request)) sendPage(response, status, refusalPage((error as Error).message));
    else refuse(response, status, (error as Error).message);
  }
}

/** The server's own address, where no function is. */
function isHome({ functions }: ServeSettings, request: IncomingMessage): boolean {
  return request.method === 'GET' && request.url === '/' && takesPage(request) && !functions.has('');
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
  });
  response.end(html);
}

/** A request that no function has seen. */
function reportRefused({ report }: ServeSettings, { method = 'GET', url = '/' }: IncomingMessage, { status, message }: Refusal): void {
  const [reason = ''] = message.split('\n', 1);
  report({
    kind: 'request',
    name: '-',
    record: { method, path: url, status, milliseconds: 0, operations: [], errors: status === 404 ? [] : [reason] },
  });
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Against DNS rebinding: a page anywhere can let its own host name point to this machine, and would then be of the same
 * origin as this server, which shows everything. So the name must be ours, unless the user listens for others.
 */
function assertForUs({ host }: ServeSettings, { headers }: IncomingMessage): void {
  const name = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (host !== 'localhost' || name === 'localhost' || name.endsWith('.localhost') || name === '127.0.0.1' || name === '[::1]') return;
  throw new Refusal(403, 'This server answers for localhost only. Start it with --host to change that.');
}

function functionFor({ prefix, functions }: ServeSettings, { url = '/' }: IncomingMessage): LocalFunction {
  const [path = ''] = url.split('?', 1);
  const [name = ''] = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1).split('/', 1) : [];
  const local = functions.get(name);
  if (local !== undefined && !local.isHelper) return local;
  const paths = [...functions.values()].filter(({ isHelper }) => !isHelper).map((known) => `  ${prefix}/${known.name}`);
  throw new Refusal(404, `There is no function at ${path}. There ${paths.length === 0 ? 'are none yet.' : `are\n\n${paths.join('\n')}`}`);
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw new Refusal(413, `The body is larger than ${maxBodyBytes} bytes, which is what platforms take.`);
    chunks.push(chunk as Buffer);
  }
  return bytes === 0 ? undefined : new Uint8Array(Buffer.concat(chunks));
}

function toThreadRequest(request: IncomingMessage, body: Uint8Array<ArrayBuffer> | undefined): ThreadRequest {
  const { method = 'GET', url = '/' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as const),
  );
  // The web's Request allows no body here, and platforms drop it.
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
  // Also ends the function's stream when the client goes away.
  await pipeline(Readable.fromWeb(body), response);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  // The rest of a body that is too large need not be read.
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...(status === 413 ? { connection: 'close' } : {}) });
  response.end(`${message}\n`);
}
