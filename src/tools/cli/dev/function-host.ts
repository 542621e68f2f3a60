import { existsSync, readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';

import { findFunctions } from '../project/functions-folder.ts';
import { compileFunction, writeOutput } from '../project/loader.ts';
import { FunctionProcess } from './function-process.ts';
import type { DevEvent, FunctionToLoad, LocalFunction, ServeSettings } from './messages.ts';

/** The dev server's settings that functions need. */
export interface HostSettings extends ServeSettings {
  readonly folder: string;
  /** The file of the functions' environment variables. */
  readonly envFile: string;
  /** Reads them. */
  readonly env: () => Promise<NodeJS.ProcessEnv>;
  readonly report: (event: DevEvent) => void;
}

/** Milliseconds between checks of the files. Polling works everywhere, as on network drives, and reading the times of 100 files takes 0.3 ms. */
const interval = 50;

/** Milliseconds to wait after a change, because editors truncate a file before they write it. */
const settling = 30;

/** Runs the functions of a folder in one process, and starts another when one of them changes. */
export class FunctionHost {
  /** The functions that have been loaded last. */
  functions: readonly LocalFunction[] = [];
  readonly #settings: HostSettings;
  #process: FunctionProcess | undefined;
  /** The current process, and older ones that still finish their requests. */
  readonly #processes = new Set<FunctionProcess>();
  #reloading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The files of the functions, and their state when they were compiled. */
  #files: readonly string[] = [];
  #state: string | undefined;
  /** The state of the files from which the functions were loaded. */
  #loaded: string | undefined;

  constructor(settings: HostSettings) {
    this.#settings = settings;
  }

  /** Compiles the functions, and runs them again if anything has changed. Resolves when they have been loaded, or have failed to. */
  reload(): Promise<void> {
    this.#reloading ??= this.#reload()
      .catch((error: Error) => this.#settings.report({ kind: 'warning', message: error.message }))
      .finally(() => (this.#reloading = undefined));
    return this.#reloading;
  }

  /** Reloads the functions when files change. */
  watch(): void {
    const look = async (): Promise<void> => {
      if (this.#stateOfFiles() !== this.#state) {
        await new Promise((resolve) => void setTimeout(resolve, settling));
        await this.reload();
      }
      if (this.#timer !== undefined) this.watch();
    };
    this.#timer = setTimeout(() => void look(), interval);
  }

  /** Answers the request of a connection with the functions, after a reload that is under way. */
  async answer(connection: Socket): Promise<void> {
    connection.on('error', () => connection.destroy());
    await (this.#process?.hasEnded === true ? this.reload() : this.#reloading);
    this.#process?.take(connection);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#reloading;
    await Promise.all([...this.#processes].map((one) => one.close()));
  }

  async #reload(): Promise<void> {
    const began = Date.now();
    const env = await this.#settings.env();
    const { folder, report } = this.#settings;
    const { functions: sources, misnamed } = await findFunctions(folder);
    for (const file of misnamed)
      report({ kind: 'warning', message: `${file} is not served: function names can only contain letters, digits, "-" and "_".` });
    const functions = await Promise.all(sources.map(async (source) => ({ ...source, compiled: await compileFunction(source) })));
    this.#files = functions.flatMap(({ compiled }) => (compiled.kind === 'code' ? compiled.files : [unknown]));
    this.#state = this.#stateOfFiles(began);
    const loaded = JSON.stringify([functions, env]);
    if (loaded === this.#loaded && this.#process?.hasEnded === false) return;
    this.#loaded = loaded;
    await this.#start(functions, env);
  }

  /** Returns a text that differs after each change of the files. Returns undefined if a file has changed since the time `since`. */
  #stateOfFiles(since = Number.POSITIVE_INFINITY): string | undefined {
    const { folder, envFile } = this.#settings;
    const entries = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    const times = [envFile, folder, ...entries, ...this.#files].map((path) =>
      path === unknown ? Math.floor(Date.now() / 1000) : statSync(path, { throwIfNoEntry: false })?.mtimeMs,
    );
    return times.some((time = 0) => time >= since && time <= Date.now()) ? undefined : times.join();
  }

  /** Starts a process in place of the last one. */
  async #start(functions: readonly FunctionToLoad[], env: NodeJS.ProcessEnv): Promise<void> {
    const { directory, host, prefix, platform, report } = this.#settings;
    for (const { compiled } of functions) {
      if (compiled.kind === 'code') await writeOutput(compiled);
    }
    // The process reads the code from the file.
    const written = functions.map((one) => ({ ...one, compiled: { ...one.compiled, code: '' } }));
    const started = new FunctionProcess({ functions: written, directory, host, prefix, platform }, env, (message) => {
      if (message.kind === 'loaded') this.functions = message.functions;
      report(message);
    });
    this.#process?.retire();
    this.#process = started;
    this.#processes.add(started);
    await started.ready;
  }
}

/** The state of a function that cannot be compiled, so that it is compiled again every second. */
const unknown = '';
