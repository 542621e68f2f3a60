// Runs in a thread of its own: imports one bundled function, and calls it for every request that arrives.

import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

import { toCallable } from './call-function.ts';
import type { Callable } from './call-function.ts';
import type { ThreadData, WireCall, WireMessage, WireResponse } from './wire.ts';

const { name, file, code } = workerData as ThreadData;

/** Frames of Node, of packages, and of this command. */
const foreign = /node:internal|[\\/]node_modules[\\/]|[\\/]cli[\\/](?:function-worker|call-function)\.[jt]s/;

await start();

async function start(): Promise<void> {
  // Stacks name the lines of the user's files.
  process.setSourceMapsEnabled(true);
  try {
    const callable = toCallable(name, await withLongStacks(importCode));
    parentPort?.on('message', (call: WireCall) => void answer(callable, call));
    send({ kind: 'ready' });
  } catch (error) {
    send({ kind: 'failed', error: textOf(error) });
  }
}

/** Under the address of the source file, but without writing one: nothing is left behind, and `import.meta.url` is the user's. */
async function importCode(): Promise<Record<string, unknown>> {
  const address = pathToFileURL(file).href;
  registerHooks({
    load: (url, context, next) => (url === address ? { format: 'module', source: code, shortCircuit: true } : next(url, context)),
  });
  return (await import(address)) as Record<string, unknown>;
}

/** What is wrong with options and schemas is found many calls below the user's line. */
async function withLongStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function answer(callable: Callable, { id, request }: WireCall): Promise<void> {
  try {
    const response: WireResponse = await callable(request);
    send({ kind: 'response', id, response }, response.body === null ? [] : [response.body]);
  } catch (error) {
    send({ kind: 'error', id, error: textOf(error) });
  }
}

function send(message: WireMessage, transfer: readonly Transferable[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/** The error with its causes; of the stack, what belongs to the user. */
function textOf(error: unknown): string {
  const lines = inspect(error, { depth: 4 }).split('\n');
  return lines.filter((line) => !/^\s+at /.test(line) || !foreign.test(line)).join('\n');
}
