import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { isLocalHost } from '../../../server/node/index.ts';
import { describeFailure } from '../project/describe-failure.ts';
import type { Callable, FunctionRequest, FunctionResponse } from './call-function.ts';
import type { DevEvent, LocalFunction, ServeSettings } from './messages.ts';
import { sendFailure } from './pages.ts';

/** A function that has been loaded, or has failed to. */
export interface ServedFunction extends LocalFunction {
  /** The paths of its `config`, besides the usual one. */
  readonly paths: readonly string[];
  readonly callable: Callable | undefined;
}

interface Served extends ServeSettings {
  readonly functions: readonly ServedFunction[];
  readonly send: (event: DevEvent) => void;
}

/** The limit of Netlify and AWS for buffered requests. */
const maxBodyBytes = 6 * 1024 * 1024;

/** Answers a request with the function at its path, and reports it. */
export async function answerRequest(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { send } = served;
  const began = performance.now();
  const { method = 'GET', url = '/' } = request;
  let name = '-';
  const report = (status: number): void =>
    send({ kind: 'request', name, method, path: pathOf(name, url), status, milliseconds: Math.round(performance.now() - began) });
  try {
    assertLocalHost(served, request);
    const local = functionFor(served, url);
    ({ name } = local);
    if (local.callable === undefined) throw new Refused(500, local.problem!);
    const answer = await local.callable(await toFunctionRequest(request));
    report(answer.status);
    await sendResponse(response, answer, method === 'HEAD');
  } catch (error) {
    const failure = error instanceof Refused ? error : { status: 500, message: describeFailure(error, served.directory) };
    report(failure.status);
    if (failure !== error) send({ kind: 'failed', name, message: failure.message });
    sendFailure(request, response, failure);
  }
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
 * server, which shows everything. The host must be localhost unless the user listens on another one.
 */
function assertLocalHost({ host }: Served, { headers }: IncomingMessage): void {
  if (host !== 'localhost' || isLocalHost(headers.host ?? '')) return;
  throw new Refused(403, 'This server only answers requests for localhost. Use --host to change that.');
}

function functionFor({ prefix, functions }: Served, url: string): ServedFunction {
  const [path = ''] = url.split('?', 1);
  const shown = functions.filter(({ notice }) => notice === undefined);
  const local =
    shown.find(({ name }) => `${path}/`.startsWith(`${prefix}/${name}/`)) ??
    shown.find(({ paths }) => paths.some((one) => matches(one, path)));
  if (local !== undefined) return local;
  const list = shown.map(({ name }) => `  ${prefix}/${name}`).join('\n');
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

/** The path after a function's name in a URL, for display: "/books/1?x". */
function pathOf(name: string, url: string): string {
  const at = url.indexOf(`/${name}`);
  return (at < 0 ? url : url.slice(at + name.length + 1)).slice(0, 60);
}

async function toFunctionRequest(request: IncomingMessage): Promise<FunctionRequest> {
  const { method = 'GET', url = '/' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value] as const));
  const body = await readBody(request);
  // Request allows no body for these methods, and platforms drop it.
  const hasNone = method === 'GET' || method === 'HEAD' || body.length === 0;
  return { method, url: `http://${request.headers.host ?? 'localhost'}${url}`, headers, body: hasNone ? undefined : body };
}

/** Reads all of the body, also of one that is too large, because few clients read an answer while they send. */
async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes <= maxBodyBytes) return new Uint8Array(Buffer.concat(chunks));
  throw new Refused(413, `The body exceeds ${maxBodyBytes} bytes, the limit of Netlify and AWS.`);
}

async function sendResponse(outgoing: ServerResponse, { status, headers, body }: FunctionResponse, isHead: boolean): Promise<void> {
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(status);
  if (body === null || isHead) {
    await body?.cancel();
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  // A stream that fails, or a client that leaves, ends the other side.
  await pipeline(Readable.fromWeb(body), outgoing).catch(() => outgoing.destroy());
}
