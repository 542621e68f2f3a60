/** How a handler is called. `lambda-rest` is the event of version 2's time. */
export type Caller = 'lambda-rest' | 'lambda' | 'fetch' | 'node';

/** A project as people write them, before the migration. */
export interface ExampleProject {
  readonly files: Readonly<Record<string, string>>;
  /** The file that has the handler; for `node`, the one that is started. */
  readonly entry: string;
  readonly caller: Caller;
  /** The part of test/real/parts.json that has its packages. Undefined: before it is not run. */
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

/** Of versions 2 and 3: with changed imports alone, they answer as before. */
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
    caller: 'lambda-rest',
    part: 'migration-version-2',
  },
  'version 2 with cors': {
    files: {
      'package.json': version2,
      'handler.cjs': `const { ApolloServer, gql } = require('apollo-server-lambda');

const server = new ApolloServer({ typeDefs: gql\`${typeDefs}\`, resolvers: ${resolvers} });
exports.handler = server.createHandler({ cors: { origin: 'https://shop.example', credentials: true } });
`,
    },
    entry: 'handler.cjs',
    caller: 'lambda-rest',
    part: 'migration-version-2',
  },
};

const apollo = manifest({ '@apollo/server': '^5.0.0', '@as-integrations/aws-lambda': '^4.0.0', graphql: '^16.0.0' });
const yoga = manifest({ graphql: '^16.0.0', 'graphql-yoga': '^5.0.0' });
const server = `const typeDefs = \`#graphql
  ${typeDefs}
\`;

const resolvers = ${resolvers};
`;

