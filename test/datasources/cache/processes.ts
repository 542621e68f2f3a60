import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** What a test that needs a program passes on: it is skipped where the program is missing, and left to fail where CI is set. */
export function needsProgram(program: string): { skip: string | false } {
  const isThere = spawnSync(program, ['--version']).error === undefined;
  return { skip: isThere || process.env['CI'] === 'true' ? false : `${program} is not installed (Debian: apt-get install ${program})` };
}

/** A Redis process for this test. */
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

/** Ends a process, even a stopped one, and waits for its exit. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
