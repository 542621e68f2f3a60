import { positionAt } from '../../checks/for-cli.ts';
import type { Note } from './imports.ts';
import { isBelow, rangeIn } from './package-file.ts';
import type { Manifest } from './package-file.ts';

// Changes that the command cannot make. It lists them with file and line.

interface Difference {
  readonly pattern: RegExp;
  readonly message: string;
  /** Default: all. */
  readonly isIn?: (manifests: readonly Manifest[]) => boolean;
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
    pattern: /\bcacheControl\s*:\s*(?!false\b)/g,
    message: 'Version 2 took defaultMaxAge from here: write plugins: [ApolloServerPluginCacheControl({ defaultMaxAge })].',
    isIn: (manifests) =>
      manifests.some(({ versions }) =>
        Object.entries(versions).some(([name, range]) => name.startsWith('apollo-server') && isBelow(range, 3)),
      ),
  },
  {
    pattern: /\bnew ApolloGateway\s*\(/g,
    message: 'A function cannot be a gateway: run a router in front of the subgraphs.',
  },
  {
    pattern: /\bexpressAppFromMiddleware\b/g,
    message: 'Create the Express app yourself, with server.getMiddleware() of graphql-functions/v3/express and serverless-http.',
  },
  {
    pattern: /\b(?:buildSubgraphSchema|buildFederatedSchema)\s*\(/g,
    message: 'Write subgraph({ typeDefs, resolvers }) of graphql-functions/subgraph in place of this schema.',
  },
];

/** Finds the places in a file of code that have to be changed by hand. */
export function findInCode(text: string, manifests: readonly Manifest[]): Note[] {
  return differences.flatMap(({ pattern, message, isIn }) =>
    isIn?.(manifests) === false ? [] : [...text.matchAll(pattern)].map(({ index }) => ({ line: positionAt(text, index).line, message })),
  );
}