/** Of Apollo Server 4 and 5 and of Yoga, for --modern. */
export const modernProjects: Readonly<Record<string, ExampleProject>> = {
  'Apollo Server on Lambda': {
    files: {
      'package.json': apollo,
      'handler.js': `import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

${server}
const server = new ApolloServer({ typeDefs, resolvers });

export const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler(), {
  context: async ({ event }) => ({ user: event.headers['x-user'] }),
});
`,
    },
    entry: 'handler.js',
    caller: 'lambda',
    part: 'other-servers',
  },
  'Apollo Server in two files': {
    files: {
      'package.json': apollo,
      'src/server.ts': `import { ApolloServer } from '@apollo/server';

export interface MyContext {
  user: string | undefined;
}

${server.replace('(_, { name })', '(_: unknown, { name }: { name?: string })')}
export const server = new ApolloServer<MyContext>({
  typeDefs,
  resolvers,
});
`,
      'src/handler.ts': `import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

import { server } from './server.ts';

export const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler(), {
  context: async ({ event }) => ({ user: event.headers['x-user'] }),
});
`,
    },
    entry: 'src/handler.ts',
    caller: 'lambda',
    part: 'other-servers',
  },
  'Apollo Server, standalone': {
    files: {
      'package.json': apollo,
      'index.js': `import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

${server}
const server = new ApolloServer({ typeDefs, resolvers });

const { url } = await startStandaloneServer(server, {
  context: async ({ req }) => ({ token: req.headers.token }),
  listen: { port: Number(process.env.PORT) },
});

console.log(\`Server ready at \${url}\`);
`,
    },
    entry: 'index.js',
    caller: 'node',
    part: 'other-servers',
  },
  'Apollo Server in a route of Next.js': {
    files: {
      'package.json': manifest({ '@apollo/server': '^5.0.0', '@as-integrations/next': '^4.0.0', graphql: '^16.0.0', next: '^16.0.0' }),
      'app/api/graphql/route.js': `import { ApolloServer } from '@apollo/server';
import { startServerAndCreateNextHandler } from '@as-integrations/next';

${server}
const server = new ApolloServer({ typeDefs, resolvers });

const handler = startServerAndCreateNextHandler(server, { context: async req => ({ user: req.headers.get('x-user') }) });

export { handler as GET, handler as POST };
`,
    },
    entry: 'app/api/graphql/route.js',
    caller: 'fetch',
    part: undefined,
  },
  'Apollo Server with a page for browsers': {
    files: {
      'package.json': apollo,
      'handler.js': `import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

${server}
const server = new ApolloServer({
  typeDefs,
  resolvers,
  introspection: true,
  allowBatchedHttpRequests: true,
  plugins: [ApolloServerPluginLandingPageLocalDefault()],
});

export const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler());
`,
    },
    entry: 'handler.js',
    caller: 'lambda',
    part: 'other-servers',
  },
  'Apollo Server in Express': {
    files: {
      'package.json': apollo,
      'index.js': `import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';

${server}
const app = express();
const server = new ApolloServer({ typeDefs, resolvers });
await server.start();
app.use('/graphql', express.json(), expressMiddleware(server));
app.listen(Number(process.env.PORT));
`,
    },
    entry: 'index.js',
    caller: 'node',
    part: undefined,
  },
  'Yoga in fetch of a Worker': {
    files: {
      'package.json': yoga,
      'worker.js': `import { createSchema, createYoga } from 'graphql-yoga';

${server}
const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  context: ({ request }) => ({ path: new URL(request.url).pathname }),
});

export default {
  fetch(request, env, ctx) {
    return yoga(request, ctx);
  },
};
`,
    },
    entry: 'worker.js',
    caller: 'fetch',
    part: 'other-servers',
  },
  'Yoga, made inside fetch': {
    files: {
      'package.json': yoga,
      'worker.js': `import { createSchema, createYoga } from 'graphql-yoga';

${server}
export default {
  async fetch(request, env, ctx) {
    const yoga = createYoga({
      schema: createSchema({ typeDefs, resolvers }),
      landingPage: false,
    });
    return yoga.fetch(request, env, ctx);
  },
};
`,
    },
    entry: 'worker.js',
    caller: 'fetch',
    part: 'other-servers',
  },
  'Yoga on node:http, its schema in another file': {
    files: {
      'package.json': yoga,
      'index.js': `import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { schema } from './schema.js';

const yoga = createYoga({ schema });
const server = createServer(yoga);

server.listen(Number(process.env.PORT), () => {
  console.log('Server is running');
});
`,
      'schema.js': `import { createSchema } from 'graphql-yoga';

${server}
export const schema = createSchema({ typeDefs, resolvers });
`,
    },
    entry: 'index.js',
    caller: 'node',
    part: 'other-servers',
  },
  'Yoga with createPubSub and resolvers in another file': {
    files: {
      'package.json': yoga,
      'worker.js': `import { createSchema, createYoga } from 'graphql-yoga';
import { resolvers, typeDefs } from './resolvers.js';

const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }) });

export default yoga;
`,
      'resolvers.js': `import { createPubSub } from 'graphql-yoga';

const pubSub = createPubSub();

${server.replace('const typeDefs', 'export const typeDefs').replace('const resolvers', 'export const resolvers').replace('fail: String }', 'fail: String } type Subscription { hellos: String }').replace('\n}', '\n  Subscription: { hellos: { subscribe: () => pubSub.subscribe("hellos"), resolve: (payload) => payload } },\n}')}`,
    },
    entry: 'worker.js',
    caller: 'fetch',
    part: 'other-servers',
  },
  'Yoga in a route of Next.js': {
    files: {
      'package.json': yoga,
      'app/api/graphql/route.js': `import { createSchema, createYoga } from 'graphql-yoga';

${server}
const { handleRequest } = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  graphqlEndpoint: '/graphql',
  fetchAPI: { Response },
});

export { handleRequest as GET, handleRequest as POST, handleRequest as OPTIONS };
`,
    },
    entry: 'app/api/graphql/route.js',
    caller: 'fetch',
    part: 'other-servers',
  },
  'Yoga with plugins': {
    files: {
      'package.json': yoga,
      'worker.js': `import { createSchema, createYoga } from 'graphql-yoga';
import { useResponseCache } from '@graphql-yoga/plugin-response-cache';

${server}
const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  plugins: [useResponseCache({ session: () => null })],
});

export default yoga;
`,
    },
    entry: 'worker.js',
    caller: 'fetch',
    part: undefined,
  },
};
