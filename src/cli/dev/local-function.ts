import { watchBundle } from '../project/bundle.ts';
import type { Bundle, Bundler } from '../project/bundle.ts';
import type { PlatformSettings, RequestRecord, ThreadRequest, ThreadResponse } from './thread-messages.ts';
import { FunctionError, FunctionThread, NoFunctionError } from './function-thread.ts';
import { pathOf } from './thread-messages.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';

/** Something that the user should see in the terminal. */
export type DevEvent =
  /** All functions of a folder, for the first time. */
  | { readonly kind: 'bundling'; readonly folder: string }
  | { readonly kind: 'ready'; readonly name: string }
  | { readonly kind: 'reloaded'; readonly name: string }
  | { readonly kind: 'removed'; readonly name: string }
  /** It cannot be bundled, or its module throws. Requests are answered with this. */
  | { readonly kind: 'broken'; readonly name: string; readonly message: string }
  /** One request failed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'request'; readonly name: string; readonly record: RequestRecord }
  /** A file of the folder that is there for the functions. */
  | { readonly kind: 'helper'; readonly name: string; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string };

/** The settings of the server that functions need. */
export interface LocalSettings {
  readonly esbuild: typeof import('esbuild');
  /** Where the project is. */
  readonly directory: string;
  /** The variables of the functions; other ones when a file of them has changed. */
  readonly env: () => NodeJS.ProcessEnv;
  /** All files of the folder that have been bundled. */
  readonly bundled: () => readonly BundledFile[];
  readonly report: (event: DevEvent) => void;
  readonly platform: PlatformSettings;
  /** Every request gets an instance of its own. */
  readonly cold: boolean;
  /** Instances sleep between requests. */
  readonly freeze: boolean;
}

/** One function of the folder, in whatever state its files are: called when it is sound, and saying why when it is not. */
export class LocalFunction {
  readonly name: string;
  readonly file: string;
  /** True when its bundle holds the graphql package. */
  isGraphQL = false;
  readonly #source: FunctionSource;
  readonly #settings: LocalSettings;
  #bundler: Bundler | undefined;
  #code: string | undefined;
  #files: readonly string[] = [];
  #exports: readonly string[] = [];
  /** True when it exports nothing that could be called, and that has not been reported yet. */
  #isUntold = false;
  #isHelper = false;
  #hasStarted = false;
  #thread: FunctionThread | undefined;
  /** Why it cannot be bundled. */
  #problem: string | undefined;
  /** Why it cannot be loaded. */
  #refusal: string | undefined;
  /** Why its server could not start, as has been said. */
  #told: string | undefined;
  #hasBeenReady = false;

  constructor(source: FunctionSource, settings: LocalSettings) {
    this.name = source.name;
    this.file = source.file;
    this.#source = source;
    this.#settings = settings;
  }

  /** True when it has been found that it cannot be bundled, or loaded. */
  get isBroken(): boolean {
    return !this.#isHelper && (this.#problem !== undefined || this.#refusal !== undefined);
  }

  /** True when it is a file that functions import, and not a function. */
  get isHelper(): boolean {
    return this.#isHelper;
  }

