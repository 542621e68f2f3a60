import { TransformStream } from 'node:stream/web';
import { Worker } from 'node:worker_threads';

import { builtFile } from '../project/built-file.ts';
import type { RequestRecord, ThreadData, ThreadCall, ThreadMessage, ThreadRequest, ThreadResponse } from './thread-messages.ts';

/** Milliseconds that a replaced thread has to finish its requests. */
const retirement = 10_000;

/**
 * One instance of a function: a thread with separate modules and environment. A crash affects only this instance, and
 * reloading the function starts another.
 */
export class FunctionThread {
  /** Resolves when the function can be called. Rejects with a FunctionError when its module throws. */
  readonly ready: Promise<void>;
  /** True once the thread has exited, whether by itself or because it was closed. */
  hasEnded = false;
  readonly #worker: Worker;
  readonly #calls = new Map<number, PendingCall>();
  #lastId = 0;
  #retiring: NodeJS.Timeout | undefined;
  /** Why it was stopped. Undefined: it ended by itself. */
  #reason: string | undefined;

  constructor(data: ThreadData, env: NodeJS.ProcessEnv, listeners: ThreadListeners) {
    this.#worker = new Worker(builtFile('function-worker'), { workerData: data, env, name: data.name });
    this.ready = this.#start(listeners);
    // Callers of the function see the rejection, but there may be none.
    this.ready.catch(() => {});
  }

  /** Rejects with a FunctionError when the function throws or exits. */
  call(request: ThreadRequest): Promise<ThreadResponse> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread, not to a window
      this.#worker.postMessage({ id, request } satisfies ThreadCall);
    });
  }

  /** Ends the thread once its requests are answered, or after a time limit: a hanging request may be why the user reloads. */
  retire(): void {
    if (this.#calls.size === 0) void this.close();
    else this.#retiring = setTimeout(() => this.#stop(), retirement);
  }

  #stop(): void {
    this.#reason = `The function was reloaded. This request had not finished ${retirement / 1000} s later, so it was stopped.`;
    void this.close();
  }

  async close(): Promise<void> {
    clearTimeout(this.#retiring);
    await this.#worker.terminate();
  }

  #start({ onCrash, onRequest, onProblem, onNotice }: ThreadListeners): Promise<void> {
    let crash: string | undefined;
    let isReady = false;
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (message: ThreadMessage) => {
        if (message.kind === 'ready') {
          isReady = true;
          resolve();
        } else if (message.kind === 'failed') {
          reject(message.isFunction ? new FunctionError(message.error) : new NoFunctionError(message.error));
        } else if (message.kind === 'problem') {
          onProblem(message.error);
        } else if (message.kind === 'notice') {
          onNotice(message.message);
        } else if (message.kind === 'request') {
          onRequest(message.record);
        } else {
          this.#settle(message);
        }
      });
      this.#worker.on('error', (error: unknown) => {
        crash = error instanceof Error ? (error.stack ?? error.message) : `Thrown: ${String(error)}`;
      });
      this.#worker.on('exit', (code) => {
        const error = new FunctionError(crash ?? this.#reason ?? `The function's process exited with code ${code}.`);
        this.hasEnded = true;
        reject(error);
        const waiting = [...this.#calls.values()].filter(({ body }) => body === undefined);
        if (crash !== undefined && isReady && waiting.length === 0) onCrash(crash);
        // The bytes of a body that the thread has not sent will never come.
        for (const { reject: refuse, body } of this.#calls.values()) {
          refuse(error);
          body?.abort(error);
        }
        this.#calls.clear();
      });
    });
  }

  #settle(message: Extract<ThreadMessage, { id: number }>): void {
    const { id } = message;
    const call = this.#calls.get(id);
    if (message.kind === 'error') {
      this.#finish(id);
      call?.reject(new FunctionError(message.error));
      return;
    }
    const { body } = message.response;
    if (body === null || body instanceof Uint8Array) {
      this.#finish(id);
      call?.resolve({ ...message.response, body: body && (new Blob([body]).stream() as ThreadResponse['body']) });
      return;
    }
    if (call !== undefined) call.body = new AbortController();
    call?.resolve({ ...message.response, body: this.#watch(id, body, call.body!.signal) });
  }

  /** The thread is still streaming the body: the call lasts until the stream ends or its reader cancels. */
  #watch(id: number, body: NonNullable<ThreadResponse['body']>, signal: AbortSignal): ThreadResponse['body'] {
    const finish = (): void => this.#finish(id);
    return body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: finish, cancel: finish }), { signal });
  }

  #finish(id: number): void {
    this.#calls.delete(id);
    if (this.#retiring !== undefined && this.#calls.size === 0) void this.close();
  }
}

/** Called for events of a thread that are not answers to a request. */
export interface ThreadListeners {
  /** Why the thread crashed outside of a request, for example because a timer threw. */
  readonly onCrash: (reason: string) => void;
  readonly onRequest: (record: RequestRecord) => void;
  /** Why its server cannot start, when only a request reveals it. */
  readonly onProblem: (problem: string) => void;
  /** Advice about its options. */
  readonly onNotice: (notice: string) => void;
}

interface PendingCall {
  readonly resolve: (response: ThreadResponse) => void;
  readonly reject: (error: FunctionError) => void;
  /** Ends the body that the thread is streaming. Undefined until it answers. */
  body?: AbortController;
}

/** An error inside the function. The message includes the stack of the other thread. */
export class FunctionError extends Error {}

/** The module was loaded, but exports nothing that can be called. */
export class NoFunctionError extends FunctionError {}
