import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/** The output of a command and how it ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of this Node that is still running. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves with all of stdout when this appears in it. Rejects with all output if the command ends before. */
  until(expected: string): Promise<string>;
  readonly ended: Promise<Outcome>;
}

/** Milliseconds after which a command that has not ended is killed, so that its test fails instead of hanging. */
const maxWait = 60_000;

/** Starts a script with this Node; it is ended when the test ends. */
export function startCommand(
  context: TestContext,
  argv: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Running {
  // NODE_TEST_CONTEXT would turn the child process into a test runner.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, NODE_ENV: ___, ...environment } = process.env;
  const child = spawn(process.execPath, argv, {
    cwd: options.cwd,
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxWait,
  });
  context.after(() => end(child));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, stdout, stderr }));
  });
  const until = (expected: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(expected)) resolve(stdout);
      };
      child.stdout.on('data', look);
      look();
      void ended.then((outcome) => reject(new Error(`It ended before it said "${expected}": ${JSON.stringify(outcome)}`)));
    });
  return { child, until, ended };
}

/** Sends SIGTERM first, so that the dev server also ends esbuild's process. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  child.kill();
  await exit;
  clearTimeout(timer);
}
