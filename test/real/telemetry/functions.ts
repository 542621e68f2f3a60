import { join } from 'node:path';

import { build } from 'esbuild';

import { partNamed } from '../../support/real/parts.ts';

const root = join(import.meta.dirname, '../../..');

/** Options of createHandler: a query that calls two data sources, a mutation, and an error. */
export const options = `
  typeDefs: 'type Query { two: String broken: String } type Mutation { add: String }',
  dataSources: () => ({ a: new A(), b: new B() }),
  resolvers: {
    Query: {
      two: async (_, __, { dataSources: { a, b } }) => { await Promise.all([a.get('x'), b.get('y')]); return 'two'; },
      broken: () => { throw new Error('the password is 1234'); },
    },
    Mutation: { add: () => 'added' },
  },
`;
export const classes = `
  class A extends RESTDataSource { baseURL = process.env.COLLECTOR + '/'; memoizeGetRequests = false; }
  class B extends A {}
`;

/** The settings for bundling a function. */
interface Bundling {
  /** The part whose packages it imports. */
  readonly part: string;
  readonly outfile: string;
  /** Packages that a layer provides. */
  readonly external?: readonly string[];
}

/** Bundles a function into one file with the packages of the part and this package as it is built. */
export async function bundleFunction(contents: string, { part, outfile, external = [] }: Bundling): Promise<void> {
  await build({
    stdin: { contents, resolveDir: partNamed(part).folder },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    logLevel: 'warning',
    tsconfigRaw: {},
    external: [...external],
    alias: {
      graphql: join(root, 'node_modules/graphql'),
      'graphql-functions/opentelemetry': join(root, 'dist/esm/opentelemetry.js'),
      'graphql-functions/cost-line': join(root, 'dist/esm/cost-line.js'),
      'graphql-functions': join(root, 'dist/esm/index.js'),
    },
  });
}
