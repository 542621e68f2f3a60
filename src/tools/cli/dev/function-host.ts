import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { findFunctions } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { compileFunction, writeOutput } from '../project/loader.ts';
import type { Compilation, CompiledFunction } from '../project/loader.ts';
import { helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { FunctionError, FunctionProcess } from './function-process.ts';
import type { Exchange } from './function-process.ts';
import { pathOf } from './messages.ts';
import type { DevEvent, PlatformSettings, ProcessMessage } from './messages.ts';

/** A function of the folder. */
export interface LocalFunction extends BundledFile {
  readonly name: string;
  /** Undefined if it cannot be compiled. */
  readonly compiled: CompiledFunction | undefined;
  /** Why it cannot be compiled or loaded. */
  problem: string | undefined;
  /** The paths of its `config`, besides the usual one. */
  paths: readonly string[];
  /** True for a file that is not a function but is imported by functions. */
  isHelper: boolean;
}

/** The dev server's settings that functions need. */
export interface HostSettings {
  readonly folder: string;
  /** The project's folder. */
  readonly directory: string;
  readonly platform: PlatformSettings;
  /** Reads the functions' environment variables. */
  readonly env: () => Promise<NodeJS.ProcessEnv>;
  readonly report: (event: DevEvent) => void;
}

/** Runs the functions of a folder in one process, and starts another when one of them changes. */
export class FunctionHost {
  /** The functions by name. They are added and removed with their files. */
  readonly functions: Map<string, LocalFunction> = new Map();
  readonly #settings: HostSettings;
  readonly #sockets: Promise<string> = mkdtemp(join(tmpdir(), 'graphql-functions-'));
  #process: FunctionProcess | undefined;
  /** It, and those that finish their requests. */
  readonly #processes = new Set<FunctionProcess>();
  #env: NodeJS.ProcessEnv = {};
  #reloading: Promise<void> | undefined;
  /** True if something has changed since the current reload began. */
  #isStale = false;
  #lastReload = 0;
  /** The functions that have been loaded, now or before a change. */
  readonly #known = new Set<string>();
  /** The functions whose code or variables have changed. */
  #fresh = new Set<string>();
  /** Warnings that were reported. A reload does not repeat them. */
  readonly #warnings = new Set<string>();

  constructor(settings: HostSettings) {
    this.#settings = settings;
  }

  /** Compiles the functions, and runs them again if anything has changed. Resolves when they have been loaded, or have failed to. */
  reload(): Promise<void> {
    this.#isStale = true;
    this.#reloading ??= this.#reloadWhileStale();
    return this.#reloading;
  }

  /** Resolves when no reload is under way. */
  async loaded(): Promise<void> {
    await this.#reloading;
  }

  /** True if files have changed, also missing ones that may have appeared. */
  isOutdated(): boolean {
    return [...this.functions.values()].some(
      ({ compiled, files }) =>
        compiled === undefined || files.some((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > this.#lastReload),
    );
  }

  /** Answers a request with a function. */
  async call(local: LocalFunction, exchange: Exchange): Promise<void> {
    const { name } = local;
    if (this.#process?.hasEnded === true) await this.reload();
    const { problem } = this.functions.get(name) ?? local;
    if (problem !== undefined) {
      const { method = 'GET', url = '/' } = exchange.request;
      const record = { method, path: pathOf(name, url), status: 500, milliseconds: 0, operations: [], errors: [] };
      this.#settings.report({ kind: 'request', name, record });
      throw new FunctionError(problem);
    }
    try {
      let current: FunctionProcess | undefined;
      // A reload may begin while the process starts.
      while (current !== this.#process) {
        current = this.#process;
        await current?.ready;
      }
      await current?.forward(name, exchange);
    } catch (error) {
      if (error instanceof FunctionError) this.#settings.report({ kind: 'failed', name, message: error.message });
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#reloading;
    await Promise.all([...this.#processes].map((one) => one.close()));
    await rm(await this.#sockets, { recursive: true, force: true });
  }

  async #reloadWhileStale(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#reload();
      }
    } catch (error) {
      this.#settings.report({ kind: 'warning', message: (error as Error).message });
    } finally {
      this.#reloading = undefined;
    }
  }

  async #reload(): Promise<void> {
    this.#lastReload = Date.now();
    const env = await this.#settings.env();
    const { functions: sources, misnamed } = await findFunctions(this.#settings.folder);
    for (const file of misnamed) this.#warn(`${file} is not served: function names can only contain letters, digits, "-" and "_".`);
    const compiled = await Promise.all(sources.map(async (source) => ({ source, result: await compileFunction(source) })));
    const before = new Map(this.functions);
    this.functions.clear();
    for (const { source, result } of compiled) {
      this.#take(source, result, before.get(source.name));
      before.delete(source.name);
    }
    for (const name of before.keys()) this.#settings.report({ kind: 'removed', name });
    const isSameEnv = isDeepStrictEqual(env, this.#env);
    if (isSameEnv && this.#fresh.size === 0 && this.#process?.hasEnded !== true) return;
    if (!isSameEnv) this.#fresh = new Set(this.functions.keys());
    this.#env = env;
    const started = await this.#start();
    await started?.ready.catch(() => {});
  }

  #take(source: FunctionSource, result: Compilation, before: LocalFunction | undefined): void {
    const { name, file } = source;
    if (result.kind === 'code') {
      if (before?.source.file === file && before.compiled?.code === result.code) {
        this.functions.set(name, before);
        return;
      }
      if (result.warnings !== '') this.#settings.report({ kind: 'warning', message: result.warnings });
      this.functions.set(name, { ...result, source, name, compiled: result, problem: undefined, paths: [], isHelper: false });
      this.#fresh.add(name);
      return;
    }
    const broken = {
      source,
      name,
      exports: [],
      files: [],
      isGraphQL: false,
      compiled: undefined,
      problem: before?.problem,
      paths: before?.paths ?? [],
      isHelper: false,
    };
    this.functions.set(name, broken);
    this.#break(broken, result.message);
  }

  /** Starts a process with the functions that can be compiled. */
  async #start(): Promise<FunctionProcess | undefined> {
    const { directory, platform } = this.#settings;
    const compiled = [...this.functions.values()].flatMap((local) =>
      local.compiled === undefined ? [] : { ...local.compiled, ...local.source },
    );
    if (compiled.length === 0) return undefined;
    await Promise.all(compiled.map(writeOutput));
    const functions = compiled.map(({ name, file, output, packages, files }) => ({ name, file, output, packages, files }));
    const number = this.#processes.size;
    const path = join(await this.#sockets, `${number}.sock`);
    const socket = process.platform === 'win32' ? String.raw`\\.\pipe\graphql-functions-${process.pid}-${number}` : path;
    const withoutFunction: string[] = [];
    const started = new FunctionProcess({ functions, directory, platform, socket }, this.#env, (message) => {
      if (message.kind === 'no function') withoutFunction.push(message.name);
      else if (message.kind === 'listening') this.#settle(withoutFunction);
      else if (started === this.#process || message.kind === 'request') this.#hear(message);
    });
    this.#process?.retire();
    this.#process = started;
    this.#processes.add(started);
    return started;
  }

  #hear(message: Exclude<ProcessMessage, { kind: 'listening' | 'no function' }>): void {
    const local = 'name' in message ? this.functions.get(message.name) : undefined;
    if (message.kind === 'crash') this.#settings.report({ kind: 'failed', name: 'A function', message: message.message });
    else if (message.kind === 'broken' && local !== undefined) this.#break(local, message.message);
    else if (message.kind === 'ready' && local !== undefined) this.#announce(local, message.paths);
    else if (message.kind === 'warning') this.#warn(message.message);
    else this.#settings.report(message);
  }

  #announce(local: LocalFunction, paths: readonly string[]): void {
    const { name } = local;
    local.paths = paths;
    local.problem = undefined;
    if (this.#fresh.delete(name)) this.#settings.report({ kind: this.#known.has(name) ? 'reloaded' : 'ready', name });
    this.#known.add(name);
  }

  /** Reports why a function cannot run, once. */
  #break(local: LocalFunction, message: string): void {
    this.#fresh.delete(local.name);
    if (message !== local.problem) this.#settings.report({ kind: 'broken', name: local.name, message });
    local.problem = message;
  }

  /** Reports the files without a function. Other files may import them. */
  #settle(names: readonly string[]): void {
    const all = [...this.functions.values()];
    for (const local of all.filter(({ name }) => names.includes(name) && this.#fresh.delete(name))) {
      local.isHelper = isHelper(local, all);
      const message = local.isHelper ? helperNotice(local, all, this.#settings.directory) : noFunctionMessage(local.name, local.exports);
      if (local.isHelper) this.#settings.report({ kind: 'helper', name: local.name, message });
      else this.#break(local, message);
    }
  }

  #warn(message: string): void {
    if (!this.#warnings.has(message)) this.#settings.report({ kind: 'warning', message });
    this.#warnings.add(message);
  }
}
