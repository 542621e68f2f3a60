import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Milliseconds between checks. */
const interval = 1000;

/**
 * Calls back when the package manager that runs this command (`npm run dev`) is gone. Children survive a package manager
 * that is killed, so the server would keep its port. Without a package manager no process is watched: the server keeps
 * running under `nohup` and service managers, and when its shell exits.
 */
export async function followRunner(environment: NodeJS.ProcessEnv, onGone: () => void): Promise<void> {
  if (environment['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  // The script's shell runs between the package manager and this process, and would survive it.
  const runner = await parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (runner === undefined || isAlive(runner))) return;
    clearInterval(timer);
    onGone();
  }, interval);
  timer.unref();
}

/** Undefined when the parent cannot exit: 1 is the system's init process, or the first process of a container. */
async function parentOf(pid: number): Promise<number | undefined> {
  const text = (await parentFromProc(pid)) ?? (await parentFromPS(pid));
  const parent = Number(text);
  return parent > 1 ? parent : undefined;
}

/** Reads /proc on Linux, where ps may not be installed. */
async function parentFromProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The state and the parent follow the name, which may contain any characters.
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
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
