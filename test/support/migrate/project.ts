import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { runMigrate } from '../../../src/tools/cli/migrate/migrate.ts';
import { createProject, linkPackage } from '../functions-project.ts';
import type { Project } from '../functions-project.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

interface Settings {
  readonly paths?: string[];
  readonly isDryRun?: boolean;
}

/** The output of the command, as one text. */
export async function migrate(project: Pick<Project, 'directory'>, settings: Settings = {}): Promise<string> {
  const printed: string[] = [];
  const terminal = { log: (line: string) => printed.push(line), error: (line: string) => printed.push(line) };
  await runMigrate({ name: 'migrate', paths: ['.'], isDryRun: false, ...settings }, project.directory, terminal as never);
  return printed.join('\n');
}

export async function projectWith(context: TestContext, files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await createProject(context, files);
  await linkPackage(project, 'graphql');
  await mkdir(join(project.directory, 'node_modules/@graphql-tools'), { recursive: true });
  await symlink(join(root, 'node_modules/@graphql-tools/schema'), join(project.directory, 'node_modules/@graphql-tools/schema'));
  return project;
}

/** A project after the command. */
export interface Migrated {
  readonly directory: string;
  readonly printed: string;
  /** The text of a file. */
  read(path: string): Promise<string>;
  /** A package.json. Default: that of the root. */
  manifest(folder?: string): Promise<any>;
}

/** Runs the command on a project with these files. */
export async function migrated(context: TestContext, files: Readonly<Record<string, string>>, settings: Settings = {}): Promise<Migrated> {
  const { directory } = await projectWith(context, files);
  const printed = await migrate({ directory }, settings);
  const read = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
  return { directory, printed, read, manifest: async (folder = '.') => JSON.parse(await read(`${folder}/package.json`)) };
}

/** Calls the handler of each file, in one process. */
export async function answersOf({ directory }: Migrated, files: readonly string[]): Promise<Record<string, unknown>> {
  const program = `
    const event = { version: '2.0', rawPath: '/', rawQueryString: '', headers: { 'content-type': 'application/json' }, requestContext: { http: { method: 'POST', path: '/' } }, body: '{"query":"{ hello }"}' };
    const answers = {};
    for (const file of ${JSON.stringify(files)}) {
      try {
        const module = await import(new URL(file, 'file://${directory}/'));
        const handler = module.handler ?? module.default.handler ?? module.default;
        const { body } = await handler(event, { functionName: 'f' });
        answers[file] = JSON.parse(body).data?.hello ?? body;
      } catch (error) { answers[file] = String(error.stack); }
    }
    process.stdout.write('\\n' + JSON.stringify(answers));`;
  const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    cwd: directory,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(stdout.split('\n').at(-1)!) as Record<string, unknown>;
}
