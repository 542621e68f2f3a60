import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { builtFile } from '../project/built-file.ts';
import type { DevEvent, Instruction, ProcessData, ProcessMessage } from './messages.ts';

/** Milliseconds that a replaced process has to finish its requests: one that hangs may be why the user reloads. */
const retirement = 5000;

/** Milliseconds that a process has to answer the requests that it cannot finish. */
const grace = 1000;

/** The process that runs all functions. A change of any of them replaces it. */
export class FunctionProcess {
  /** Resolves when the functions have been loaded, or the process has ended. */
  readonly ready: Promise<void>;
  /** True if the process takes no more connections. */
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(data: ProcessData, env: NodeJS.ProcessEnv, onEvent: (event: DevEvent) => void) {
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
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
    const fail = (message: string): void => onEvent({ kind: 'failed', name: 'A function', message });
    this.#child.on('message', (message: ProcessMessage) => {
      if (message.kind !== 'crash') onEvent(message);
      else {
        fail(message.message);
        this.#stop({ status: 500, message: message.message });
      }
      if (message.kind === 'loaded') ready.resolve();
    });
    const end = (reason: string): void => {
      if (!this.hasEnded) fail(reason);
      this.hasEnded = true;
      ready.resolve();
    };
    this.#child.once('exit', (code, signal) => end(`The functions' process ended with ${code ?? signal}.`));
    const closed = new Promise<void>((resolve) => void this.#child.once('close', () => resolve()).once('error', () => resolve()));
    // The project's folder may be gone.
    this.#child.once('error', ({ message }) => end(message));
    this.#closed = closed.finally(() => this.#timers.forEach(clearTimeout));
    this.#send({ kind: 'load', data });
  }

  /** Hands over a connection, whose request the process answers. */
  take(connection: Socket): void {
    this.#child.send({ kind: 'connection' } satisfies Instruction, connection, () => {});
  }

  /** Ends the process once its requests are answered. Those that take too long get 503. */
  retire(): void {
    this.hasEnded = true;
    this.#send({ kind: 'retire' });
    const message = `The functions were reloaded. This request had not finished ${retirement / 1000} s later, so it was stopped.`;
    this.#timers.add(setTimeout(() => this.#stop({ status: 503, message }), retirement));
  }

  async close(): Promise<void> {
    this.hasEnded = true;
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  /** The process answers its requests with the reason, unless its code runs without a pause. */
  #stop(reason: { readonly status: number; readonly message: string }): void {
    this.hasEnded = true;
    this.#send({ kind: 'stop', ...reason });
    this.#timers.add(setTimeout(() => this.#child.kill('SIGKILL'), grace));
  }

  #send(instruction: Instruction): void {
    this.#child.send(instruction, () => {});
  }
}
