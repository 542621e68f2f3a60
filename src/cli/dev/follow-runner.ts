import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Milliseconds between looks. */
const interval = 1000;

/**
 * Calls back when the package manager that runs this command (`npm run dev`) is gone. Its children outlive one that is
 * killed: the server would stay, and keep its port. Without a package manager no process is followed, and `nohup`, a
 * service manager or a shell that ends leave the server alone.
 */
export async function followRunner(environment: NodeJS.ProcessEnv, onGone: () => void): Promise<void> {
  if (environment['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  // Between it and us there is the shell of the script, which would live on.
  const runner = await parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (runner === undefined || isAlive(runner))) return;
    clearInterval(timer);
    onGone();
  }, interval);
  timer.unref();
}

/** Undefined when there is none that could go: 1 is the system itself, or the first process of a container. */
async function parentOf(pid: number): Promise<number | undefined> {
  const text = (await parentFromProc(pid)) ?? (await parentFromPS(pid));
  const parent = Number(text);
  return parent > 1 ? parent : undefined;
}

/** Linux, where ps need not be installed. */
async function parentFromProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the name, which may have any characters: the state, then the parent.
  return /.*\) \w (\d+) /s.exec(stat)?.[1];
}

async function parentFromPS(pid: number): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)])).stdout;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
