import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** Options for a test that needs a program: without the program, the test is skipped, but fails if CI is set. */
export function needsProgram(program: string): { skip: string | false } {
  const isThere = spawnSync(program, ['--version']).error === undefined;
  return { skip: isThere || process.env['CI'] === 'true' ? false : `${program} is not installed (Debian: apt-get install ${program})` };
}

/** Starts a Redis process for one test. */
export async function startRedis(t: TestContext, port: number): Promise<ChildProcess> {
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => end(redis));
  for await (const line of createInterface(redis.stdout)) {
    if (line.includes('Ready to accept connections')) break;
  }
  redis.stdout.resume();
  return redis;
}

/** Kills a process, even one that SIGSTOP has suspended, and waits for its exit. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
