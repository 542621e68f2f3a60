// The process of the functions: imports all of them, and calls one for every request.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { flushCompileCache } from 'node:module';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

import type { CreateFromOptions } from '../../../server/for-tools.ts';
import type { OptionsSource, ServerOptions } from '../../../server/index.ts';
import { withUserFrames } from '../../../server/node/index.ts';
import { describeFailure, describeLoadFailure, describeOptions } from '../check/describe-failure.ts';
import { csrfNotices } from '../project/csrf-notice.ts';
import { importFunction } from '../project/loader.ts';
import { exportsFunction } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import { placeOf } from '../project/user-code.ts';
import { toCallable } from './call-function.ts';
import type { Callable, FunctionRequest, FunctionResponse } from './call-function.ts';
import { nameField, pathOf } from './messages.ts';
import type { FunctionToLoad, ProcessData, ProcessMessage, RefusedOptions } from './messages.ts';
import { withOperationLog } from './operation-log.ts';
import { sendFailure } from './pages.ts';
import { Recording, recordings } from './request-recording.ts';

/** A function that has been loaded. */
interface Loaded {
  readonly source: FunctionToLoad;
  readonly callable: Callable;
}

/** Options that resolved asynchronously and have not been checked yet, by the name of their function. */
const later = new Map<string, { readonly options: ServerOptions; readonly place: string | undefined }>();

/** The reasons that were reported: the server tries to start again with every request. */
const reported = new Set<string>();

// As in functions on Netlify.
Object.assign(globalThis, { Netlify: { env: variables() } });
// Logged errors show only the user's stack frames.
Object.assign(console, withUserFrames({ ...console }));
process.once('disconnect', () => process.exit());
process.on('uncaughtException', (error) => process.send?.({ kind: 'crash', message: describeFailure(error) }, () => process.exit(1)));
process.once('message', (data: ProcessData) => void start(data));

/** `Netlify.env`. */
function variables(): object {
  const { env } = process;
  return {
    get: (name: string) => env[name],
    has: (name: string) => name in env,
    set: (name: string, value: string) => void (env[name] = value),
    delete: (name: string) => void delete env[name],
    toObject: () => ({ ...env }),
  };
}

async function start(data: ProcessData): Promise<void> {
  const functions = new Map<string, Loaded>();
  for (const source of data.functions) {
    const callable = await load(source, data);
    if (callable !== undefined) functions.set(source.name, { source, callable });
  }
  createServer((request, response) => {
    const loaded = functions.get(String(request.headers[nameField]));
    delete request.headersDistinct[nameField];
    if (loaded === undefined) response.destroy();
    else answer(loaded, data.directory, request, response).catch(() => response.destroy());
  }).listen(data.socket, () => {
    send({ kind: 'listening' });
    // At its end, this process is killed.
    flushCompileCache();
  });
}

/** Imports a function, and reports whether that succeeds. */
async function load(source: FunctionToLoad, { directory, platform }: ProcessData): Promise<Callable | undefined> {
  const { name } = source;
  const refusals: RefusedOptions[] = [];
  const notices: string[] = [];
  observeHandlers((create, options) => createLogged(create, options, { name, refusals, notices }));
  try {
    const exports = await importFunction(source);
    if (!exportsFunction(Object.keys(exports))) {
      send({ kind: 'no function', name });
      return undefined;
    }
    const callable = toCallable(name, exports, platform);
    const { path = [] } = (exports['config'] ?? {}) as { readonly path?: string | readonly string[] };
    send({ kind: 'ready', name, paths: platform.platform === 'netlify' ? [path].flat() : [] });
    for (const message of notices) send({ kind: 'warning', message });
    return callable;
  } catch (error) {
    send({ kind: 'broken', name, message: await describeLoadFailure(error, refusals, { files: source.files, directory }) });
    return undefined;
  }
}

interface Created {
  readonly name: string;
  readonly refusals: RefusedOptions[];
  readonly notices: string[];
}

/** Creates a handler that logs its operations. Keeps the options and the error of one that cannot be created. */
function createLogged<T>(create: CreateFromOptions<T>, source: OptionsSource<ServerOptions>, { name, refusals, notices }: Created): T {
  // The stack of this error contains the user's call. Source maps make reading it slow, so it is read only when the place is needed.
  const call = new Error('called from');
  try {
    return create(
      withOperationLog(source, {
        given: (options) => void notices.push(...csrfNotices(name, options)),
        givenLater(options) {
          for (const message of csrfNotices(name, options)) send({ kind: 'warning', message });
          later.set(name, { options, place: placeOf(call) });
        },
      }),
    );
  } catch (refusal) {
    refusals.push({ source, refusal, place: placeOf(refusal) ?? placeOf(call) });
    throw refusal;
  }
}

async function answer({ source, callable }: Loaded, directory: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { name } = source;
  const recording = new Recording();
  const began = performance.now();
  const request = await toFunctionRequest(incoming);
  const report = (status: number): void => {
    const { method } = request;
    recording.report((operations, errors) => {
      const milliseconds = Math.round(performance.now() - began);
      send({ kind: 'request', name, record: { method, path: pathOf(name, incoming.url ?? ''), status, milliseconds, operations, errors } });
    });
  };
  try {
    const response = await recordings.run(recording, () => callable(request));
    if (response.status >= 500) await reportOptionProblems(source, directory);
    const hint = corsHint(request, response);
    if (hint !== undefined) recording.errors.push(hint);
    report(response.status);
    await sendResponse(outgoing, response, request.method === 'HEAD');
  } catch (error) {
    report(500);
    const message = describeFailure(error);
    send({ kind: 'failed', name, message });
    sendFailure(incoming, outgoing, { status: 500, heading: 'This function failed', message });
  }
}

async function toFunctionRequest(request: IncomingMessage): Promise<FunctionRequest> {
  const { method = 'GET', url = '/' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as const),
  );
  const body = new Uint8Array(await buffer(request));
  // Request allows no body for these methods, and platforms drop it.
  const hasNone = method === 'GET' || method === 'HEAD' || body.length === 0;
  return { method, url: `http://${request.headers.host ?? 'localhost'}${url}`, headers, body: hasNone ? undefined : body };
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

/** Browsers report only the missing header; the log names the option that sets it. */
function corsHint({ method, headers }: FunctionRequest, response: FunctionResponse): string | undefined {
  const requested = new Headers(headers.map(([key, value]) => [key, value]));
  const origin = requested.get('origin');
  if (method !== 'OPTIONS' || origin === null || !requested.has('access-control-request-method')) return undefined;
  if (response.headers.some(([key]) => key.toLowerCase() === 'access-control-allow-origin')) return undefined;
  return `Browsers block this request from pages of ${origin} (CORS). To allow it, set cors: { origin: ['${origin}'] }`;
}

/** The server may have failed to start: its message names only the first mistake, and no line. */
async function reportOptionProblems({ name, files }: FunctionToLoad, directory: string): Promise<void> {
  const refused = later.get(name);
  if (refused === undefined) return;
  later.delete(name);
  const message = await describeOptions(refused.options, refused.place, { files, directory });
  if (message === '' || reported.has(message)) return;
  reported.add(message);
  send({ kind: 'failed', name, message });
}

function send(message: ProcessMessage): void {
  process.send?.(message);
}
