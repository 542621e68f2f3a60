import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { codeBlocks } from '../../support/markdown.ts';
import { writeFiles } from '../../support/write-files.ts';
import { runTypeScript } from '../../support/run-typescript.ts';
import { partNamed } from '../../support/real/parts.ts';

const root = join(import.meta.dirname, '../../..');

/** Anything with the `fetch` of a handler. */
export interface Fetching {
  fetch(request: Request): Promise<Response>;
}

/** A project with the files that a page shows, the real packages, and this package as it is published. */
export interface RecipeProject {
  readonly folder: string;
  import(file: string): Promise<Record<string, unknown>>;
  /** The type errors, with the compiler options of docs/getting-started.md. */
  compile(): Promise<string>;
  remove(): Promise<void>;
}

/** Writes the blocks of a page that name the part, and a folder of docs/examples, into a folder below the part's packages. */
export async function writeRecipes(page: string, part: string, example?: string): Promise<RecipeProject> {
  const { folder: packages } = partNamed(part);
  const folder = await mkdtemp(join(packages, 'project-'));
  if (example !== undefined) await cp(join(root, 'docs/examples', example), folder, { recursive: true });
  const blocks = codeBlocks(await readFile(join(root, page), 'utf8'));
  const own = blocks.filter(({ notes }) => notes['part'] === part && notes['file'] !== undefined);
  const files = Object.fromEntries(own.map(({ notes, text }) => [notes['file'], text]));
  await writeFiles(folder, { ...files, 'package.json': '{ "private": true, "type": "module" }' });
  await installThisPackage(folder);
  if (!existsSync(join(folder, 'tsconfig.json')))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, exclude: ['node_modules'] }));
  return {
    folder,
    import: (file) => import(pathToFileURL(join(folder, file)).href) as Promise<Record<string, unknown>>,
    compile: async () => (await runTypeScript(folder)).join('\n'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Copies the package, because a link would resolve to the graphql of this checkout instead of that of the part. */
async function installThisPackage(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/graphql-functions');
  await mkdir(target, { recursive: true });
  await cp(join(root, 'dist'), join(target, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(target, 'package.json'));
  await mkdir(join(folder, 'node_modules/@types'));
  await symlink(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
}

const compilerOptions = {
  strict: true,
  target: 'es2023',
  module: 'nodenext',
  noEmit: true,
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  types: ['node'],
};

const ada = { 'x-user': 'ada' };

/** The answer of a handler to an operation of the user ada, or of the user that the headers name. */
export async function ask(handler: unknown, query: string, headers: Record<string, string> = ada): Promise<unknown> {
  const request = new Request('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  const response = await (handler as Fetching).fetch(request);
  return response.json();
}
