import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { otherNames, serverNames, sharedNames } from '../../../../src/tools/cli/migrate/modules.ts';
import { runTypeScript } from '../../../support/run-typescript.ts';
import { handlers } from './handlers.ts';
import { answersOf, migrate, projectWith } from './project.ts';

const root = join(import.meta.dirname, '../../../..');

const manifest = `{
  "name": "shop",
  "dependencies": {
    "apollo-datasource-rest": "^3.7.0",
    "apollo-server-lambda": "^3.13.0",
    "aws-sdk": "^2.0.0",
    "graphql": "^15.8.0"
  },
  "devDependencies": { "apollo-server-core": "^3.13.0" }
}
`;

const files = Object.keys(handlers);

test('forty handler files answer after the command has changed their imports', async (context) => {
  const project = await projectWith(context, { ...handlers, 'package.json': manifest });

  await migrate(project);

  ok(files.length >= 40, `There are ${files.length}.`);
  deepEqual(await answersOf(project, files), Object.fromEntries(files.map((file) => [file, 'world'])));
});

test('the typed ones compile under strict TypeScript with only their imports changed', async (context) => {
  const typed = Object.fromEntries(Object.entries(handlers).filter(([file]) => file.includes('typed-')));
  const project = await projectWith(context, typed);
  await migrate(project);
  await project.write({
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        noImplicitOverride: true,
        noEmit: true,
        module: 'nodenext',
        target: 'es2023',
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: ['functions'],
    }),
  });

  deepEqual(await runTypeScript(project.directory), []);
});

test('package.json has the new package in place of the old ones, and a version of graphql that it supports', async (context) => {
  const project = await projectWith(context, { ...handlers, 'package.json': manifest });

  await migrate(project);

  const changed = JSON.parse(await readFile(join(project.directory, 'package.json'), 'utf8')) as {
    dependencies: object;
    devDependencies: object;
  };
  deepEqual(Object.keys(changed.dependencies), ['aws-sdk', 'graphql', 'graphql-functions']);
  equal((changed.dependencies as { graphql: string }).graphql, '^16.15.0');
  deepEqual(changed.devDependencies, {});
});

test('a dry run prints the change and writes nothing', async (context) => {
  const text = "import { ApolloServer } from 'apollo-server-lambda';\n";
  const project = await projectWith(context, { 'a.mjs': text });

  const printed = await migrate(project, { isDryRun: true });

  equal(await readFile(join(project.directory, 'a.mjs'), 'utf8'), text);
  match(
    printed,
    /--- a\.mjs\n@@ line 1\n-import \{ ApolloServer \} from 'apollo-server-lambda';\n\+import \{ ApolloServer \} from 'graphql-functions\/v3';/,
  );
});

