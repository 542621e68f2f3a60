import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { migrate, projectWith } from './project.ts';
import { importProjects } from './projects.ts';

for (const [name, { files }] of Object.entries(importProjects)) {
  test(`a project changes as a whole: ${name}`, async (context) => {
    const project = await projectWith(context, files);

    const printed = await migrate(project);

    for (const file of Object.keys(files)) {
      const text = await readFile(join(project.directory, file), 'utf8');
      doesNotMatch(text, /apollo-server(?!-plugin-response-cache)/, printed);
      doesNotMatch(text, /\n\n\n/);
    }
  });
}

const plain =
  "import { ApolloServer } from 'apollo-server-lambda';\nexport const handler = new ApolloServer({ typeDefs }).createHandler();\n";

async function manifestOf(directory: string): Promise<{ dependencies?: Record<string, string>; devDependencies?: Record<string, string> }> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as object;
}

test('in a monorepo, the package.json that lists the packages changes: that of the package, or that of the root', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0", "graphql": "^15.0.0" } }\n',
    'packages/hoisted/package.json': '{ "name": "hoisted" }\n',
    'packages/hoisted/handler.js': plain,
    'packages/api/package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" } }\n',
    'packages/api/handler.js': plain,
  });

  await migrate(project);

  deepEqual(Object.keys((await manifestOf(project.directory)).dependencies!), ['graphql', 'graphql-functions']);
  deepEqual(await manifestOf(join(project.directory, 'packages/hoisted')), { name: 'hoisted' });
  const { dependencies } = await manifestOf(join(project.directory, 'packages/api'));
  // The root lists graphql, and its version has been raised.
  deepEqual(Object.keys(dependencies!), ['graphql-functions']);
});

test('dependencies of Apollo’s packages are added, and those without support for graphql 16 are updated or reported', async (context) => {
  const project = await projectWith(context, {
    'handler.js': `import gql from 'graphql-tag';\nimport { addMocksToSchema } from '@graphql-tools/mock';\n${plain}`,
    'package.json': JSON.stringify({
      dependencies: {
        '@apollo/federation': '^0.25.0',
        'apollo-server-lambda': '^2.19.0',
        'apollo-server-plugin-response-cache': '^0.6.0',
        graphql: '^15.0.0',
      },
      devDependencies: { typescript: '~4.5.2' },
    }),
  });

  const printed = await migrate(project);

  const { dependencies } = await manifestOf(project.directory);
  deepEqual(Object.keys(dependencies!), [
    '@apollo/federation',
    '@graphql-tools/mock',
    'apollo-server-plugin-response-cache',
    'graphql',
    'graphql-functions',
    'graphql-tag',
  ]);
  equal(dependencies!['apollo-server-plugin-response-cache'], '^3.8.2');
  match(
    printed,
    /package\.json:1 {2}This version of @apollo\/federation does not support graphql 16\. Use subgraph\(\) of graphql-functions\/subgraph/,
  );
  match(printed, /package\.json:1 {2}TypeScript ~4\.5\.2 cannot read the types of this package\. Use \^5\.4\.0 or newer\./);
});

test('TypeScript below 5.4 needs skipLibCheck, and is reported without it', async (context) => {
  const files = { 'a.js': plain, 'package.json': '{ "devDependencies": { "typescript": "5.3.3" } }' };

  const without = await migrate(await projectWith(context, files));
  const skipping = await migrate(
    await projectWith(context, { ...files, 'tsconfig.json': '{ "compilerOptions": { "skipLibCheck": true } }' }),
  );

  match(without, /package\.json:1 {2}TypeScript 5\.3\.3 requires "skipLibCheck": true/);
  doesNotMatch(skipping, /skipLibCheck": true in/);
});

test('version 2’s createHandler gets cors: {} beside its other options, and options from elsewhere are reported', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "2.25.0" } }',
    'server.js': "import { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ typeDefs });\n",
    'handler.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ onHealthCheck });\n",
    'off.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ cors: false });\n",
    'other.js':
      "import { server } from './server.js';\nimport { options } from './options.js';\nexport const handler = server.createHandler(options);\n",
  });

  const printed = await migrate(project);

  match(await readFile(join(project.directory, 'handler.js'), 'utf8'), /createHandler\(\{ cors: \{\}, onHealthCheck \}\)/);
  match(await readFile(join(project.directory, 'off.js'), 'utf8'), /createHandler\(\{ cors: \{\} \}\)/);
  match(printed, /other\.js:3 {2}Without the option cors, this server sent no CORS headers/);
});