  /** The files that its bundle is made of. */
  get bundled(): BundledFile {
    return { source: this.#source, exports: this.#exports, files: this.#files, isGraphQL: this.isGraphQL };
  }

  /** Says what a file without a function is. The other files must have been bundled: they may import it. */
  settle(): void {
    this.#hasStarted = true;
    if (!this.#isUntold) return;
    this.#isUntold = false;
    const all = this.#settings.bundled();
    this.#isHelper = isHelper(this.bundled, all);
    const message = this.#isHelper
      ? helperNotice(this.bundled, all, this.#settings.directory)
      : noFunctionMessage(this.name, this.#exports);
    this.#problem = message;
    this.#report({ kind: this.#isHelper ? 'helper' : 'broken', name: this.name, message });
  }

  /** Starts anew, with variables that have changed. */
  restart(): void {
    if (this.#code === undefined || this.#problem !== undefined) return;
    this.#refusal = undefined;
    this.#dropThread();
    void this.#announce(this.#currentThread());
  }

  /** Bundles and loads it, and from then on again after every change. Resolves when it is ready or known to be broken. */
  async start(): Promise<void> {
    const { esbuild, directory } = this.#settings;
    this.#bundler = await watchBundle(esbuild, { source: this.#source, directory }, (bundle) => this.#take(bundle));
    await this.#thread?.ready.catch(() => {});
  }

  /** Looks at its files now, rather than when the next poll does. */
  async refresh(): Promise<void> {
    await this.#bundler?.rebuild();
  }

  /** Rejects with a FunctionError that says what the user has to mend. */
  async call(request: ThreadRequest): Promise<ThreadResponse> {
    if (this.#problem !== undefined) {
      const { method, url } = request;
      this.#report({
        kind: 'request',
        name: this.name,
        record: { method, path: pathOf(this.name, url), status: 500, milliseconds: 0, operations: [], errors: [] },
      });
      throw new FunctionError(this.#problem);
    }
    const { cold } = this.#settings;
    const thread = cold ? this.#createThread() : this.#currentThread();
    try {
      await thread.ready;
      return await this.#callInTime(thread, request);
    } catch (error) {
      const { message } = error as Error;
      // The reason why it cannot be loaded was reported when it was loaded.
      if (message !== this.#refusal) this.#report({ kind: 'failed', name: this.name, message });
      throw error;
    } finally {
      if (cold) thread.retire();
    }
  }

  async #callInTime(thread: FunctionThread, request: ThreadRequest): Promise<ThreadResponse> {
    const { timeout } = this.#settings.platform;
    const answer = thread.call(request);
    if (timeout === undefined) return answer;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new FunctionError(`There was no answer after ${timeout / 1000} s (--timeout): the instance was ended, as the platform would.`),
        );
        // It ends in its own time; the next request must not meet it.
        if (thread === this.#thread) this.#thread = undefined;
        void thread.close();
      }, timeout);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#bundler?.close();
    await this.#thread?.close();
  }

  #take(bundle: Bundle): void {
    if (bundle.kind === 'problem') {
      if (bundle.message !== this.#problem) this.#break(bundle.message);
      return;
    }
    // Polls and notifications come in twos, and not every change of a file is a change of the code.
    if (bundle.code === this.#code && this.#problem === undefined) return;
    if (bundle.warnings !== '') this.#report({ kind: 'warning', message: bundle.warnings });
    this.#problem = undefined;
    this.#refusal = undefined;
    this.#told = undefined;
    this.#code = bundle.code;
    this.#files = bundle.files;
    this.#exports = bundle.exports;
    this.isGraphQL = bundle.isGraphQL;
    this.#isHelper = false;
    this.#isUntold = false;
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
      // Replaced meanwhile, it is of no interest any more.
      if (thread !== this.#thread) return;
      if (error instanceof NoFunctionError) {
        this.#isUntold = true;
        if (this.#hasStarted) this.settle();
        return;
      }
      this.#refusal = (error as Error).message;
      this.#report({ kind: 'broken', name: this.name, message: this.#refusal });
    }
  }

  /** The thread; another one when it has crashed or could not be loaded, for a platform would start anew as well. */
  #currentThread(): FunctionThread {
    if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = this.#createThread();
    return this.#thread;
  }

  #createThread(): FunctionThread {
    const { name, file } = this.#source;
    const { env, directory, freeze, platform: settings } = this.#settings;
    const thaw = freeze ? new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) : undefined;
    const data = { name, file, code: this.#code ?? '', files: this.#files, directory, settings, thaw };
    const thread = new FunctionThread(data, env(), {
      onCrash: (message) => this.#report({ kind: 'failed', name, message }),
      onRequest: (record) => this.#report({ kind: 'request', name, record }),
      onProblem: (message) => this.#tellProblem(message),
    });
    // A module that throws may have left timers behind, and its thread would live on.
    thread.ready.catch(() => thread.close());
    return thread;
  }

  /** The server tries to start again with every request, and the problem stays the same. */
  #tellProblem(message: string): void {
    if (message === this.#told) return;
    this.#told = message;
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
