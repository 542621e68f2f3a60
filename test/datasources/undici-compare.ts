import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { followRedirects } from '../../src/datasources/redirect.ts';
import { createResponse } from '../../src/datasources/response.ts';
import { sendDirectly } from '../../src/datasources/send.ts';
import type { DirectFetch, HTTPFetch } from '../../src/datasources/send.ts';
import { undiciFetch } from '../../src/datasources/undici.ts';
import { kinds, rows, withLength } from './undici-kinds.ts';
import type { Kind, RawRequest } from './undici-kinds.ts';

/** The requests that the server receives and the results that the caller gets, for one kind. */
interface Outcome {
  readonly requests: readonly string[];
  readonly results: readonly unknown[];
}

/** The outcomes of one kind, sent by each implementation. `mayDiffer` is true if a difference is expected. */
export interface Comparison {
  readonly kind: Kind;
  readonly byFetch: Outcome;
  readonly byUndici: Outcome;
  /** Sent by undici as data sources send it, without a Request and a Response. */
  readonly directly: Outcome;
  readonly mayDiffer: boolean;
}

/** Sends every kind by `fetch` and by undici. */
export async function* compareKinds(versions: { readonly node: number; readonly undici: number }): AsyncGenerator<Comparison> {
  for (const kind of kinds) {
    const byFetch = await outcomeOf(kind, (request) => fetch(request));
    const byUndici = await outcomeOf(kind, undiciFetch());
    const directly = await outcomeOf(kind, directFetch);
    const mayDiffer = kind.differs !== undefined && rows[kind.differs]!(versions);
    const hidesReason = versions.undici === 6 && !kind.comparesReason;
    yield { kind, byFetch: hidesReason ? withoutReason(byFetch) : byFetch, byUndici, directly, mayDiffer };
  }
}

const undici = undiciFetch() as DirectFetch;

/** Sends as a data source without hooks does: directly where it can, otherwise through a Request and a Response. */
async function directFetch(request: Request): Promise<Response> {
  const { url: first, method, headers, redirect, signal } = request;
  if (request.body !== null || redirect !== 'follow') return undici(request);
  let count = 0;
  const response = await followRedirects(
    (url, next) => undici[sendDirectly]({ url, method: next.method!, headers: next.headers, signal, redirected: count++ > 0 }),
    first,
    { method, headers },
  );
  const { url, status, statusText, redirected } = response;
  const body = new ReadableStream({
    start: (controller) =>
      void response
        .read((chunk) => controller.enqueue(chunk))
        .then(
          () => controller.close(),
          (error) => controller.error(error),
        ),
  });
  return createResponse(response.body && body, { url, status, statusText, redirected, headers: [...response.headers] });
}

function withoutReason({ requests, results }: Outcome): Outcome {
  return {
    requests,
    results: results.map((result) => ('statusText' in (result as object) ? { ...(result as object), statusText: '' } : result)),
  };
}

/** Sends the requests of one kind through `httpFetch`. */
async function outcomeOf(kind: Kind, httpFetch: HTTPFetch): Promise<Outcome> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const leaving = new AbortController();
  let nth = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    readRequests(socket, (request) => {
      requests.push(describeRequest(request, kind));
      const answer = (kind.answer ?? (() => withLength('ok')))(request, socket, nth++);
      if (answer !== undefined) socket.write(answer as string, 'latin1');
      if (kind.abort === 'waiting') setImmediate(() => leaving.abort(new Error('gone')));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { path = '/a' } = kind;
  const url = path.startsWith('http') ? path.replace('HOST', host) : `http://${host}${path}`;
  const results: unknown[] = [];
  try {
    for (let at = 0; at < (kind.times ?? 1); at++) {
      if (kind.abort === 'before') leaving.abort(new Error('gone'));
      results.push(await resultOf(kind, httpFetch, url, leaving));
      if (kind.closes) await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    }
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  return JSON.parse(JSON.stringify({ requests, results }).replaceAll(host, 'there')) as Outcome;
}

async function resultOf(kind: Kind, httpFetch: HTTPFetch, url: string, leaving: AbortController): Promise<unknown> {
  let response: Response;
  try {
    response = await httpFetch(new Request(url, { ...kind.init?.(), signal: leaving.signal }));
  } catch (error) {
    return { failed: codeOf(error) };
  }
  const { status, statusText, ok, redirected, headers } = response;
  const head = {
    url: response.url,
    status,
    statusText,
    ok,
    redirected,
    headers: [...headers],
    cookies: headers.getSetCookie(),
    hasBody: response.body !== null,
  };
  const pieces: Uint8Array[] = [];
  if (kind.abort === 'reading') setTimeout(() => leaving.abort(new Error('gone')), 10);
  try {
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader!.read()) {
      pieces.push(piece.value);
    }
    return { ...head, body: textOf(pieces) };
  } catch (error) {
    return { ...head, body: { failed: codeOf(error) } };
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString('latin1');
}

/** Finds the code of an error, which fetch wraps in one or two other errors. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.message === 'gone') return 'gone';
  }
  return 'no code';
}

/** Fields that fetch adds to every request. Only the kinds with `allFields` compare them. */
const addedByFetch = ['accept-language: *', 'sec-fetch-mode: cors'];

function describeRequest({ head, body }: RawRequest, kind: Kind): string {
  const [line, ...fields] = head.split('\r\n');
  if (kind.allFields) return [line, ...fields.toSorted(), body].join('\n');
  const compared = fields
    .map((field) => field.replace(/^[^:]*/, (name) => name.toLowerCase()))
    .filter((field) => !addedByFetch.includes(field));
  return [line, ...compared.toSorted(), body].join('\n');
}

/** Splits the received bytes into requests, with a Content-Length or in chunks. */
function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
      const head = received.slice(0, end);
      const rest = received.slice(end + 4);
      const length = bodyLength(head, rest);
      if (length === undefined || rest.length < length) return;
      received = rest.slice(length);
      onRequest({ head, body: rest.slice(0, length) });
    }
  });
}

function bodyLength(head: string, rest: string): number | undefined {
  if (/^transfer-encoding: chunked$/im.test(head)) {
    const end = rest.indexOf('0\r\n\r\n');
    return end === -1 ? undefined : end + 5;
  }
  return Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
}
