// The process of the functions: imports all of them, and answers every request.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { Socket } from 'node:net';

import type { ServerOptions } from '../../../server/index.ts';
import { withUserFrames } from '../../../server/node/index.ts';
import { isRecord } from '../../../shared/index.ts';
import { noticesOf } from '../project/option-notices.ts';
import { describeFailure } from '../project/describe-failure.ts';
import { importFunction } from '../project/loader.ts';
import { exportsFunction, noFunctionMessage } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import { answerRequest, sendFailure } from './answer-request.ts';
import type { ServedFunction } from './answer-request.ts';
import { isLambda, toCallable } from './call-function.ts';
import type { FunctionToLoad, Instruction, ProcessData, ProcessMessage } from './messages.ts';

// Adds the global that functions on Netlify have.
Object.assign(globalThis, { Netlify: { env: variables() } });
// Logged errors show only the user's stack frames.
Object.assign(console, withUserFrames({ ...console }));
const exit = process.exit.bind(process);
process.exit = (code) => {
  throw new Error(`A function called process.exit(${code ?? ''}), which would end all functions.`);
};
process.once('disconnect', () => exit());
process.on('uncaughtException', (error) => send({ kind: 'crash', message: describeFailure(error, process.cwd()) }));

/** The requests that are running, by their responses, and the connections. */
const running = new Map<ServerResponse, IncomingMessage>();
const connections = new Set<Socket>();
let isRetired = false;

process.on('message', (instruction: Instruction, connection?: Socket) => {
  if (instruction.kind === 'load') void start(instruction.data);
  else if (instruction.kind === 'connection') {
    // If there is no connection, the client has left meanwhile.
    if (connection !== undefined) take(connection);
  } else {
    isRetired = true;
    if (instruction.kind === 'stop') for (const [response, request] of running) sendFailure(request, response, instruction);
    exitIfIdle();
  }
});

/** One request: a connection that stays open would keep requests in a process that has been replaced. */
const server = createServer();
server.maxRequestsPerSocket = 1;

function take(connection: Socket): void {
  connections.add(connection);
  connection.once('close', () => {
    connections.delete(connection);
    exitIfIdle();
  });
  server.emit('connection', connection);
}

function exitIfIdle(): void {
  if (isRetired && connections.size === 0) exit();
}

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
  for (const source of data.functions) functions.push(...(await load(source, data)));
  server.on('request', (request, response) => {
    running.set(response, request);
    response.once('close', () => running.delete(response));
    void answerRequest({ ...data, functions, send }, request, response);
  });
  send({ kind: 'loaded', functions: functions.map(({ name, isGraphQL, problem }) => ({ name, isGraphQL, problem })) });
  // Writes the cache now, because this process may be killed at its end.
  flushCompileCache();
}

/**
 * Imports a function, or says why this is not possible. Returns nothing for a file that is no function, because functions may import such
 * files.
 */
async function load({ name, compiled }: FunctionToLoad, { directory, platform }: ProcessData): Promise<ServedFunction[]> {
  const served = { name, isGraphQL: compiled.kind === 'code' && compiled.isGraphQL, problem: undefined, paths: [], callable: undefined };
  if (compiled.kind === 'problem') return [{ ...served, problem: compiled.message }];
  let handlers = 0;
  observeHandlers((create, source) => {
    handlers++;
    if (typeof source === 'function') return create(async (call) => sendNotices(name, await source(call)));
    return create(source instanceof Promise ? source.then((options) => sendNotices(name, options)) : sendNotices(name, source));
  });
  try {
    const exports = await importFunction(compiled);
    const names = Object.keys(exports);
    if (!exportsFunction(exports, handlers > 0 && isLambda(platform))) {
      const message = noFunctionMessage(name, names);
      if (handlers > 0) return [{ ...served, problem: message }];
      send({ kind: 'warning', message });
      return [];
    }
    const callable = toCallable(name, exports, platform);
    const { path = [] } = (exports['config'] ?? {}) as { readonly path?: string | readonly string[] };
    return [{ ...served, callable, paths: platform.platform === 'netlify' ? [path].flat() : [] }];
  } catch (error) {
    return [{ ...served, problem: describeFailure(error, directory) }];
  }
}

function sendNotices(name: string, options: ServerOptions): ServerOptions {
  if (isRecord(options)) for (const message of noticesOf(name, options)) send({ kind: 'warning', message });
  return options;
}

function send(message: ProcessMessage): void {
  process.send?.(message);
}
