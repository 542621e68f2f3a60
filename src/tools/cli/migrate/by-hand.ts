import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { lineOf } from './imports.ts';
import type { Note } from './imports.ts';
import { isBelow, rangeIn } from './package-file.ts';
import type { Manifest } from './package-file.ts';

// What the command cannot change, and lists with file and line.

interface Difference {
  readonly pattern: RegExp;
  readonly message: string;
  readonly isIn: (manifests: readonly Manifest[]) => boolean;
}

/** Code that behaves differently here, and the projects in which it does. */
const differences: readonly Difference[] = [
  {
    // Version 2 treated true and false as an empty object.
    pattern: /\.createHandler\((?!\s*\{[^;]{0,400}\bcors\s*:(?!\s*(?:true|false)\b))/g,
    message: 'Without the option cors, this server sent no CORS headers, but the new one allows every origin: write cors: {} to send none.',
    isIn: (manifests) =>
      ['apollo-server-lambda', 'apollo-server-cloud-functions'].some((name) => isBelow(rangeIn(manifests, name), 3)) ||
      ['apollo-server-micro', '@saeris/apollo-server-vercel'].some((name) => rangeIn(manifests, name) !== undefined),
  },
  {
    pattern: /(?<!\}\s*=\s*)\brequire\(\s*['"]apollo-server-plugin-response-cache['"]\s*\)(?!\s*\.default)/g,
    message: "The new version exports the plugin as default: write require('apollo-server-plugin-response-cache').default.",
    isIn: (manifests) => isBelow(rangeIn(manifests, 'apollo-server-plugin-response-cache'), 3),
  },
  {
    pattern: /\b(?:buildSubgraphSchema|buildFederatedSchema)\s*\(/g,
    message: 'Write subgraph({ typeDefs, resolvers }) of graphql-functions/subgraph in place of this schema.',
    isIn: () => true,
  },
];

/** What has to be changed by hand in a file of code. */
export function findInCode(text: string, manifests: readonly Manifest[]): Note[] {
  return differences.flatMap(({ pattern, message, isIn }) =>
    isIn(manifests) ? [...text.matchAll(pattern)].map(({ index }) => ({ line: lineOf(text, index), message })) : [],
  );
}

/** Packages that do not work with this one below a version, and what to write. */
const unfit: readonly (readonly [name: string, major: number, minor: number, advice: string])[] = [
  ['@apollo/federation', 0, 36, 'Use subgraph() of graphql-functions/subgraph instead of buildFederatedSchema.'],
  ['typescript', 5, 4, 'Use ^5.4.0 or newer, or at least 4.7 with "skipLibCheck": true in tsconfig.json.'],
  ['@types/node', 22, 0, 'Use ^22.19.0 or newer.'],
];

/** The packages of a package.json that have to be updated by hand. */
export function findUnfitPackages({ text, versions }: Manifest): Note[] {
  return unfit.flatMap(([name, major, minor, advice]) => {
    if (!isBelow(versions[name], major, minor)) return [];
    return {
      line: lineOf(text, text.indexOf(`"${name}"`)),
      message: `${name} ${versions[name]} does not work with this package. ${advice}`,
    };
  });
}

/** Settings that name a Node.js version: of a platform, Netlify, nvm, and package.json. */
const settingsFiles =
  'serverless.yml serverless.yaml serverless.json serverless.ts template.yaml template.yml samconfig.toml netlify.toml .nvmrc .node-version package.json';
const oldNode =
  /\bnodejs(?:\d|1\d|2[01])(?:\.x|\b)|\bNODE_VERSION\s*=\s*"v?(?:\d|1\d|2[01])\b[\d.]*"|^v?(?:\d|1\d|2[01])(?:\.[\d.]*)?\s*$|\bnode@?(?:1\d|2[01])\b|"node":\s*"(?![^"]*(?:\b2[2-9]\b|>=?[\sv]*[\d.x]+\s*["|]))[^"]*\d[^"]*"/gm;

/** The settings of a folder with a version of Node.js that is too old. */
export function findOldNode(folder: string, directory: string): string[] {
  return settingsFiles.split(' ').flatMap((name) => {
    const file = join(folder, name);
    const text = readIfPresent(file);
    return [...text.matchAll(oldNode)].map(
      ({ 0: found, index }) =>
        `${relative(directory, file)}:${lineOf(text, index)}  ${found.trim()} is too old: this package requires Node.js 22.19 or newer. Use 24.`,
    );
  });
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Servers that cannot be migrated by changing imports alone, and where a page of this package tells how. */
const otherServers: readonly (readonly [server: string, pattern: RegExp, page: string, section: string])[] = [
  [
    'Apollo Server 4 or 5',
    /['"]@(?:apollo\/(?:server|datasource-rest)|as-integrations\/)/,
    'migration-servers.md',
    'From Apollo Server 4 and 5',
  ],
  ['GraphQL Yoga', /['"]graphql-yoga['"]/, 'migration-servers.md', 'From GraphQL Yoga'],
  ['graphql-http or express-graphql', /['"](?:graphql-http|express-graphql)\b/, 'migration-servers.md', 'From graphql-http'],
  ['Mercurius', /['"]mercurius['"]/, 'platforms.md', 'In your own server'],
];

/** Counts the files that use other servers. `pageOf` gives the path of a page. */
export function findOtherServers(texts: readonly string[], pageOf: (name: string) => string): string[] {
  return otherServers.flatMap(([server, pattern, page, section]) => {
    const { length } = texts.filter((text) => pattern.test(text));
    if (length === 0) return [];
    const files = length === 1 ? `1 file uses ${server} and was` : `${length} files use ${server} and were`;
    return `${files} left unchanged: see ${pageOf(page)}, "${section}".`;
  });
}
