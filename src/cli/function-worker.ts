// Runs in a thread of its own: imports one bundled function, and calls it for every request that arrives.

import { parentPort, workerData } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';

import { toCallable } from './call-function.ts';
import type { Callable } from './call-function.ts';
import { importUserCode, textOf } from './user-code.ts';
import type { ThreadData, WireCall, WireMessage, WireResponse } from './wire.ts';

const { name, file, code } = workerData as ThreadData;

await start();

async function start(): Promise<void> {
  try {
    const callable = toCallable(name, await importUserCode(file, code));
    parentPort?.on('message', (call: WireCall) => void answer(callable, call));
    send({ kind: 'ready' });
  } catch (error) {
    send({ kind: 'failed', error: textOf(error) });
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