test('names without a replacement stay, and are reported with their line', async (context) => {
  const project = await projectWith(context, {
    'a.mjs': "import { generateSchemaHash, gql } from 'apollo-server-core';\n",
    'b.mjs': "import { ApolloServer } from 'apollo-server-fastify';\n",
    'c.mjs': "import { ApolloServer } from 'apollo-server-lambda'; const = 1;\n",
    'package.json': manifest,
  });

  const printed = await migrate(project);

  match(printed, /a\.mjs:1 {2}generateSchemaHash of apollo-server-core/);
  match(
    printed,
    /b\.mjs:1 {2}ApolloServer of apollo-server-fastify belongs to another platform: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  match(printed, /c\.mjs:1 {2}The file could not be parsed/);
  match(
    await readFile(join(project.directory, 'a.mjs'), 'utf8'),
    /import \{ gql \} from 'graphql-functions\/v3\/core';\nimport \{ generateSchemaHash \} from 'apollo-server-core';/,
  );
});

test('servers that are called with request and response have one entry, and their re-exports are imported from the original packages', async (context) => {
  const project = await projectWith(context, {
    'express.mjs': "import { ApolloServer, gql, PluginDefinition } from 'apollo-server-express';\n",
    'cloud.mjs': "import { ApolloServer, makeExecutableSchema } from 'apollo-server-cloud-functions';\n",
    'micro.cjs': "const { ApolloServer, UserInputError } = require('apollo-server-micro');\n",
    'azure.mjs': "import { ApolloServer, InMemoryLRUCache } from 'apollo-server-azure-functions';\n",
    'alone.cjs': "const { ApolloServer, gql } = require('apollo-server');\n",
    'whole.cjs': "const apollo = require('apollo-server-express');\n",
    'client.mjs': "import { createTestClient } from 'apollo-server-testing';\n",
    'web.ts': "import { fetch, Headers } from 'apollo-server-env';\nfetch(new Headers());\n",
    'package.json': '{ "dependencies": { "apollo-server-express": "3", "apollo-server-env": "4", "apollo-server-testing": "2" } }\n',
  });

  const printed = await migrate(project);

  const text = async (file: string): Promise<string> => readFile(join(project.directory, file), 'utf8');
  equal(await text('express.mjs'), "import { ApolloServer, gql, PluginDefinition } from 'graphql-functions/v3/express';\n");
  equal(
    await text('cloud.mjs'),
    "import { ApolloServer } from 'graphql-functions/v3/express';\nimport { makeExecutableSchema } from 'graphql-functions/v3/core';\n",
  );
  equal(await text('micro.cjs'), "const { ApolloServer, UserInputError } = require('graphql-functions/v3/express');\n");
  equal(
    await text('azure.mjs'),
    "import { InMemoryLRUCache } from 'graphql-functions/v3/core';\nimport { ApolloServer } from 'apollo-server-azure-functions';\n",
  );
  match(printed, /azure\.mjs:1 {2}ApolloServer of apollo-server-azure-functions .*: use createHandler of graphql-functions there/);
  equal(
    await text('alone.cjs'),
    "const { gql } = require('graphql-functions/v3/core');\nconst { ApolloServer } = require('apollo-server');\n",
  );
  match(
    printed,
    /alone\.cjs:1 {2}ApolloServer of apollo-server .*: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  equal(await text('whole.cjs'), "const apollo = require('graphql-functions/v3/express');\n");
  match(printed, /client\.mjs:1 {2}createTestClient of apollo-server-testing does not exist here: use executeOperation of the server/);
  // Node has all of them.
  equal(await text('web.ts'), 'fetch(new Headers());\n');
  deepEqual(Object.keys((JSON.parse(await text('package.json')) as { dependencies: object }).dependencies), [
    'apollo-server-testing',
    'graphql',
    'graphql-functions',
  ]);
  doesNotMatch(printed, /Left for you/);
});

test('files of other servers are counted, with what to do about them', async (context) => {
  const project = await projectWith(context, {
    'a.mjs': "import { ApolloServer } from '@apollo/server';\n",
    'b.mjs': "import { startServerAndCreateNextHandler } from '@as-integrations/next';\n",
    'c.mjs': "import { createYoga } from 'graphql-yoga';\n",
    'd.mjs': "import { graphqlHTTP } from 'express-graphql';\n",
    'e.mjs': "import mercurius from 'mercurius';\n",
  });

  const printed = await migrate(project);

  match(printed, /2 files use Apollo Server 4 or 5 and were left unchanged: see docs\/migration-servers\.md/);
  match(printed, /1 file uses GraphQL Yoga and was left unchanged: see docs\/migration-servers\.md/);
  match(printed, /1 file uses graphql-http or express-graphql and was left unchanged/);
  match(printed, /1 file uses Mercurius and was left unchanged/);
});

for (const [version, isChanged] of [
  ['^4.0.8', true],
  ['3', true],
  // A server of version 2 depended on it.
  [undefined, true],
  ['^7.0.5', true],
  ['^9.0.0', false],
  ['8.3.19', false],
] as const)
  test(`imports of graphql-tools ${version ?? 'that no package.json lists'} ${isChanged ? 'change, because it does not work with graphql 16' : 'stay'}`, async (context) => {
    const text = "import { addMockFunctionsToSchema, makeExecutableSchema, MockList } from 'graphql-tools';\n";
    const project = await projectWith(context, {
      'schema.mjs': text,
      'package.json': JSON.stringify({
        dependencies: { 'apollo-server-lambda': '^2.0.0', ...(version !== undefined && { 'graphql-tools': version }) },
      }),
    });

    const printed = await migrate(project);

    const changed = `import { makeExecutableSchema } from 'graphql-functions/v3/core';
import { MockList } from '@graphql-tools/mock';
import { addMockFunctionsToSchema } from 'graphql-tools';
`;
    equal(await readFile(join(project.directory, 'schema.mjs'), 'utf8'), isChanged ? changed : text);
    equal(/schema\.mjs:1 {2}addMockFunctionsToSchema of graphql-tools .* use addMocksToSchema/.test(printed), isChanged);
  });

test('a name that this package does not have stays, and is reported, for every package of version 3', async (context) => {
  const modules = ['apollo-server-lambda', 'apollo-server-core', 'apollo-datasource', 'apollo-datasource-rest', 'apollo-server-types'];
  const files = Object.fromEntries(modules.map((module) => [`${module}.mjs`, `import { Nothing } from '${module}';\n`]));
  const project = await projectWith(context, files);

  const printed = await migrate(project);

  for (const module of modules) {
    match(printed, new RegExp(`${module}\\.mjs:1  Nothing of ${module} does not exist here`));
    equal(await readFile(join(project.directory, `${module}.mjs`), 'utf8'), files[`${module}.mjs`]);
  }
});

test('a statement that declares more than its import is left, with the reason', async (context) => {
  const text = "const { gql, PubSub } = require('apollo-server-lambda'), port = 1;\n";
  const project = await projectWith(context, { 'a.cjs': text });

  const printed = await migrate(project);

  equal(await readFile(join(project.directory, 'a.cjs'), 'utf8'), text);
  match(printed, /a\.cjs:1 {2}This import of apollo-server-lambda was left unchanged: write a separate statement/);
});

test('the option mocks adds the package that it needs', async (context) => {
  const project = await projectWith(context, {
    'a.mjs':
      "import { ApolloServer } from 'apollo-server-lambda';\nexport const { createHandler } = new ApolloServer({ typeDefs, mocks: true });\n",
    'package.json': manifest,
  });

  await migrate(project);

  match(await readFile(join(project.directory, 'package.json'), 'utf8'), /"@graphql-tools\/mock": "\^9/);
});

for (const [before, after] of [
  [
    "const plugin = require('apollo-server-plugin-response-cache');",
    "const plugin = require('apollo-server-plugin-response-cache').default;",
  ],
  ["const { default: plugin } = require('apollo-server-plugin-response-cache');", undefined],
  ["const plugin = require('apollo-server-plugin-response-cache').default;", undefined],
] as const)
  test(`the response cache of version 2 is required as version 3 exports it: ${before}`, async (context) => {
    const project = await projectWith(context, {
      'a.cjs': `const { ApolloServer } = require('apollo-server-lambda');\n${before}\n`,
      'package.json': '{ "dependencies": { "apollo-server-lambda": "^2.0.0", "apollo-server-plugin-response-cache": "^0.9.0" } }',
    });

    await migrate(project);

    equal((await readFile(join(project.directory, 'a.cjs'), 'utf8')).split('\n')[1], after ?? before);
    match(await readFile(join(project.directory, 'package.json'), 'utf8'), /"apollo-server-plugin-response-cache": "\^3\.8\.2"/);
  });

test('resolutions, overrides and peer dependencies with a graphql below 16 are updated', async (context) => {
  const project = await projectWith(context, {
    'a.mjs': "import { gql } from 'apollo-server-lambda';\n",
    'package.json': JSON.stringify({
      dependencies: { 'apollo-server-lambda': '^3.0.0' },
      peerDependencies: { graphql: '^14.0.0 || ^15.0.0' },
      resolutions: { graphql: '15.8.0', lodash: '4.17.21' },
      overrides: { graphql: '$graphql', express: { graphql: '^15.0.0' } },
      pnpm: { overrides: { graphql: '15' } },
    }),
  });

  await migrate(project);

  const written = JSON.parse(await readFile(join(project.directory, 'package.json'), 'utf8')) as Record<string, unknown>;
  deepEqual(
    [written['peerDependencies'], written['resolutions'], written['overrides'], written['pnpm']],
    [
      { graphql: '^16.15.0' },
      { graphql: '^16.15.0', lodash: '4.17.21' },
      { graphql: '$graphql', express: { graphql: '^16.15.0' } },
      { overrides: { graphql: '^16.15.0' } },
    ],
  );
});

test('installed packages whose peer dependencies exclude graphql 16, and a range of @apollo/subgraph that includes 2.15, are reported', async (context) => {
  const installed = (peer: string): string => JSON.stringify({ version: '8.0.0', peerDependencies: { graphql: peer } });
  const project = await projectWith(context, {
    'api/a.mjs': "import { gql } from 'apollo-server-lambda';\n",
    'api/package.json': JSON.stringify({
      dependencies: { 'apollo-server-lambda': '^3.0.0', '@apollo/subgraph': '^2.4.0', 'graphql-shield': '7', 'graphql-scalars': '1' },
      devDependencies: { 'graphql-upload': '8' },
    }),
    'node_modules/graphql-shield/package.json': installed('^14.0.0 || ^15.0.0'),
    'node_modules/graphql-scalars/package.json': installed('^0.8.0 || ^14.0.0 || >=15.0.0 <17'),
    'api/node_modules/graphql-upload/package.json': installed('0.13.1 - 15'),
  });

  const printed = await migrate(project);

  match(printed, /api\/package\.json:1 {2}graphql-shield 8\.0\.0 does not support graphql 16: its peer dependency is graphql \^14/);
  match(printed, /graphql-upload 8\.0\.0 does not support graphql 16/);
  match(printed, /@apollo\/subgraph \^2\.4\.0 includes 2\.15/);
  doesNotMatch(printed, /graphql-scalars 8/);
});

test('old versions in engines, scripts, tsconfig.json and the folder of a package are listed with their line', async (context) => {
  const project = await projectWith(context, {
    'package.json': `{
  "engines": { "node": "12.x || 14.x" },
  "scripts": { "build": "esbuild --target=node14 a.mjs", "types": "npx -p typescript@4.2 tsc" },
  "devDependencies": { "typescript": "<4.9.0", "@types/node": "^14.18.0" }
}`,
    'tsconfig.json': '{ "compilerOptions": {\n  "target": "ES5"\n} }',
    'services/a/package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" }, "engines": { "node": ">=12" } }',
    'services/a/serverless.yml': 'provider:\n  runtime: nodejs14.x\n',
    'services/a/a.mjs': "import { gql } from 'apollo-server-lambda';\n",
  });

  const printed = await migrate(project);

  for (const line of [
    /package\.json:2 {2}"node": "12\.x \|\| 14\.x" in engines excludes/,
    /package\.json:3 {2}node14 is too old/,
    /package\.json:3 {2}typescript@4\.2 cannot read the types/,
    /package\.json:4 {2}TypeScript <4\.9\.0 requires "skipLibCheck"/,
    /package\.json:4 {2}@types\/node \^14\.18\.0 lacks types/,
    /tsconfig\.json:2 {2}"target": "ES5" is too old/,
    /services\/a\/serverless\.yml:2 {2}nodejs14\.x is too old/,
  ])
    match(printed, line);
  doesNotMatch(printed, /">=12" in engines/);
});

test('settings with an old Node version are listed with their line', async (context) => {
  const project = await projectWith(context, {
    'serverless.yml':
      'service: books\nprovider:\n  runtime: nodejs18.x\nfunctions:\n  a: { runtime: nodejs20.x }\n  b: { runtime: nodejs24.x }\n',
    'netlify.toml': '[build.environment]\n  NODE_VERSION = "16"\n',
    '.nvmrc': 'v20.11.0\n',
    'template.yaml': 'Runtime: nodejs22.x\n',
  });

  const printed = await migrate(project);

  match(printed, /serverless\.yml:3 {2}nodejs18\.x is too old: this package requires Node\.js 22\.19 or newer\. Use nodejs24\.x\.\n/);
  match(
    printed,
    /serverless\.yml:5 {2}nodejs20\.x[^]*netlify\.toml:2 {2}NODE_VERSION = "16" is too old[^]*\.nvmrc:1 {2}v20\.11\.0 is too old/,
  );
  doesNotMatch(printed, /template|nodejs24\.x is too old/);
});

test('a file of Apollo Server 4 keeps its caches, which version 3 had from the same package', async (context) => {
  const text = "import { ApolloServer } from '@apollo/server';\nimport { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';\n";
  const manifest4 = '{ "dependencies": { "@apollo/utils.keyvaluecache": "2" } }\n';
  const project = await projectWith(context, { 'a.mjs': text, 'package.json': manifest4 });

  await migrate(project);

  equal(await readFile(join(project.directory, 'a.mjs'), 'utf8'), text);
  match(await readFile(join(project.directory, 'package.json'), 'utf8'), /"@apollo\/utils.keyvaluecache": "2"/);
});

test('a replaced package stays in package.json if a file still imports it', async (context) => {
  const project = await projectWith(context, {
    'a.mjs': "import { createSignalIfSupported, fetch } from 'apollo-server-env';\n",
    'package.json': '{ "dependencies": { "apollo-server-env": "4" } }\n',
  });

  const printed = await migrate(project);

  equal(await readFile(join(project.directory, 'a.mjs'), 'utf8'), "import { createSignalIfSupported } from 'apollo-server-env';\n");
  match(await readFile(join(project.directory, 'package.json'), 'utf8'), /"apollo-server-env": "4"/);
  match(printed, /a\.mjs:1 {2}createSignalIfSupported of apollo-server-env does not exist here/);
});

test('the command knows the exported names of the entries that it suggests', async () => {
  const exportsOf = async (file: string): Promise<string[]> => {
    const text = await readFile(join(root, file), 'utf8');
    const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','));
    const declared = [...text.matchAll(/export type (\w+) =/g)].map(([, name = '']) => name);
    return [...lists.map((name) => name.trim().replace(/^.* as /, '')).filter(Boolean), ...declared];
  };

  const common = await exportsOf('src/v3/common.ts');
  for (const [entry, names] of Object.entries(serverNames)) {
    const exported = await exportsOf(`src/entries/${entry.replace('graphql-functions/', '')}.ts`);
    deepEqual([...common, ...exported].toSorted(), [...sharedNames, ...names].toSorted(), entry);
  }
  for (const [entry, names] of Object.entries(otherNames))
    deepEqual((await exportsOf(`src/entries/${entry.replace('graphql-functions/', '')}.ts`)).toSorted(), [...names].toSorted(), entry);
});

test('a missing path is an error', async (context) => {
  const project = await projectWith(context, {});

  await rejects(migrate(project, { paths: ['nowhere'] }), /nowhere does not exist/);
});
