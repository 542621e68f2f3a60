import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { startDevServer } from '../../src/tools/cli/dev/dev.ts';
import type { DevServer, DevSettings } from '../../src/tools/cli/dev/dev.ts';
import type { DevEvent } from '../../src/tools/cli/dev/messages.ts';
import { writeFiles } from './write-files.ts';

/** Milliseconds after which a test fails because an expected event has not occurred, so that it does not hang. */
const maxWait = 30_000;

/** A temporary folder, removed when the test ends. */
export interface Project {
  readonly directory: string;
  /** Writes files, by their path in the folder. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  remove(path: string): Promise<void>;
}

export async function createProject(context: TestContext, files: Readonly<Record<string, string>>): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), 'functions-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const write: Project['write'] = (contents) => writeFiles(directory, contents);
  await write(files);
  return { directory, write, remove: (path) => rm(join(directory, path), { recursive: true }) };
}

/** Links the built package of this checkout, for functions that import it, and other packages that are installed here. */
export async function linkPackage({ directory }: Pick<Project, 'directory'>, ...others: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  await mkdir(join(directory, 'node_modules'), { recursive: true });
  await symlink(root, join(directory, 'node_modules/graphql-functions'));
  for (const name of others) await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name));
}

/** A dev server in this process, closed when the test ends. */
export interface ServedProject extends Project {
  readonly server: DevServer;
  readonly events: readonly DevEvent[];
  /** The address of a function. */
  readonly address: (name: string) => string;
  /** Changes files, and waits until the server reports the change as the expected event. */
  after(expected: Partial<DevEvent>, change: () => Promise<void>): Promise<DevEvent>;
}

const devSettings: DevSettings = {
  directory: join(import.meta.dirname, '../..'),
  functions: undefined,
  prefix: '/.netlify/functions',
  port: 0,
  host: 'localhost',
  platform: { platform: 'netlify' },
  envFile: undefined,
  environment: {},
  env: {},
  report: () => {},
};

/** Serves the example of this checkout, over its catalogue unless the variables name another. */
export function serveExample(env: Readonly<Record<string, string>> = {}): Promise<DevServer> {
  return startDevServer({ ...devSettings, env: { CATALOGUE_URL: '{url}/.netlify/functions/catalogue/', ...env } });
}

/** Serves the given files, or an existing project. */
export async function serveProject(
  context: TestContext,
  files: Readonly<Record<string, string>> | Project,
  settings: Partial<DevSettings> = {},
): Promise<ServedProject> {
  const project = isProject(files) ? files : await createProject(context, files);
  const events: DevEvent[] = [];
  const waiting = new Set<(event: DevEvent) => void>();
  const server = await startDevServer({
    ...devSettings,
    directory: project.directory,
    report: (event) => {
      events.push(event);
      for (const listener of waiting) listener(event);
    },
    ...settings,
  });
  context.after(() => server.close());

  const after: ServedProject['after'] = (expected, change) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`No event ${JSON.stringify(expected)} came, only ${JSON.stringify(events)}.`)),
        maxWait,
      );
      const listener = (event: DevEvent): void => {
        if (!Object.entries(expected).every(([key, value]) => event[key as keyof DevEvent] === value)) return;
        clearTimeout(timer);
        waiting.delete(listener);
        resolve(event);
      };
      waiting.add(listener);
      change().catch(reject);
    });
  return { ...project, server, events, after, address: (name) => `${server.url}${server.prefix}/${name}` };
}

function isProject(files: Readonly<Record<string, string>> | Project): files is Project {
  return typeof files['write'] === 'function';
}
