import { existsSync } from 'node:fs';

import { waitAtMost } from '../../../shared/index.ts';
import { watchBundle } from '../project/bundle.ts';
import type { Bundle, Bundler } from '../project/bundle.ts';
import type { PlatformSettings, RequestRecord, ThreadRequest, ThreadResponse } from './thread-messages.ts';
import { FunctionError, FunctionThread, NoFunctionError } from './function-thread.ts';
import { pathOf } from './thread-messages.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';

/** An event that is printed in the terminal. */
export type DevEvent =
  /** The first bundling of all functions in a folder. */
  | { readonly kind: 'bundling'; readonly folder: string }
  | { readonly kind: 'ready'; readonly name: string }
  | { readonly kind: 'reloaded'; readonly name: string }
  | { readonly kind: 'removed'; readonly name: string }
  /** The function cannot be bundled, or its module throws. Requests are answered with this message. */
  | { readonly kind: 'broken'; readonly name: string; readonly message: string }
  /** One request failed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'request'; readonly name: string; readonly record: RequestRecord }
  /** A file of the folder that functions import. */
  | { readonly kind: 'helper'; readonly name: string; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string };

/** The dev server's settings that functions need. */
export interface LocalSettings {
  readonly esbuild: typeof import('esbuild');
  /** The project's folder. */
  readonly directory: string;
  /** The functions' environment variables, which change with the .env file. */
  readonly env: () => NodeJS.ProcessEnv;
  /** All bundled files of the folder. */
  readonly bundled: () => readonly BundledFile[];
  readonly report: (event: DevEvent) => void;
  readonly platform: PlatformSettings;
  /** More packages that are not bundled. */
  readonly external: readonly string[];
}

/** A function of the folder. Can be called when it compiles and loads; calls reject with the reason when it does not. */
export class LocalFunction {
  readonly name: string;
  readonly file: string;
  /** True when its bundle holds the graphql package. */
  isGraphQL = false;
  readonly #source: FunctionSource;
  readonly #settings: LocalSettings;
  #bundler: Bundler | undefined;
  /** Pending while the function is bundled, including the first time. Requests wait for it. */
  #bundling: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>();
  #code: string | undefined;
  #files: readonly string[] = [];
  #circle: readonly string[] | undefined;
  #exports: readonly string[] = [];
  /** True when it exports nothing callable and that has not been reported yet. */
  #isUnreported = false;
  #isHelper = false;
  #hasStarted = false;
  #thread: FunctionThread | undefined;
  /** Why it cannot be bundled. */
  #problem: string | undefined;
  /** Why it cannot be loaded. */
  #refusal: string | undefined;
  /** The last reported reason why its server could not start. */
  #reportedProblem: string | undefined;
  #hasBeenReady = false;
  /** Notices that were printed. A reload does not repeat them. */
  readonly #notices = new Set<string>();

  constructor(source: FunctionSource, settings: LocalSettings) {
    this.name = source.name;
    this.file = source.file;
    this.#source = source;
    this.#settings = settings;
  }

  /** True when it is known that the function cannot be bundled or loaded. */
  get isBroken(): boolean {
    return !this.#isHelper && (this.#problem !== undefined || this.#refusal !== undefined);
  }

  /** True for a file that is not a function but is imported by functions. */
  get isHelper(): boolean {
    return this.#isHelper;
  }

