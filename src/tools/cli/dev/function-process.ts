import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { builtFile } from '../project/built-file.ts';
import type { ProcessData, ProcessMessage } from './messages.ts';
import { sendFailure } from './pages.ts';
import type { Failure } from './pages.ts';

/** Milliseconds that a replaced process has to finish its requests. */
const retirement = 5000;

/** Milliseconds to wait for the reason why a request got no response. */
const grace = 2000;

/** The process that runs all functions. A change of any of them replaces it. */
export class FunctionProcess {
  /** Resolves when requests can be forwarded, or the process has ended. */
  readonly ready: Promise<void>;
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #data: ProcessData;
  /** Keeps connections open, because the process would close one after its response, though the end of the body is still written (EPIPE). */
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ended = Promise.withResolvers<Failure>();
  #running = 0;
  #retiring: NodeJS.Timeout | undefined;
  /** Why it has been stopped or has crashed. Undefined: it has ended by itself. */
  #reason: Failure | undefined;

  constructor(data: ProcessData, env: NodeJS.ProcessEnv, onMessage: (message: Exclude<ProcessMessage, { kind: 'crash' }>) => void) {
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#data = data;
    // Node compiles a package once, not at every restart.
    const cached = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...env };
    this.#child = fork(builtFile('function-process'), {
      cwd: data.directory,
      env: cached,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout?.on('data', (text: Buffer) => void process.stdout.write(text));
    this.#child.stderr?.on('data', (text: Buffer) => void process.stderr.write(text));
    this.#child.on('message', (message: ProcessMessage) => {
      if (message.kind === 'crash') this.#reason ??= failed(message.message);
      else onMessage(message);
      if (message.kind === 'loaded') ready.resolve();
    });
    this.#child.once('close', (code) => {
      this.hasEnded = true;
      clearTimeout(this.#retiring);
      const reason = this.#reason ?? failed(`The functions' process exited with code ${code}.`);
      if (reason !== closed) onMessage({ kind: 'failed', name: 'A function', message: reason.message });
      ready.resolve();
      this.#ended.resolve(reason);
    });
    this.#child.send(data, () => {});
  }

  /** Sends a request to the process, and its response to the client. If there is none, answers with the reason. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running++;
    const { socket: socketPath, platform } = this.#data;
    const { method, url: path } = request;
    const forwarded = httpRequest({ socketPath, agent: this.#agent, method, path, headers: fieldsOf(request) });
    response.once('close', () => forwarded.destroy());
    const timer = platform.timeout === undefined ? undefined : setTimeout(() => this.#timeOut(request), platform.timeout);
    try {
      request.pipe(forwarded);
      const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
      clearTimeout(timer);
      response.writeHead(answer.statusCode ?? 500, fieldsOf(answer));
      response.flushHeaders();
      // Also ends the function's stream when the client disconnects.
      await pipeline(answer, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else {
        // Usually, the process is about to end, and says why.
        const unknown = new Promise<Failure>((resolve) => void setTimeout(resolve, grace, failed((error as Error).message)));
        sendFailure(request, response, await Promise.race([this.#ended.promise, unknown]));
      }
    } finally {
      clearTimeout(timer);
      this.#running--;
      if (this.#retiring !== undefined && this.#running === 0) void this.close();
    }
  }

  /** Ends the process once its requests are answered, or after a time limit: a hanging request may be why the user reloads. */
  retire(): void {
    const late = `The functions were reloaded. This request had not finished ${retirement / 1000} s later, so it was stopped.`;
    if (this.#running === 0) void this.close();
    else this.#retiring = setTimeout(() => void this.close({ ...failed(late), status: 503 }), retirement);
  }

  async close(reason: Failure = closed): Promise<void> {
    this.#reason ??= reason;
    // Ending the process takes a moment; the next request must not reach it.
    this.hasEnded = true;
    this.#child.kill('SIGKILL');
    await this.#ended.promise;
  }

  #timeOut({ method, url }: IncomingMessage): void {
    const seconds = this.#data.platform.timeout! / 1000;
    const message = `No response after ${seconds} s (--timeout) to ${method} ${url}. The instance was stopped, as on the platform.`;
    void this.close(failed(message));
  }
}

function failed(message: string): Failure {
  return { status: 500, message };
}

const closed: Failure = { ...failed('The functions were stopped.'), status: 503 };

/** The names and values of the fields of a request or response that do not belong to one connection. */
function fieldsOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => !/^(?:connection|keep-alive|expect|upgrade|te)$/i.test(rawHeaders[at - (at % 2)]!));
}
