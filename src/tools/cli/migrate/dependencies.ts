import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { folderOf } from '../project/installed-packages.ts';
import type { Manifest, Versions } from './manifests.ts';
import { rangeIn } from './manifests.ts';
import { lineOf } from './rewrite.ts';
import { packagesOfVersion3 } from './modules.ts';
import { excludesMajor, isBelow } from './versions.ts';
import type { Version } from './versions.ts';

/** Dependencies of Apollo's packages, and the range to write when a file imports one that no package.json lists. */
export const broughtAlong: Readonly<Record<string, string>> = {
  '@graphql-tools/load-files': '^7.0.0',
  '@graphql-tools/merge': '^9.0.0',
  '@graphql-tools/mock': '^9.0.0',
  '@graphql-tools/schema': '^10.0.0',
  '@graphql-tools/utils': '^10.0.0',
  '@graphql-yoga/subscription': '^5.0.0',
  'body-parser': '^1.20.3',
  cors: '^2.8.5',
  express: '^4.21.0',
  'graphql-subscriptions': '^2.0.0',
  'graphql-tag': '^2.12.6',
  'node-fetch': '^2.7.0',
  uuid: '^9.0.0',
};

/** Packages whose older versions do not support graphql 16, and the range that does with the same interface. */
export const tooOldForGraphQL16: readonly (readonly [name: string, firstFit: Version, range: string])[] = [
  ['graphql', { major: 16, minor: 15 }, '^16.15.0'],
  // 2.15 refuses schemas that earlier versions accept, and needs Node 24.
  ['@apollo/subgraph', { major: 0, minor: 3 }, '~2.14.4'],
  ['@graphql-tools/graphql-file-loader', { major: 7, minor: 3 }, '^8.0.0'],
  ['@graphql-tools/load', { major: 7, minor: 4 }, '^8.0.0'],
  ['@graphql-tools/load-files', { major: 6, minor: 5 }, '^7.0.0'],
  ['@graphql-tools/merge', { major: 8, minor: 2 }, '^9.0.0'],
  ['@graphql-tools/mock', { major: 8, minor: 4 }, '^9.0.0'],
  ['@graphql-tools/schema', { major: 8, minor: 3 }, '^10.0.0'],
  ['@graphql-tools/utils', { major: 8, minor: 5 }, '^10.0.0'],
  ['apollo-server-plugin-response-cache', { major: 3, minor: 5 }, '^3.8.2'],
  ['graphql-subscriptions', { major: 2, minor: 0 }, '^2.0.0'],
  ['graphql-tag', { major: 2, minor: 12 }, '^2.12.6'],
  ['graphql-tools', { major: 8, minor: 0 }, '^9.0.0'],
];

/** Findings about packages in package.json that are not compatible with this one, with their replacements. */
export async function findUnfitPackages(manifest: Manifest, directory: string): Promise<string[]> {
  const { file, text } = manifest;
  const finding = (name: string, message: string): string =>
    `  ${relative(directory, file)}:${lineOf(text, text.indexOf(`"${name}"`))}  ${message}`;
  const found: string[] = [];
  if (isBelow(rangeIn(manifest, '@apollo/federation'), { major: 0, minor: 36 }))
    found.push(
      finding(
        '@apollo/federation',
        'This version of @apollo/federation does not support graphql 16. Use subgraph() of graphql-functions/subgraph instead of buildFederatedSchema.',
      ),
    );
  const subgraph = rangeIn(manifest, '@apollo/subgraph');
  if (subgraph !== undefined && /^(?:\^2|>=|\*|latest)/.test(subgraph))
    found.push(
      finding(
        '@apollo/subgraph',
        `@apollo/subgraph ${subgraph} includes 2.15, which needs Node.js 24 and refuses schemas that earlier versions accept. Use ~2.14.4, or check your schema with 2.15.`,
      ),
    );
  const typescript = rangeIn(manifest, 'typescript');
  if (isBelow(typescript, { major: 4, minor: 7 }))
    found.push(finding('typescript', `TypeScript ${typescript} cannot read the types of this package. Use ^5.4.0 or newer.`));
  else if (isBelow(typescript, { major: 5, minor: 4 }) && !(await skipsLibraries(dirname(file))))
    found.push(
      finding('typescript', `TypeScript ${typescript} requires "skipLibCheck": true in tsconfig.json. Set it, or use typescript ^5.4.0.`),
    );
  const types = rangeIn(manifest, '@types/node');
  if (isBelow(types, { major: 22, minor: 0 }))
    found.push(finding('@types/node', `@types/node ${types} lacks types that this package uses. Use ^22.19.0 or newer.`));
  const refusing = await Promise.all(packagesListedIn(manifest).map((name) => findRefusal(name, dirname(file))));
  return [...found, ...refusing.flatMap((one) => (one === undefined ? [] : finding(one.name, one.message)))];
}

/** The packages of a package.json, but those that `migrate` replaces or updates. */
function packagesListedIn({ dependencies, devDependencies }: Manifest): string[] {
  const updated = new Set([...packagesOfVersion3, '@apollo/federation', ...tooOldForGraphQL16.map(([name]) => name)]);
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !updated.has(name));
}

/** A message about an installed package whose peer dependency does not allow graphql 16. */
async function findRefusal(name: string, folder: string): Promise<{ readonly name: string; readonly message: string } | undefined> {
  const installed = folderOf(name, folder);
  if (installed === undefined) return undefined;
  const text = await readFile(join(installed, 'package.json'), 'utf8');
  const { version, peerDependencies } = JSON.parse(text) as { version?: string; peerDependencies?: Versions };
  const range = peerDependencies?.['graphql'];
  if (range === undefined || !excludesMajor(range, 16)) return undefined;
  const message = `${name} ${version} does not support graphql 16: its peer dependency is graphql ${range}. Update or replace it.`;
  return { name, message };
}

async function skipsLibraries(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'tsconfig.json'), 'utf8').catch(() => '');
  // A configuration that this one extends may set it.
  return /"skipLibCheck"\s*:\s*true|"extends"\s*:/.test(text);
}
