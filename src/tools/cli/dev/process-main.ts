// The process of the functions: imports all of them, and answers every request.

import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';

import type { ServerOptions } from '../../../server/index.ts';
import { withUserFrames } from '../../../server/node/index.ts';
import { isRecord } from '../../../shared/index.ts';
import { csrfNotices, trustNotices } from '../project/csrf-notice.ts';
import { describeFailure } from '../project/describe-failure.ts';
import { importFunction } from '../project/loader.ts';
import { exportsFunction, noFunctionMessage } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import { answerRequest } from './answer-request.ts';
import type { ServedFunction } from './answer-request.ts';
import { toCallable } from './call-function.ts';
import type { FunctionToLoad, ProcessData, ProcessMessage } from './messages.ts';

// As in functions on Netlify.
Object.assign(globalThis, { Netlify: { env: variables() } });
// Logged errors show only the user's stack frames.
Object.assign(console, withUserFrames({ ...console }));
process.once('disconnect', () => process.exit());
process.on('uncaughtException', (error) =>
  process.send?.({ kind: 'crash', message: describeFailure(error, process.cwd()) }, () => process.exit(1)),
);
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
  const functions: ServedFunction[] = [];
  for (const source of data.functions) functions.push(await load(source, data));
  // Idle connections stay open: a request that is on its way would be lost.
  const server = createServer(
    { keepAliveTimeout: 0 },
    (request, response) => void answerRequest({ ...data, functions, send }, request, response),
  );
  server.listen(data.socket, () => {
    send({
      kind: 'loaded',
      functions: functions.map(({ name, isGraphQL, problem, notice }) => ({ name, isGraphQL, problem, notice })),
    });
    // At its end, this process is killed.
    flushCompileCache();
  });
}

/** Imports a function, or says why that is not possible. */
async function load({ name, compiled }: FunctionToLoad, { directory, platform }: ProcessData): Promise<ServedFunction> {
  const served = { name, isGraphQL: false, problem: undefined, notice: undefined, paths: [], callable: undefined };
  if (compiled.kind === 'problem') return { ...served, problem: compiled.message };
  const { isGraphQL } = compiled;
  let handlers = 0;
  observeHandlers((create, source) => {
    handlers++;
    if (typeof source === 'function') return create(async () => sendNotices(name, await source()));
    return create(source instanceof Promise ? source.then((options) => sendNotices(name, options)) : sendNotices(name, source));
  });
  try {
    const exports = await importFunction(compiled);
    const names = Object.keys(exports);
    if (!exportsFunction(names)) {
      const message = noFunctionMessage(name, names);
      return handlers > 0 ? { ...served, problem: message } : { ...served, notice: message };
    }
    const callable = toCallable(name, exports, platform);
    const { path = [] } = (exports['config'] ?? {}) as { readonly path?: string | readonly string[] };
    return { ...served, isGraphQL, callable, paths: platform.platform === 'netlify' ? [path].flat() : [] };
  } catch (error) {
    return { ...served, isGraphQL, problem: describeFailure(error, directory) };
  }
}

function sendNotices(name: string, options: ServerOptions): ServerOptions {
  const notices = isRecord(options) ? [...csrfNotices(name, options), ...trustNotices(name, options)] : [];
  for (const message of notices) send({ kind: 'warning', message });
  return options;
}

function send(message: ProcessMessage): void {
  process.send?.(message);
}