test('createHandler of apollo-server-micro gets cors: {}, because it left CORS headers to the host', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-micro": "^3.0.0" } }',
    'graphql.js':
      "import { ApolloServer } from 'apollo-server-micro';\nexport default new ApolloServer({ typeDefs }).createHandler({ path: '/api' });\n",
  });

  await migrate(project);

  match(await readFile(join(project.directory, 'graphql.js'), 'utf8'), /createHandler\(\{ cors: \{\}, path: '\/api' \}\)/);
});

test('the option uploads is suggested if the schema has the scalar, also in a schema file', async (context) => {
  const handler = plain.replace('{ typeDefs }', '{ typeDefs, uploads: { maxFiles: 1 } }');
  const withScalar = { 'a.js': handler, 'schema/a.graphql': 'type Mutation { put(file: Upload!): Int }' };

  match(await migrate(await projectWith(context, withScalar)), /a\.js:2 {2}The schema uses the scalar Upload.*docs\/uploads\.md/);
  doesNotMatch(await migrate(await projectWith(context, { 'a.js': handler })), /Upload/);
});

test('buildSubgraphSchema of other servers is left unchanged and reported', async (context) => {
  const files = {
    'apollo-5.js':
      "import { buildSubgraphSchema } from '@apollo/subgraph';\nimport { ApolloServer } from '@apollo/server';\nexport const server = new ApolloServer({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });\n",
    'yoga.js':
      "import { buildSubgraphSchema } from '@apollo/subgraph';\nimport { createYoga } from 'graphql-yoga';\nexport const yoga = createYoga({ schema: buildSubgraphSchema({ typeDefs, resolvers }) });\n",
  };
  const project = await projectWith(context, files);

  const printed = await migrate(project);

  for (const [name, text] of Object.entries(files)) {
    equal(await readFile(join(project.directory, name), 'utf8'), text);
    match(printed, new RegExp(`${name}:3  Write subgraph\\(\\{ typeDefs, resolvers \\}\\) of graphql-functions/subgraph`));
  }
});

test('buildSubgraphSchema and buildFederatedSchema become subgraph(), and what is not written out is reported', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "@apollo/subgraph": "^2.0.0", "apollo-server-lambda": "^3.0.0", "graphql": "^16.0.0" } }',
    'one.js':
      "import { buildSubgraphSchema } from '@apollo/subgraph';\nimport { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ csrfPrevention: true, schema: buildSubgraphSchema([{ typeDefs, resolvers: all }]), plugins });\n",
    'several.cjs':
      'const { buildFederatedSchema: build } = require("@apollo/federation")\nexports.server = new (require("apollo-server-lambda").ApolloServer)({ schema: build([{ typeDefs: a, resolvers }, { typeDefs: b }]) })\n',
    'left.js':
      "import { buildSubgraphSchema } from '@apollo/subgraph';\nimport { ApolloServer } from 'apollo-server-lambda';\nconst schema = buildSubgraphSchema(modules);\nexport const server = new ApolloServer({ schema });\n",
  });

  const printed = await migrate(project);

  const read = (name: string): Promise<string> => readFile(join(project.directory, name), 'utf8');
  equal(
    await read('one.js'),
    "import { subgraph } from 'graphql-functions/subgraph';\nimport { ApolloServer } from 'graphql-functions/v3';\nexport const server = new ApolloServer(subgraph({ csrfPrevention: true, typeDefs, resolvers: all, plugins }));\n",
  );
  match(
    await read('several.cjs'),
    /^const \{ subgraph \} = require\("graphql-functions\/subgraph"\)\n.*\(subgraph\(\{ typeDefs: \[a, b\], resolvers \}\)\)\n$/,
  );
  match(await read('left.js'), /^import \{ buildSubgraphSchema \} from '@apollo\/subgraph';/);
  match(printed, /left\.js:3 {2}Write subgraph\(\{ typeDefs, resolvers \}\) of graphql-functions\/subgraph/);
  // left.js still uses it.
  match(await read('package.json'), /"@apollo\/subgraph"/);
});
