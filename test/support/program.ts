import { spawn, spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';

/** A program that a test has started. */
export interface Program {
  /** The text that it has printed on both streams. */
  output(): string;
  /** Resolves when the output matches; rejects if the program ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exited: Promise<ProgramExit>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the program, also a frozen one, and resolves when it has exited. */
  end(): Promise<ProgramExit>;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** The complete environment. Default: PATH and HOME of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which it gets SIGTERM. Default: never. */
  readonly timeout?: number;
}

/** Starts a program. It never outlives this process. */
export function startProgram(command: string, args: readonly string[], { cwd, env, timeout }: ProgramOptions = {}): Program {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, { cwd, env: env ?? { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'], timeout });
  const texts = { stdout: '', stderr: '' };
  let output = '';
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      texts[name] += chunk;
      for (const look of waiting) look();
    });
  // SIGTERM would reach a frozen program only when it resumes.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = new Promise<ProgramExit>((resolve, reject) => {
    child.once('error', reject);
    // 'close' comes after all output has arrived, unlike 'exit'.
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  }).finally(() => process.off('exit', kill));
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(output);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      look();
      exited.then(() => reject(new Error(`The program ended before it printed ${pattern}:\n${output}`)), reject);
    });
  return {
    output: () => output,
    printed,
    exited,
    signal: (signal) => void child.kill(signal),
    end: () => {
      kill();
      return exited;
    },
  };
}

/** Milliseconds after which a command that has not ended is ended, so that its test fails instead of hanging. */
const maxWait = 60_000;

/** Starts a script with this Node; it is ended when the test ends. */
export function startCommand(
  context: TestContext,
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Program {
  // NODE_TEST_CONTEXT would turn the child process into a test runner.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, NODE_ENV: ___, ...environment } = process.env;
  const program = startProgram(process.execPath, argv, { cwd, env: { ...environment, ...env }, timeout: maxWait });
  // Sends SIGTERM first, so that the dev server also ends esbuild's process.
  context.after(async () => {
    program.signal('SIGTERM');
    const timer = setTimeout(() => void program.end(), 5000);
    await program.exited;
    clearTimeout(timer);
  });
  return program;
}

/** Options for a test that needs a program: without the program, the test is skipped, but fails if CI is set. */
export function needsProgram(name: string): { skip: string | false } {
  const isThere = isOnPath(name) || process.env['CI'] === 'true';
  return { skip: isThere ? false : `${name} is not installed (Debian: apt-get install ${name})` };
}

export function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Starts a Redis for one test. */
export async function startRedis(t: TestContext, port: number): Promise<Program> {
  const redis = startProgram('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
  t.after(() => redis.end());
  await redis.printed(/Ready to accept connections/);
  return redis;
}
