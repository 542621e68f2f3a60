import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import type { Manifest } from './manifests.ts';
import { rangeIn } from './manifests.ts';
import { lineOf } from './rewrite.ts';
import { isBelow } from './versions.ts';
import type { Version } from './versions.ts';

/** Dependencies of Apollo's packages, and the range to write when a file imports one that no package.json lists. */
export const broughtAlong: Readonly<Record<string, string>> = {
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
  ['@apollo/subgraph', { major: 0, minor: 3 }, '^2.0.0'],
  ['@graphql-tools/schema', { major: 8, minor: 3 }, '^10.0.0'],
  ['apollo-server-plugin-response-cache', { major: 3, minor: 5 }, '^3.8.2'],
  ['graphql-subscriptions', { major: 2, minor: 0 }, '^2.0.0'],
  ['graphql-tag', { major: 2, minor: 12 }, '^2.12.6'],
];

/** Findings about packages in package.json that are not compatible with this one, with their replacements. */
export async function findUnfitPackages(manifest: Manifest, directory: string): Promise<string[]> {
  const { file, text } = manifest;
  const name = relative(directory, file);
  const at = (key: string): number => lineOf(text, text.indexOf(`"${key}"`));
  const lines: string[] = [];
  if (isBelow(rangeIn(manifest, '@apollo/federation'), { major: 0, minor: 36 }))
    lines.push(
      `  ${name}:${at('@apollo/federation')}  This version of @apollo/federation does not support graphql 16. ` +
        'Use @apollo/subgraph ^2.0.0, and buildSubgraphSchema instead of buildFederatedSchema.',
    );
  const typescript = rangeIn(manifest, 'typescript');
  if (isBelow(typescript, { major: 4, minor: 7 }))
    lines.push(`  ${name}:${at('typescript')}  TypeScript ${typescript} cannot read the types of this package. Use ^5.4.0 or newer.`);
  else if (isBelow(typescript, { major: 5, minor: 4 }) && !(await skipsLibraries(dirname(file))))
    lines.push(
      `  ${name}:${at('typescript')}  TypeScript ${typescript} requires "skipLibCheck": true in tsconfig.json. Set it, or use typescript ^5.4.0.`,
    );
  return lines;
}

async function skipsLibraries(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'tsconfig.json'), 'utf8').catch(() => '');
  // A configuration that this one extends may set it.
  return /"skipLibCheck"\s*:\s*true|"extends"\s*:/.test(text);
}
