import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { migrated } from '../../../../support/migrate/project.ts';

const plain =
  "import { ApolloServer } from 'apollo-server-lambda';\nexport const handler = new ApolloServer({ typeDefs }).createHandler();\n";

test('in a monorepo, the package.json that lists the packages changes: that of the package, or that of the root', async (context) => {
  const { manifest } = await migrated(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0", "graphql": "^15.0.0" } }\n',
    'packages/hoisted/package.json': '{ "name": "hoisted" }\n',
    'packages/hoisted/handler.js': plain,
    'packages/api/package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" } }\n',
    'packages/api/handler.js': plain,
  });

  deepEqual(Object.keys((await manifest()).dependencies!), ['graphql', 'graphql-functions']);
  deepEqual(await manifest('packages/hoisted'), { name: 'hoisted' });
  const { dependencies } = await manifest('packages/api');
  // The root lists graphql, and its version has been raised.
  deepEqual(Object.keys(dependencies!), ['graphql-functions']);
});

test('dependencies of Apollo’s packages are added, and those without support for graphql 16 are updated', async (context) => {
  const { manifest } = await migrated(context, {
    'handler.js': `import gql from 'graphql-tag';\nimport { addMocksToSchema } from '@graphql-tools/mock';\n${plain}`,
    'package.json': JSON.stringify({
      dependencies: {
        '@apollo/federation': '^0.25.0',
        'apollo-server-lambda': '^2.19.0',
        'apollo-server-plugin-response-cache': '^0.6.0',
        graphql: '^15.0.0',
      },
    }),
  });

  const { dependencies } = await manifest();
  deepEqual(Object.keys(dependencies!), [
    '@graphql-tools/mock',
    'apollo-server-plugin-response-cache',
    'graphql',
    'graphql-functions',
    'graphql-tag',
  ]);
  equal(dependencies!['apollo-server-plugin-response-cache'], '^3.8.2');
});

test('createHandler of version 2 and of apollo-server-micro is reported without the option cors', async (context) => {
  const { printed: lambda } = await migrated(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "2.25.0" } }',
    'server.js': "import { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ typeDefs });\n",
    'handler.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ onHealthCheck });\n",
    'set.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ path, cors: { origin } });\n",
  });
  const { printed: micro } = await migrated(context, {
    'package.json': '{ "dependencies": { "apollo-server-micro": "^3.0.0" } }',
    'graphql.js':
      "import { ApolloServer } from 'apollo-server-micro';\nexport default new ApolloServer({ typeDefs }).createHandler({ path: '/api' });\n",
  });
  const { printed: version3 } = await migrated(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" } }',
    'a.js': plain,
  });

  match(lambda, /handler\.js:2 {2}Without the option cors, this server sent no CORS headers/);
  doesNotMatch(lambda, /set\.js/);
  match(micro, /graphql\.js:2 {2}Without the option cors/);
  doesNotMatch(version3, /cors/);
});

test('buildSubgraphSchema stays, and is reported', async (context) => {
  const files = {
    'ours.js':
      "import { buildSubgraphSchema } from '@apollo/subgraph';\nimport { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });\n",
    'mock.js': "const { buildFederatedSchema } = require('@apollo/federation'), x = 1;\n\nconst schema = buildFederatedSchema(modules);\n",
    'package.json': '{ "dependencies": { "@apollo/subgraph": "^2.0.0", "apollo-server-lambda": "^3.0.0", "graphql": "^16.0.0" } }',
  };
  const { printed, read } = await migrated(context, files);

  for (const name of ['ours.js', 'mock.js'] as const) {
    equal(await read(name), files[name].replace('apollo-server-lambda', 'graphql-functions/v3'));
    match(printed, new RegExp(`${name}:3  Write subgraph\\(\\{ typeDefs, resolvers \\}\\) of graphql-functions/subgraph`));
  }
  match(await read('package.json'), /"@apollo\/subgraph"/);
});

test('options without an equivalent are reported: cacheControl of version 2, a gateway, expressAppFromMiddleware', async (context) => {
  const server = (options: string): string =>
    `import { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ typeDefs,\n${options} });\n`;
  const files = {
    'cached.js': server('cacheControl: { defaultMaxAge: 60 }'),
    'gateway.js': server('gateway: new ApolloGateway({ supergraphSdl })'),
    'app.js':
      "import { server } from './cached.js';\nexport const handler = server.createHandler({ cors: {},\nexpressAppFromMiddleware: (one) => one });\n",
  };
  const { printed } = await migrated(context, { ...files, 'package.json': '{ "dependencies": { "apollo-server-lambda": "^2.25.0" } }' });
  const { printed: version3 } = await migrated(context, {
    ...files,
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" } }',
  });

  match(
    printed,
    /cached\.js:3 {2}Version 2 took defaultMaxAge from here: write plugins: \[ApolloServerPluginCacheControl\(\{ defaultMaxAge \}\)\]/,
  );
  match(printed, /gateway\.js:3 {2}A function cannot be a gateway: run a router/);
  match(printed, /app\.js:3 {2}Create the Express app yourself, .* serverless-http/);
  doesNotMatch(version3, /defaultMaxAge/);
});

test('a package that nothing imports any more is removed, and one that does not support graphql 16 is listed', async (context) => {
  const { printed, manifest } = await migrated(context, {
    'a.js': plain,
    'package.json': JSON.stringify({
      dependencies: { '@apollo/federation': '^0.20.0', 'apollo-server-lambda': '^3.0.0', 'type-graphql': '^1.1.1', newer: '^1.0.0' },
    }),
    'node_modules/type-graphql/package.json': '{ "peerDependencies": { "graphql": "^15.3.0" } }',
    'node_modules/newer/package.json': '{ "peerDependencies": { "graphql": "^15.0.0 || ^16.0.0" } }',
  });

  equal((await manifest()).dependencies['@apollo/federation'], undefined);
  match(printed, /package\.json:1 {2}@apollo\/federation is removed/);
  match(printed, /package\.json:1 {2}type-graphql does not support graphql 16: update or replace it/);
  doesNotMatch(printed, /newer/);
});
