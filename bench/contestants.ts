import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { writeCodeCache } from '../src/tools/cli/build/code-cache.ts';
import type { ColdWorkload } from './cold-workload.ts';

/** A server to compare. */
export interface Entry {
  readonly name: string;
  /** In contestants/. */
  readonly file: string;
  readonly graphql: 16 | 17;
}

/** The servers to compare. Each is a separate minified bundle, with the newest version of graphql that it allows. */
export const contestants = [
  { name: 'graphql-functions', file: 'ours', graphql: 17 },
  { name: 'graphql-functions, graphql 16', file: 'ours', graphql: 16 },
  { name: 'bare graphql-js 17', file: 'bare', graphql: 17 },
  { name: 'bare graphql-js 16', file: 'bare', graphql: 16 },
  { name: 'Apollo Server 5', file: 'apollo', graphql: 16 },
  { name: 'GraphQL Yoga 5', file: 'yoga', graphql: 17 },
  { name: 'Mercurius with JIT', file: 'mercurius', graphql: 16 },
  { name: 'graphql-jit', file: 'graphql-jit', graphql: 17 },
  { name: 'no GraphQL', file: 'no-graphql', graphql: 17 },
] as const satisfies readonly Entry[];

/** The servers that take a web `Request`, with the names of the others. */
export const webContestants: readonly Entry[] = [
  { name: 'graphql-functions', file: 'ours-web', graphql: 17 },
  { name: 'bare graphql-js 17', file: 'bare-web', graphql: 17 },
  { name: 'bare graphql-js 16', file: 'bare-web', graphql: 16 },
  { name: 'GraphQL Yoga 5', file: 'yoga-web', graphql: 17 },
];

/** A server to compare in cold starts. */
export interface ColdEntry extends Entry {
  /** Whether V8's code cache is next to the bundle, where `build` writes it. */
  readonly codeCache?: boolean;
}

/** The servers to compare in cold starts. This package also with a code cache. */
export const coldContestants: readonly ColdEntry[] = [
  { name: 'graphql-functions, code cache', file: 'ours', graphql: 17, codeCache: true },
  ...contestants,
];

export type ContestantName = (typeof contestants)[number]['name'];

/** Ratios are to this one. */
export const reference: ContestantName = 'bare graphql-js 17';

export const bundles: string = fileURLToPath(new URL('.bundles/', import.meta.url));

/** Bundles code that imports a contestant: CommonJS, because some peers' dependencies call require. `checkout`: the folder whose build is `graphql-functions`. */
export async function bundle(contestant: Entry, name: string, code: (file: string) => string, checkout = '..'): Promise<string> {
  await mkdir(bundles, { recursive: true });
  const outfile = `${bundles}${name}-${contestant.file}-${contestant.graphql}.cjs`;
  const graphql = fileURLToPath(new URL(`node_modules/graphql${contestant.graphql === 16 ? '-16' : ''}`, import.meta.url));
  await build({
    stdin: {
      contents: code(`./contestants/${contestant.file}.ts`),
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    outfile,
    // As a folder, so that esbuild reads its package.json. `module` first, so that unused code is removed for both majors.
    plugins: [published(resolve(import.meta.dirname, checkout, 'dist/esm')), oneGraphQL(graphql)],
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  return outfile;
}

/** The function that a cold process loads: it exports `handler`. */
export function coldFunction({ typeDefs, resolversCode }: Pick<ColdWorkload, 'typeDefs' | 'resolversCode'>): (path: string) => string {
  return (path) =>
    `import { create } from ${JSON.stringify(path)};
     export const handler = create({ typeDefs: ${JSON.stringify(typeDefs)}, resolvers: ${resolversCode} });`;
}

/** The folder that `build` makes of a function, bundled by it. */
export async function cachedFunction(contestant: Entry, code: (path: string) => string, name: string): Promise<string> {
  await mkdir(bundles, { recursive: true });
  const [file, folder] = [`${bundles}${name}-${contestant.file}.ts`, `${bundles}${name}-${contestant.file}-cached`];
  await writeFile(file, code(`../contestants/${contestant.file}.ts`));
  await writeCodeCache({ file, folder, flags: ['--expose-gc'] });
  return folder;
}

/** The package as it is published: the build makes cold starts cheaper than the sources are. */
function published(dist: string): import('esbuild').Plugin {
  return {
    name: 'published',
    setup({ onResolve }) {
      onResolve({ filter: /^graphql-functions\// }, ({ path }) => ({
        path: `${dist}/${path.slice('graphql-functions/'.length)}.js`,
        sideEffects: false,
      }));
    },
  };
}

/** Every import of graphql, whoever makes it, gets the same copy: two in one bundle would not know each other's types. */
function oneGraphQL(folder: string): import('esbuild').Plugin {
  return {
    name: 'one-graphql',
    setup({ onResolve }) {
      onResolve({ filter: /^graphql(?:\/.*)?$/ }, ({ path }) => ({
        path: moduleIn(folder, path.slice('graphql'.length)),
        sideEffects: false,
      }));
    },
  };
}

/** "" and "/error" are folders, "/execution/execute" and "/execution/execute.js" are files. */
function moduleIn(folder: string, path: string): string {
  const file = `${folder}${path.replace(/\.m?js$/, '')}.mjs`;
  return existsSync(file) && path !== '' ? file : `${folder}${path}/index.mjs`;
}
