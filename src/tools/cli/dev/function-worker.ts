// Runs in a separate thread: imports one bundled function and calls it for every request.

import { parentPort, workerData } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

import type { CreateFromOptions } from '../../../server/for-tools.ts';
import type { OptionsSource, ServerOptions } from '../../../server/index.ts';
import { toCallable } from './call-function.ts';
import type { Callable } from './call-function.ts';
import { withUserFrames } from '../../../server/node/index.ts';
import { pathOf } from './thread-messages.ts';
import { describeFailure, describeLoadFailure, describeOptions } from '../check/describe-failure.ts';
import { csrfNotice } from '../project/csrf-notice.ts';
import { exportsFunction, noFunctionMessage } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import { importUserCode, placeOf } from '../project/user-code.ts';
import { withOperationLog } from './operation-log.ts';
import { Recording, recordings } from './request-recording.ts';
import type { RefusedOptions, ThreadData, ThreadCall, ThreadMessage, ThreadResponse } from './thread-messages.ts';

const data = workerData as ThreadData;
const { name, settings } = data;
/** Advice about options, sent once the function is known to load. */
const notices: string[] = [];
/** Options that resolved asynchronously and have not been checked yet. */
let later: { readonly options: ServerOptions; readonly place: string | undefined } | undefined;

await start();

async function start(): Promise<void> {
  const refusals: RefusedOptions[] = [];
  observeHandlers((create, options) => createLogged(create, options, refusals));
  // Logged errors show only the user's stack frames.
  Object.assign(console, withUserFrames({ ...console }));
  try {
    const exports = await importUserCode(data);
    if (!exportsFunction(Object.keys(exports))) {
      send({ kind: 'failed', error: noFunctionMessage(name, Object.keys(exports)), isFunction: false });
      return;
    }
    const callable = toCallable(name, exports, settings);
    parentPort?.on('message', (call: ThreadCall) => void answer(callable, call));
    send({ kind: 'ready' });
    sendNotices();
  } catch (error) {
    send({ kind: 'failed', error: await describeLoadFailure(error, refusals, data), isFunction: true });
  }
}

/** Creates a handler that logs its operations. Keeps the options and the error of one that cannot be created. */
function createLogged<T>(create: CreateFromOptions<T>, source: OptionsSource<ServerOptions>, refusals: RefusedOptions[]): T {
  // The stack of this error contains the user's call. Source maps make reading it slow, so it is read only when the place is needed.
  const call = new Error('called from');
  try {
    return create(
      withOperationLog(source, {
        given(options) {
          const notice = csrfNotice(name, options);
          if (notice !== undefined) notices.push(notice);
        },
        givenLater: (options) => void (later = { options, place: placeOf(call) }),
      }),
    );
  } catch (refusal) {
    refusals.push({ source, refusal, place: placeOf(refusal) ?? placeOf(call) });
    throw refusal;
  }
}

async function answer(callable: Callable, { id, request }: ThreadCall): Promise<void> {
  const recording = new Recording();
  const began = performance.now();
  const report = (status: number): void => {
    const { method, url } = request;
    recording.report((operations, errors) => {
      const milliseconds = Math.round(performance.now() - began);
      send({ kind: 'request', record: { method, path: pathOf(name, url), status, milliseconds, operations, errors } });
    });
  };
  try {
    const response = await recordings.run(recording, () => callable(request));
    if (response.status >= 500) await reportOptionProblems();
    const { body } = response;
    const hint = corsHint(request, response);
    if (hint !== undefined) recording.errors.push(hint);
    report(response.status);
    sendNotices();
    send({ kind: 'response', id, response }, body === null ? [] : [body]);
  } catch (error) {
    report(500);
    send({ kind: 'error', id, error: describeFailure(error) });
  }
}

/** Browsers report only the missing header; the log names the option that sets it. */
function corsHint({ method, headers }: ThreadCall['request'], response: ThreadResponse): string | undefined {
  const requested = new Headers(headers.map(([key, value]) => [key, value]));
  const origin = requested.get('origin');
  if (method !== 'OPTIONS' || origin === null || !requested.has('access-control-request-method')) return undefined;
  if (response.headers.some(([key]) => key.toLowerCase() === 'access-control-allow-origin')) return undefined;
  return `Browsers block this request from pages of ${origin} (CORS). To allow it, set cors: { origin: ['${origin}'] }`;
}

/** The server may have failed to start: its message names only the first mistake, and no line. */
async function reportOptionProblems(): Promise<void> {
  if (later === undefined) return;
  const { options, place } = later;
  later = undefined;
  const problem = await describeOptions(options, place, data);
  if (problem !== '') send({ kind: 'problem', error: problem });
}

function sendNotices(): void {
  for (const message of notices.splice(0)) send({ kind: 'notice', message });
}

function send(message: ThreadMessage, transfer: readonly Transferable[] = []): void {
  parentPort?.postMessage(message, transfer);
}
