import type { TestContext } from 'node:test';

import { runQuery } from '../../src/tools/cli/dev/run-query.ts';
import { Reporter } from '../../src/tools/cli/reporter.ts';
import { serveProject } from './functions-project.ts';
import type { Project, ServedProject } from './functions-project.ts';

/** A dev server in this process, with everything that the command prints. */
export interface DevHere extends ServedProject {
  readonly printed: () => { readonly stdout: string; readonly stderr: string };
  /** Resolves when this has appeared in stdout. */
  readonly until: (expected: string) => Promise<void>;
}

/** Milliseconds after which a test fails because an expected line was not printed, so that it does not hang. */
const maxWait = 30_000;

/** Runs `dev` as the command does, in this process: it needs about a third of the CPU of a separate process. */
export async function startDevHere(context: TestContext, project: Project, query?: string): Promise<DevHere> {
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const log = (line: string): void => {
    stdout += `${line}\n`;
    for (const listener of listeners) listener();
  };
  const reporter = new Reporter({ log, error: (line) => (stderr += `${line}\n`) }, project.directory);
  const served = await serveProject(context, project, { report: (event) => reporter.report(event) });
  reporter.banner(served.server);
  if (query !== undefined) reporter.answer(query, await runQuery(served.server, query));
  reporter.waiting();

  const until: DevHere['until'] = (expected) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`"${expected}" was not printed, only ${stdout}`)), maxWait);
      const look = (): void => {
        if (!stdout.includes(expected)) return;
        clearTimeout(timer);
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
  return { ...served, printed: () => ({ stdout, stderr }), until };
}
