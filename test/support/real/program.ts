import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** A program that a test has started. */
export interface Program {
  readonly pid: number;
  /** The text that it has printed on both streams. */
  output(): string;
  /** Resolves when the output matches; rejects if the program ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exited: Promise<ProgramExit>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the program, and resolves when it has exited. */
  end(): Promise<ProgramExit>;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** The complete environment. Default: PATH and HOME of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a program. It never outlives this process. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions = {}): Program {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, { cwd: options.cwd, env: options.env ?? { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = exitOf(child).finally(() => process.off('exit', kill));
  const output = collectOutput(child);
  return {
    pid: child.pid ?? -1,
    output: output.text,
    printed: (pattern) =>
      Promise.race([output.printed(pattern), failAfter(exited, () => `The program ended before it printed ${pattern}:\n${output.text()}`)]),
    exited,
    signal: (signal) => void child.kill(signal),
    end: () => {
      // SIGTERM would reach a frozen program only when it resumes.
      kill();
      return exited;
    },
  };
}

function exitOf(child: ChildProcess): Promise<ProgramExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // 'close' comes after all output has arrived, unlike 'exit'.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

async function failAfter(exited: Promise<ProgramExit>, message: () => string): Promise<never> {
  await exited;
  throw new Error(message());
}

function collectOutput(child: ChildProcess): { text: () => string; printed: (pattern: RegExp) => Promise<RegExpExecArray> } {
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = (): void => {
        const match = pattern.exec(text);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      look();
    });
  return { text: () => text, printed };
}
