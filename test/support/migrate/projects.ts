/** How a handler is called. `lambda-rest` is the event of the time of version 2. */
export type Caller = 'lambda-rest' | 'lambda' | 'fetch' | 'node';

/** A typical project, before the migration. */
export interface ExampleProject {
  readonly files: Readonly<Record<string, string>>;
  /** The file of the handler; for `node`, the file to start. */
  readonly entry: string;
  readonly caller: Caller;
  /** What the command asks to change by hand in that file, before and after. */
  readonly byHand?: readonly (readonly [before: string, after: string])[];
  /** The part of test/support/real/parts.json that has its packages. Undefined: it does not run before the migration. */
  readonly part: string | undefined;
}

const manifest = (dependencies: object, devDependencies: object = {}): string =>
  `${JSON.stringify({ name: 'shop', type: 'module', dependencies, devDependencies }, null, 2)}\n`;

const version3 = manifest({ 'apollo-server-lambda': '^3.13.0', graphql: '^16.0.0' });
const version2 = manifest({ 'apollo-server-lambda': '^2.26.0', graphql: '^15.8.0' });

const typeDefs = 'type Query { hello(name: String): String fail: String }';
const resolvers = `{
  Query: {
    hello: (_, { name }) => 'Hello, ' + (name ?? 'world'),
    fail: () => {
      throw new Error('broken');
    },
  },
}`;

/** Projects of versions 2 and 3, which give the same answers with only their imports changed. */
export const importProjects: Readonly<Record<string, ExampleProject>> = {
  'monorepo with no package.json at its root': {
    files: {
      'packages/api/package.json': version3,
      'packages/api/src/handler.js': `import { ApolloServer } from 'apollo-server-lambda';
import { resolvers, typeDefs } from './schema.js';

const server = new ApolloServer({ typeDefs, resolvers });
export const handler = server.createHandler();
`,
      'packages/api/src/schema.js': `import gql from 'graphql-tag';

export const typeDefs = gql\`${typeDefs}\`;
export const resolvers = ${resolvers};
`,
      'packages/web/package.json': manifest({ react: '^18.0.0' }),
    },
    entry: 'packages/api/src/handler.js',
    caller: 'lambda',
    part: 'migration-version-3',
  },
  'plain JavaScript': {
    files: {
      'package.json': manifest({ 'apollo-server-lambda': '^3.13.0', graphql: '^16.0.0' }).replace('"type": "module",', '"private": true,'),
      'handler.cjs': `const { ApolloServer, gql } = require('apollo-server-lambda');

const typeDefs = gql\`${typeDefs}\`;
const resolvers = ${resolvers};
const server = new ApolloServer({ typeDefs, resolvers });

exports.handler = server.createHandler();
`,
    },
    entry: 'handler.cjs',
    caller: 'lambda',
    part: 'migration-version-3',
  },
  'TypeScript 4.9': {
    files: {
      'package.json': manifest({ 'apollo-server-lambda': '^3.13.0', graphql: '^15.8.0' }, { typescript: '^4.9.5' }),
      'handler.ts': `import { ApolloServer, gql } from 'apollo-server-lambda';
import type { LambdaContextFunctionParams } from 'apollo-server-lambda/dist/ApolloServer';

const context = ({ event }: LambdaContextFunctionParams) => ({ user: event.headers['x-user'] as string });
const resolvers = {
  Query: {
    hello: (_: unknown, { name }: { name?: string }) => 'Hello, ' + (name ?? 'world'),
    fail: () => {
      throw new Error('broken');
    },
  },
};
export const handler = new ApolloServer({ typeDefs: gql\`${typeDefs}\`, context, resolvers }).createHandler();
`,
    },
    entry: 'handler.ts',
    caller: 'lambda',
    part: 'migration-version-3',
  },
  subgraph: {
    files: {
      'package.json': manifest({ '@apollo/subgraph': '^0.1.0', 'apollo-server-lambda': '^3.0.0', graphql: '^15.8.0' }),
      'handler.js': `import { buildSubgraphSchema } from '@apollo/subgraph';
import { ApolloServer, gql } from 'apollo-server-lambda';

const server = new ApolloServer({ schema: buildSubgraphSchema([{ typeDefs: gql\`${typeDefs}\`, resolvers: ${resolvers} }]) });
export const handler = server.createHandler();
`,
    },
    entry: 'handler.js',
    caller: 'lambda',
    part: 'migration-version-3',
  },
  'version 2 without cors': {
    files: {
      'package.json': version2,
      'handler.cjs': `const { ApolloServer, gql } = require('apollo-server-lambda');

const server = new ApolloServer({ typeDefs: gql\`${typeDefs}\`, resolvers: ${resolvers}, uploads: false });
exports.handler = server.createHandler();
`,
    },
    entry: 'handler.cjs',
    byHand: [['createHandler()', 'createHandler({ cors: {} })']],
    caller: 'lambda-rest',
    part: 'migration-version-2',
  },
  'version 2 with the graphql-tools that it depends on, and the response cache': {
    files: {
      'package.json': manifest({
        'apollo-server-lambda': '^2.26.0',
        'apollo-server-plugin-response-cache': '^0.9.0',
        graphql: '^15.8.0',
      }).replace('"type": "module",', '"engines": { "node": "12.x" },'),
      'src/schema.js': `const { makeExecutableSchema } = require('graphql-tools');

module.exports = makeExecutableSchema({ typeDefs: \`${typeDefs}\`, resolvers: ${resolvers} });
`,
      'src/handler.js': `const { ApolloServer } = require('apollo-server-lambda');
const responseCachePlugin = require('apollo-server-plugin-response-cache');
const schema = require('./schema');

const server = new ApolloServer({ schema, plugins: [responseCachePlugin()] });
exports.handler = server.createHandler();
`,
    },
    entry: 'src/handler.js',
    byHand: [
      ["response-cache')", "response-cache').default"],
      ['createHandler()', 'createHandler({ cors: {} })'],
    ],
    caller: 'lambda-rest',
    part: 'migration-version-2',
  },
  mocks: {
    files: {
      'package.json': version3,
      'handler.js': `import { ApolloServer } from 'apollo-server-lambda';

const mocks = { String: () => 'a word' };

export const handler = new ApolloServer({ typeDefs: \`${typeDefs}\`, mocks }).createHandler();
`,
    },
    entry: 'handler.js',
    caller: 'lambda',
    part: 'migration-version-3',
  },
};
