import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { writeFiles } from '../../write-files.ts';
import { partNamed } from '../parts.ts';

const root = join(import.meta.dirname, '../../../..');

/** Milliseconds after which a command counts as hanging. */
const patience = 110_000;

/** A reader who writes files and runs commands in an empty folder. */
export class Reader {
  /** The test, with whose end the reader leaves and the folder goes. */
  readonly context: TestContext;
  readonly folder: string;
  transcript = '';
  readonly #tools: string;
  #server: { readonly child: ChildProcess; readonly url: string } | undefined;

  private constructor(context: TestContext, folder: string, tools: string) {
    this.context = context;
    this.folder = folder;
    this.#tools = tools;
  }

  static async start(context: TestContext): Promise<Reader> {
    const [folder, tools] = await Promise.all(['reader-', 'reader-tools-'].map((name) => mkdtemp(join(tmpdir(), name))));
    const reader = new Reader(context, await realpath(folder!), tools!);
    context.after(async () => {
      await reader.leaveServer();
      for (const one of [reader.folder, tools!]) await rm(one, { recursive: true, force: true });
    });
    await reader.#prepare();
    return reader;
  }

  /** Creates a git repository, an npm and an npx that install the packed package and available versions of others, and a `sam`. */
  async #prepare(): Promise<void> {
    const run = promisify(execFile);
    await run('git', ['init', '--quiet', this.folder]);
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', this.#tools], { cwd: root });
    const [npm = '', npx = ''] = (await run('bash', ['-c', 'command -v npm npx'])).stdout.split('\n');
    const tarball = `"$(ls '${this.#tools}'/*.tgz)"`;
    const { overrides = {} } = partNamed('codegen').manifest;
    await this.#tool(
      'npm',
      `real='${npm}'
arguments=()
for word in "$@"; do
  if [ "$word" = graphql-functions ]; then word=${tarball}; fi
  arguments+=("$word")
done
if [ "$1" = i ] || [ "$1" = install ]; then
  "$real" pkg set --json overrides='${JSON.stringify(overrides)}'
  if grep -q '"graphql-functions": "^' package.json; then "$real" pkg set dependencies.graphql-functions=file:${tarball}; fi
  arguments+=(--no-audit --no-fund --loglevel=error)
fi
exec "$real" "\${arguments[@]}"`,
    );
    await this.#tool(
      'npx',
      `if [ "$1" = graphql-functions ] && [ ! -e node_modules/.bin/graphql-functions ]; then set -- --yes --loglevel=error --package ${tarball} "$@"; fi
exec '${npx}' "$@"`,
    );
    await this.#tool('sam', `exec '${process.execPath}' '${join(import.meta.dirname, 'sam.ts')}' "$@"`);
  }

  async #tool(name: string, script: string): Promise<void> {
    await writeFile(join(this.#tools, name), `#!/usr/bin/env bash\n${script}\n`);
    await chmod(join(this.#tools, name), 0o755);
  }

  async write(file: string, text: string): Promise<void> {
    await this.leaveServer();
    await writeFiles(this.folder, { [file]: text });
    this.transcript += `(writes ${file}, ${text.split('\n').length - 1} lines)\n\n`;
  }

  /** Runs a command to its end, or `dev` until it is ready. Throws if it fails or does not print the expected output. */
  async run(command: string, shown?: string): Promise<string> {
    const output = command.includes('graphql-functions dev')
      ? await this.serve(command, /Ctrl\+C/, command.replace('graphql-functions dev', 'graphql-functions dev --port 0'))
      : await this.#runToItsEnd(command);
    // Pages break the lines of JSON.
    if (shown !== undefined && !output.includes(JSON.stringify(JSON.parse(shown))))
      throw new Error(`The answer is another one than on the page:\n${this.transcript}`);
    return output;
  }

  async #runToItsEnd(command: string): Promise<string> {
    if (!command.startsWith('curl ')) await this.leaveServer();
    // -sS hides the progress bar, which is only for people.
    const actual = command.replace(/^curl /, 'curl -sS ').replaceAll('http://localhost:8888', this.#server?.url ?? 'http://localhost:8888');
    return this.#shell(command, actual);
  }

  /** Starts a server, and waits until it prints that it is ready. The next command that is not curl ends it. */
  async serve(command: string, ready: RegExp, actual: string = command): Promise<string> {
    await this.leaveServer();
    return this.#shell(command, actual, ready);
  }

  /** Ends the server that an earlier command has started. */
  async leaveServer(): Promise<void> {
    const { child } = this.#server ?? {};
    this.#server = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    endGroup(child, 'SIGTERM');
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), 10_000);
    await closed;
    clearTimeout(timer);
  }

  /** Runs a command in place of another one, which the transcript shows. */
  async #shell(command: string, actual: string, ready?: RegExp): Promise<string> {
    const started = performance.now();
    const output = await this.#spawn(actual, ready);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const lines = output.trim() === '' ? 0 : output.trim().split('\n').length;
    this.transcript += `$ ${command.trimEnd().replaceAll('\n', '\n$ ')}\n${output.trim()}\n(${seconds} s, ${lines} lines)\n\n`;
    return output;
  }

  #spawn(command: string, ready: RegExp | undefined): Promise<string> {
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, NODE_ENV: ___, ...environment } = process.env;
    const PATH = [this.#tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const child = spawn('bash', ['-ec', command], {
      cwd: this.folder,
      env: { ...environment, PATH, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), patience);
    let output = '';
    let isServing = false;
    return new Promise((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        if (isServing || ready === undefined || !ready.test(output)) return;
        isServing = true;
        clearTimeout(timer);
        this.#server = { child, url: /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(output)?.[0] ?? '' };
        resolve(output);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        if (code === 0) resolve(output);
        else reject(new Error(`A command of the page failed with ${code}:\n${this.transcript}$ ${command}\n${output}`));
      });
    });
  }
}

/** Sends a signal to the shell and all processes that it has started. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has already exited.
  }
}
