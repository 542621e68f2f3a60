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

/** Servers that cannot be migrated by changing imports alone, and where a page of this package tells how. */
const otherServers: readonly (readonly [server: string, pattern: RegExp, page: string, section: string])[] = [
  ['Apollo Server 4 or 5', /['"]@(?:apollo\/(?:server|datasource-rest)|as-integrations\/)/, 'migration.md', 'From Apollo Server 4 and 5'],
  ['GraphQL Yoga', /['"]graphql-yoga['"]/, 'migration.md', 'From GraphQL Yoga'],
  ['graphql-http or express-graphql', /['"](?:graphql-http|express-graphql)\b/, 'migration.md', 'From graphql-http'],
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