  get bundled(): BundledFile {
    return { source: this.#source, exports: this.#exports, files: this.#files, isGraphQL: this.isGraphQL };
  }

  /** Reports a file without a function. Call it after all other files were bundled, because they may import it. */
  settle(): void {
    this.#hasStarted = true;
    if (!this.#isUnreported) return;
    this.#isUnreported = false;
    const all = this.#settings.bundled();
    this.#isHelper = isHelper(this.bundled, all);
    const message = this.#isHelper
      ? helperNotice(this.bundled, all, this.#settings.directory)
      : noFunctionMessage(this.name, this.#exports);
    this.#problem = message;
    this.#report({ kind: this.#isHelper ? 'helper' : 'broken', name: this.name, message });
  }

  /** Restarts with the current environment variables. */
  restart(): void {
    if (this.#code === undefined || this.#problem !== undefined) return;
    this.#refusal = undefined;
    this.#dropThread();
    void this.#announce(this.#currentThread());
  }

  /** Bundles and loads it, now and after every change. Resolves when it is ready or known to be broken. */
  async start(): Promise<void> {
    const { esbuild, external } = this.#settings;
    this.#bundler = await watchBundle(
      esbuild,
      { source: this.#source, external },
      {
        onStart: () => void (this.#bundling ??= Promise.withResolvers<void>()),
        onBundle: (bundle) => {
          this.#take(bundle);
          this.#bundling?.resolve();
          this.#bundling = undefined;
        },
      },
    );
    await this.#thread?.ready.catch(() => {});
  }

  /** Checks its files now instead of waiting for the next poll. */
  async refresh(): Promise<void> {
    await this.#bundler?.rebuild();
  }

  /** Rejects with a FunctionError that says what the user has to fix. */
  async call(request: ThreadRequest): Promise<ThreadResponse> {
    await this.#bundling?.promise;
    if (this.#problem !== undefined) {
      const { method, url } = request;
      this.#report({
        kind: 'request',
        name: this.name,
        record: { method, path: pathOf(this.name, url), status: 500, milliseconds: 0, operations: [], errors: [] },
      });
      throw new FunctionError(this.#problem);
    }
    const thread = this.#currentThread();
    try {
      await thread.ready;
      return await this.#callInTime(thread, request);
    } catch (error) {
      const { message } = error as Error;
      // A failure to load has already been reported.
      if (message !== this.#refusal) this.#report({ kind: 'failed', name: this.name, message });
      throw error;
    }
  }

  async #callInTime(thread: FunctionThread, request: ThreadRequest): Promise<ThreadResponse> {
    const { timeout } = this.#settings.platform;
    if (timeout === undefined) return thread.call(request);
    const response = await waitAtMost(timeout, thread.call(request));
    if (response !== 'late') return response;
    // Terminating takes a moment; the next request must not reach this thread.
    if (thread === this.#thread) this.#thread = undefined;
    void thread.close();
    throw new FunctionError(`No response after ${timeout / 1000} s (--timeout). The instance was stopped, as on the platform.`);
  }

  async close(): Promise<void> {
    await this.#bundler?.close();
    await this.#thread?.close();
  }

  #take(bundle: Bundle): void {
    if (bundle.kind === 'problem') {
      // The server is about to notice that it was removed or renamed.
      if (!existsSync(this.#source.file)) return;
      if (bundle.message !== this.#problem) this.#break(bundle.message);
      return;
    }
    // A poll and a notification may report the same change, and not every change of a file changes the code.
    if (bundle.code === this.#code && this.#problem === undefined) return;
    if (bundle.warnings !== '') this.#report({ kind: 'warning', message: bundle.warnings });
    this.#problem = undefined;
    this.#refusal = undefined;
    this.#reportedProblem = undefined;
    this.#code = bundle.code;
    this.#files = bundle.files;
    this.#circle = bundle.circle;
    this.#exports = bundle.exports;
    this.isGraphQL = bundle.isGraphQL;
    this.#isHelper = false;
    this.#isUnreported = false;
    this.#dropThread();
    void this.#announce(this.#currentThread());
  }

  #break(message: string): void {
    this.#problem = message;
    this.#dropThread();
    this.#report({ kind: 'broken', name: this.name, message });
  }

  async #announce(thread: FunctionThread): Promise<void> {
    try {
      await thread.ready;
      this.#report({ kind: this.#hasBeenReady ? 'reloaded' : 'ready', name: this.name });
      this.#hasBeenReady = true;
    } catch (error) {
      // A replaced thread no longer matters.
      if (thread !== this.#thread) return;
      if (error instanceof NoFunctionError) {
        this.#isUnreported = true;
        if (this.#hasStarted) this.settle();
        return;
      }
      this.#refusal = (error as Error).message;
      this.#report({ kind: 'broken', name: this.name, message: this.#refusal });
    }
  }

  /** The thread, or a new one if it has crashed or could not be loaded, as on a platform. */
  #currentThread(): FunctionThread {
    if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = this.#createThread();
    return this.#thread;
  }

  #createThread(): FunctionThread {
    const { name, file } = this.#source;
    const { env, directory, platform: settings } = this.#settings;
    const data = { name, file, code: this.#code ?? '', files: this.#files, circle: this.#circle, directory, settings };
    const thread = new FunctionThread(data, env(), {
      onCrash: (message) => this.#report({ kind: 'failed', name, message }),
      onRequest: (record) => this.#report({ kind: 'request', name, record }),
      onProblem: (message) => this.#reportProblem(message),
      onNotice: (message) => {
        if (!this.#notices.has(message)) this.#report({ kind: 'warning', message });
        this.#notices.add(message);
      },
    });
    // A module that throws may leave timers behind, which keep its thread alive.
    thread.ready.catch(() => thread.close());
    return thread;
  }

  /** Reports a problem once, although the server tries to start again with every request. */
  #reportProblem(message: string): void {
    if (message === this.#reportedProblem) return;
    this.#reportedProblem = message;
    this.#report({ kind: 'failed', name: this.name, message });
  }

  #dropThread(): void {
    this.#thread?.retire();
    this.#thread = undefined;
  }

  #report(event: DevEvent): void {
    this.#settings.report(event);
  }
}
