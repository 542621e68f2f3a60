import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { runTypeScript } from './run-typescript.ts';
import { writeFiles } from './write-files.ts';

const root = join(import.meta.dirname, '../..');

/** A project with the package installed from its tarball. */
export interface InstalledProject {
  readonly folder: string;
  /** Runs a program text with Node. Resolves to its output, rejects with its error output. */
  run(program: string, options?: { readonly flags?: readonly string[]; readonly type?: 'module' | 'commonjs' }): Promise<string>;
  /** Compiles files with tsc. Resolves to its error messages. */
  compile(files: Readonly<Record<string, string>>, compilerOptions: Readonly<Record<string, unknown>>): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Installs the packed package without the network. Next to it are only its declared dependencies, graphql, and the peer of one of its
 * entries, as links to the packages of this project.
 */
export async function installPackedPackage(): Promise<InstalledProject> {
  const folder = await mkdtemp(join(tmpdir(), 'graphql-functions-packed-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'graphql-functions'), { recursive: true });
  const { tarball } = await packPackage();
  await execute('tar', ['-xzf', tarball, '-C', join(modules, 'graphql-functions'), '--strip-components=1'], root);
  await Promise.all([...(await declared()), 'graphql', '@opentelemetry/api', '@types/node'].map((name) => link(modules, name)));
  return {
    folder,
    run: (program, { flags = [], type = 'module' } = {}) =>
      execute(process.execPath, ['--no-warnings', ...flags, `--input-type=${type}`, '--eval', program], folder),
    compile: (files, compilerOptions) => compile(folder, files, compilerOptions),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The output of `npm pack` after `npm run build`. */
export interface PackedPackage {
  readonly tarball: string;
  /** The paths of its files. */
  readonly files: readonly string[];
}

let packed: Promise<PackedPackage> | undefined;

/** Packs once for all tests of a process, because npm takes 2.5 s of CPU. */
export function packPackage(): Promise<PackedPackage> {
  return (packed ??= pack());
}

async function pack(): Promise<PackedPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'graphql-functions-tarball-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const output = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename, files }] = JSON.parse(output) as [{ readonly filename: string; readonly files: readonly { readonly path: string }[] }];
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

async function declared(): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  return Object.keys(dependencies);
}

async function link(modules: string, name: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(join(root, 'node_modules', name), join(modules, name), 'dir');
}

let compilations = 0;

async function compile(
  folder: string,
  files: Readonly<Record<string, string>>,
  compilerOptions: Readonly<Record<string, unknown>>,
): Promise<string> {
  const project = join(folder, `compiled-${++compilations}`);
  const settings = { compilerOptions: { noEmit: true, ...compilerOptions }, include: ['.'] };
  await writeFiles(project, { ...files, 'tsconfig.json': JSON.stringify(settings) });
  return (await runTypeScript(project)).join('\n');
}

async function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
  return (await promisify(execFile)(command, [...args], { cwd, maxBuffer: 32 * 1024 * 1024 })).stdout;
}
