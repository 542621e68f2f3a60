import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

import { isLocalHost, isLoopback } from '../../../server/node/index.ts';
import { describeFailure } from '../project/describe-failure.ts';
import type { Callable, FunctionRequest } from './call-function.ts';
import type { LocalFunction, ProcessMessage, ServeSettings } from './messages.ts';

/** A function that has been loaded, or has failed to. */
export interface ServedFunction extends LocalFunction {
  /** The paths of its `config`, besides the usual one. */
  readonly paths: readonly string[];
  readonly callable: Callable | undefined;
}

interface Served extends ServeSettings {
  readonly functions: readonly ServedFunction[];
  readonly send: (message: ProcessMessage) => void;
}

/** The operation that the server runs for a request, because a route or an id does not name it. */
interface Run {
  operationName: string | undefined;
}

const runs = new AsyncLocalStorage<Run>();
tracingChannel('graphql:execute').start.subscribe((message) => {
  const run = runs.getStore();
  if (run !== undefined) run.operationName ??= (message as Partial<Run>).operationName;
});

/** Answers a request with the function at its path, and reports it. */
export async function answerRequest(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { send } = served;
  const began = performance.now();
  const { method = 'GET', url = '/' } = request;
  let name = '-';
  const report = (status: number, details = ''): void =>
    send({ kind: 'request', line: `${name}  ${status}  ${method} ${url}  ${Math.round(performance.now() - began)} ms${details}` });
  try {
    assertLocalHost(served, request);
    // The methods that a web Request cannot have (Fetch standard, "forbidden method"). Node closes the connection of a CONNECT.
    if (method === 'TRACE' || method === 'TRACK') throw new Refused(405, `Functions get no ${method} requests.`);
    // Reads all of the body first, because few clients read an answer while they send.
    const given = await toFunctionRequest(request);
    const local = functionFor(served, url);
    ({ name } = local);
    if (local.callable === undefined) throw new Refused(500, local.problem!);
    const timer = served.platform.timeout === undefined ? undefined : setTimeout(stop, served.platform.timeout, served, request);
    const run: Run = { operationName: undefined };
    const answer = await runs.run(run, local.callable, given).finally(() => clearTimeout(timer));
    report(answer.status, local.isGraphQL ? await detailsOf(given, answer, run) : '');
    await sendResponse(response, answer, method === 'HEAD');
  } catch (error) {
    const failure = error instanceof Refused ? error : { status: 500, message: describeFailure(error, served.directory) };
    report(failure.status);
    if (failure !== error) send({ kind: 'failed', name, message: failure.message });
    sendFailure(request, response, failure);
  }
}

/** Returns the name of the operation, the first error of its answer, and advice if a page of another origin cannot read the answer. */
async function detailsOf({ url, headers, body }: FunctionRequest, answer: Response, { operationName }: Run): Promise<string> {
  const asked = `${new TextDecoder().decode(body)} ${decodeURIComponent(new URL(url).search)}`;
  const [, sent, written] = /"operationName"\s*:\s*"(\w+)"|\b(?:query|mutation|subscription)\s+(\w+)/.exec(asked) ?? [];
  const isJSON = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
  const [, message] =
    (isJSON && /"(?:errors":\[\{"message|status":[45]\d\d,"detail)":("(?:[^"\\]|\\.)*")/.exec(await answer.clone().text())) || [];
  const [, origin = ''] = headers.find(([name]) => name === 'origin') ?? [];
  const isForeign = URL.canParse(origin) && origin !== new URL(url).origin && !answer.headers.has('access-control-allow-origin');
  const details = [
    operationName ?? sent ?? written,
    message && (JSON.parse(message) as string).split('\n', 1)[0],
    isForeign && `Pages of ${origin} cannot read this answer. Write: cors: { origin: ['${origin}'] }`,
  ];
  return details.map((detail) => (detail ? `  ${detail}` : '')).join('');
}

/** Ends the process of a function that takes too long. */
function stop({ send, platform }: Served, { method, url }: IncomingMessage): void {
  const message = `No response after ${platform.timeout! / 1000} s (--timeout) to ${method} ${url}. The instance was stopped, as on the platform.`;
  send({ kind: 'crash', message });
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Prevents DNS rebinding: any page can point its host name to this machine, and would then have the same origin as this
 * server, which shows everything. The host must be localhost unless the user listens on another interface than that.
 */
function assertLocalHost({ host }: Served, { headers }: IncomingMessage): void {
  if (!isLoopback(host) || isLocalHost(headers.host ?? '')) return;
  throw new Refused(403, 'This server only answers requests for localhost. Use --host to change that.');
}

function functionFor({ prefix, functions }: Served, url: string): ServedFunction {
  const [path = ''] = url.split('?', 1);
  const local =
    functions.find(({ name }) => `${path}/`.startsWith(`${prefix}/${name}/`)) ??
    functions.find(({ paths }) => paths.some((one) => matches(one, path)));
  if (local !== undefined) return local;
  const list = functions.map(({ name }) => `  ${prefix}/${name}`).join('\n');
  const message = `No function at ${path}. ${list === '' ? 'There are none yet.' : `Functions:\n\n${list}`}`;
  throw new Refused(404, message);
}

/** True for a path that a pattern of Netlify matches: `/books/:id`, `/files/*`. */
function matches(pattern: string, path: string): boolean {
  const expression = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${expression}/?$`).test(path);
}

async function toFunctionRequest(request: IncomingMessage): Promise<FunctionRequest> {
  const { method = 'GET', url = '/' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value] as const));
  const body = new Uint8Array(await buffer(request));
  // Request allows no body for these methods, and platforms drop it.
  const hasNone = method === 'GET' || method === 'HEAD' || body.length === 0;
  return { method, url: `http://${request.headers.host ?? 'localhost'}${url}`, headers, body: hasNone ? undefined : body };
}

async function sendResponse(outgoing: ServerResponse, { status, headers, body }: Response, isHead: boolean): Promise<void> {
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(status);
  if (body === null || isHead) {
    await body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  // A stream that fails, or a client that leaves, ends the other side.
  await pipeline(Readable.fromWeb(body as ReadableStream), outgoing).catch(() => outgoing.destroy());
}

/** Answers with the reason: as JSON for clients that accept JSON, because they cannot show text, and as text for browsers and `curl`. */
export function sendFailure(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { status, message }: Pick<Refused, 'status' | 'message'>,
): void {
  // Part of the response has been sent, so no other can follow. Closing the connection shows that this one is incomplete.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const [type = 'text/plain'] = /application\/(?:graphql-response\+)?json/i.exec(headers.accept ?? '') ?? [];
  const code = status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    ...(status === 405 && { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY' }),
    'x-content-type-options': 'nosniff',
  });
  response.end(type === 'text/plain' ? `${message}\n` : JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}
