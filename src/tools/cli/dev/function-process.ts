import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { builtFile } from '../project/built-file.ts';
import { nameField } from './messages.ts';
import type { ProcessData, ProcessMessage } from './messages.ts';

/** Milliseconds that a replaced process has to finish its requests. */
const retirement = 5000;

/** A request whose body has been read, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly body: Uint8Array | undefined;
  readonly response: ServerResponse;
}

/** Why a function did not answer. */
export class FunctionError extends Error {
  readonly status: number;

  constructor(message: string, status = 500) {
    super(message);
    this.status = status;
  }
}

/** The process that runs all functions. A change of any of them replaces it. */
export class FunctionProcess {
  /** Resolves when requests can be forwarded. Rejects if the process ends before. */
  readonly ready: Promise<void>;
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #data: ProcessData;
  readonly #ended = Promise.withResolvers<FunctionError>();
  #running = 0;
  /** The number of requests without a response. */
  #waiting = 0;
  #retiring: NodeJS.Timeout | undefined;
  #crash: string | undefined;
  /** Why it has been stopped. Undefined: it has ended by itself. */
  #stopped: FunctionError | undefined;

  /** `onMessage` gets the messages of the process, and one about a crash that no request reports. */
  constructor(data: ProcessData, env: NodeJS.ProcessEnv, onMessage: (message: ProcessMessage) => void) {
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // Requests see the rejection, but there may be none.
    this.ready.catch(() => {});
    this.#data = data;
    // Node compiles a package once, not at every restart.
    const cached = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...env };
    this.#child = fork(builtFile('function-process'), { env: cached, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child.stdout?.on('data', (text: Buffer) => void process.stdout.write(text));
    this.#child.stderr?.on('data', (text: Buffer) => void process.stderr.write(text));
    this.#child.on('message', (message: ProcessMessage) => {
      if (message.kind === 'crash') {
        this.#crash = message.message;
        return;
      }
      if (message.kind === 'listening') ready.resolve();
      onMessage(message);
    });
    this.#child.once('close', (code) => {
      this.hasEnded = true;
      clearTimeout(this.#retiring);
      const reason = this.#stopped ?? new FunctionError(this.#crash ?? `The function's process exited with code ${code}.`);
      if (this.#stopped === undefined && this.#waiting === 0) onMessage({ kind: 'crash', message: reason.message });
      ready.reject(reason);
      this.#ended.resolve(reason);
    });
    this.#child.send(data, () => {});
  }

  /** Sends a request to its function, and the function's response to the client. Rejects with a FunctionError if there is no response. */
  async forward(name: string, { request, body, response }: Exchange): Promise<void> {
    this.#running++;
    try {
      const answer = await this.#ask(name, { request, body, response });
      for (const [field, value] of fieldsOf(answer)) response.appendHeader(field, value);
      response.writeHead(answer.statusCode ?? 500);
      // Also ends the function's stream when the client disconnects.
      await pipeline(answer, response);
    } finally {
      this.#running--;
      if (this.#retiring !== undefined && this.#running === 0) void this.close();
    }
  }

  /** Ends the process once its requests are answered, or after a time limit: a hanging request may be why the user reloads. */
  retire(): void {
    if (this.#running === 0) void this.close();
    else
      this.#retiring = setTimeout(() => {
        const seconds = retirement / 1000;
        const message = `The functions were reloaded. This request had not finished ${seconds} s later, so it was stopped.`;
        void this.close(new FunctionError(message, 503));
      }, retirement);
  }

  async close(reason: FunctionError = new FunctionError('The functions were stopped.', 503)): Promise<void> {
    this.#stopped ??= reason;
    this.#child.kill('SIGKILL');
    await this.#ended.promise;
  }

  async #ask(name: string, { request, body, response }: Exchange): Promise<IncomingMessage> {
    const { timeout } = this.#data.platform;
    const headers = fieldsOf(request);
    if (request.headers['transfer-encoding'] !== undefined) headers.push(['content-length', String(body?.length ?? 0)]);
    const forwarded = httpRequest({
      socketPath: this.#data.socket,
      agent: false,
      method: request.method,
      path: request.url,
      headers: [...headers, [nameField, name]].flat(),
    });
    response.once('close', () => forwarded.destroy());
    const answered = Promise.withResolvers<IncomingMessage>();
    // The process ends, or the client has left.
    const fail = async (error: Error): Promise<void> => answered.reject(response.destroyed ? error : await this.#ended.promise);
    forwarded.once('response', answered.resolve).once('error', (error) => void fail(error));
    forwarded.end(body);
    this.#waiting++;
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => {
            // Ending the process takes a moment; the next request must not reach it.
            this.hasEnded = true;
            void this.close(
              new FunctionError(`No response after ${timeout / 1000} s (--timeout). The instance was stopped, as on the platform.`),
            );
          }, timeout);
    try {
      return await answered.promise;
    } finally {
      this.#waiting--;
      clearTimeout(timer);
    }
  }
}

/** The fields of a request or response that do not belong to one connection. */
function fieldsOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 1 || /^(?:connection|keep-alive|transfer-encoding|expect|upgrade|te)$/i.test(name) ? [] : [[name, rawHeaders[at + 1] ?? '']],
  );
}
