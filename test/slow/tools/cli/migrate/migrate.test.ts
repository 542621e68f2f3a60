import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { handlers } from '../../../../support/migrate/handlers.ts';
import { answersOf, migrate, projectWith } from '../../../../support/migrate/project.ts';

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

test('handler files of every form answer after the command has changed their imports', async (context) => {
  const project = await projectWith(context, { ...handlers, 'package.json': manifest });

  await migrate(project);

  deepEqual(await answersOf(project, files), Object.fromEntries(files.map((file) => [file, 'world'])));
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
  match(printed, /^a\.mjs:1 {2}apollo-server-lambda → graphql-functions\/v3\n\n1 file would change\./);
});

test('names without a replacement are reported with their line', async (context) => {
  const project = await projectWith(context, {
    'a.mjs': "import { generateSchemaHash, gql } from 'apollo-server-core';\n",
    'b.mjs': "import { ApolloServer } from 'apollo-server-fastify';\n",
    'c.mjs': "\nimport {\n  ApolloServer, // don't\n  PubSub,\n} from 'apollo-server-lambda';\n",
    'package.json': manifest,
  });

  const printed = await migrate(project);

  match(printed, /a\.mjs:1 {2}generateSchemaHash of apollo-server-core/);
  match(
    printed,
    /b\.mjs:1 {2}ApolloServer of apollo-server-fastify belongs to another platform: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  match(await readFile(join(project.directory, 'c.mjs'), 'utf8'), /\} from 'graphql-functions\/v3';/);
});

test('a default import becomes one of all names, and one beside names is left to the user', async (context) => {
  for (const [before, after] of [
    ["import apollo from 'apollo-server-lambda';", "import * as apollo from 'graphql-functions/v3';"],
    ["import type apollo from 'apollo-server-lambda';", "import type * as apollo from 'graphql-functions/v3';"],
    ["import apollo, { gql } from 'apollo-server-lambda';", undefined],
    ["import { default as apollo } from 'apollo-server-lambda';", undefined],
    ["export { default } from 'apollo-server-lambda';", undefined],
  ] as const) {
    const project = await projectWith(context, { 'a.js': `${before}\n` });

    const printed = await migrate(project);

    equal(await readFile(join(project.directory, 'a.js'), 'utf8'), `${after ?? before}\n`);
    equal(/a\.js:1 {2}graphql-functions\/v3 has no default export/.test(printed), after === undefined);
  }
});

test('every way to name a module changes, and other strings do not', async (context) => {
  const before = `export * from 'apollo-server-core';
import 'apollo-server-core';
jest.mock('apollo-datasource-rest');
const required = require('apollo-server-lambda');
import * as all from 'apollo-server-lambda';
type A = import('apollo-server-types').Logger;
import apollo = require('apollo-server-lambda');
import type { Config } from 'apollo-server-core/dist/types';
log('apollo-server-core'); // apollo-server-lambda
import { a } from './apollo-server-core';
`;
  const project = await projectWith(context, { 'a.ts': before });

  await migrate(project);

  equal(
    await readFile(join(project.directory, 'a.ts'), 'utf8'),
    `export * from 'graphql-functions/v3/core';
import 'graphql-functions/v3/core';
jest.mock('graphql-functions/v3/datasource-rest');
const required = require('graphql-functions/v3');
import * as all from 'graphql-functions/v3';
type A = import('graphql-functions/v3/core').Logger;
import apollo = require('graphql-functions/v3');
import type { Config } from 'graphql-functions/v3/core';
log('apollo-server-core'); // apollo-server-lambda
import { a } from './apollo-server-core';
`,
  );
});

test('servers that are called with request and response have one entry, and those of other platforms stay', async (context) => {
  const project = await projectWith(context, {
    'express.mjs': "import { ApolloServer, gql, PluginDefinition } from 'apollo-server-express';\n",
    'micro.cjs': "const { ApolloServer, UserInputError } = require('apollo-server-micro');\n",
    'azure.mjs': "import { ApolloServer, InMemoryLRUCache } from 'apollo-server-azure-functions';\n",
    'alone.cjs': "const { ApolloServer, gql } = require('apollo-server');\n",
    'shared.cjs': "const { gql } = require('apollo-server');\n",
    'client.mjs': "import { createTestClient } from 'apollo-server-testing';\n",
    'web.ts': "import { fetch, Headers } from 'apollo-server-env';\nfetch(new Headers());\n",
    'package.json': '{ "dependencies": { "apollo-server-express": "3", "apollo-server-env": "4", "apollo-server-testing": "2" } }\n',
  });

  const printed = await migrate(project);

  const text = async (file: string): Promise<string> => readFile(join(project.directory, file), 'utf8');
  equal(await text('express.mjs'), "import { ApolloServer, gql, PluginDefinition } from 'graphql-functions/v3/express';\n");
  equal(await text('micro.cjs'), "const { ApolloServer, UserInputError } = require('graphql-functions/v3/express');\n");
  equal(await text('azure.mjs'), "import { ApolloServer, InMemoryLRUCache } from 'apollo-server-azure-functions';\n");
  match(printed, /azure\.mjs:1 {2}ApolloServer of apollo-server-azure-functions .*: use createHandler of graphql-functions there/);
  equal(await text('alone.cjs'), "const { ApolloServer, gql } = require('apollo-server');\n");
  equal(await text('shared.cjs'), "const { gql } = require('graphql-functions/v3/core');\n");
  match(
    printed,
    /alone\.cjs:1 {2}ApolloServer of apollo-server .*: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  match(printed, /client\.mjs:1 {2}createTestClient of apollo-server-testing does not exist here: use executeOperation of the server/);
  match(printed, /web\.ts:1 {2}Delete this import of apollo-server-env, and use the globals of Node\.js\./);
  deepEqual(Object.keys((JSON.parse(await text('package.json')) as { dependencies: object }).dependencies), [
    'apollo-server-env',
    'graphql',
    'graphql-functions',
  ]);
});

test('imports of a graphql-tools below 8, which does not work with graphql 16, change; a server of version 2 depended on it', async (context) => {
  const one = "import { makeExecutableSchema } from 'graphql-tools';\n";
  const several = "import { addMockFunctionsToSchema, makeExecutableSchema, MockList } from 'graphql-tools';\n";
  for (const [version, isChanged] of [
    ['^4.0.8', true],
    [undefined, true],
    ['^9.0.0', false],
  ] as const) {
    const dependencies = { 'apollo-server-lambda': '^2.0.0', ...(version !== undefined && { 'graphql-tools': version }) };
    const project = await projectWith(context, {
      'one.mjs': one,
      'several.mjs': several,
      'package.json': JSON.stringify({ dependencies }),
    });

    const printed = await migrate(project);

    const changed = "import { makeExecutableSchema } from 'graphql-functions/v3/core';\n";
    equal(await readFile(join(project.directory, 'one.mjs'), 'utf8'), isChanged ? changed : one, version);
    equal(await readFile(join(project.directory, 'several.mjs'), 'utf8'), several);
    equal(/several\.mjs:1 {2}This version of graphql-tools does not work with graphql 16/.test(printed), isChanged);
    equal(/several\.mjs:1 {2}addMockFunctionsToSchema of graphql-tools .* use addMocksToSchema/.test(printed), isChanged);
  }
});

test('the response cache of version 2 was the module itself, which is reported', async (context) => {
  const required = "require('apollo-server-plugin-response-cache')";
  const project = await projectWith(context, {
    'a.cjs': `const plugin = ${required};\nconst { default: named } = ${required};\nconst member = ${required}.default;\n`,
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^2.0.0", "apollo-server-plugin-response-cache": "^0.9.0" } }',
  });

  const printed = await migrate(project);

  deepEqual(printed.match(/a\.cjs:\d {2}The new version exports the plugin as default: write .*\.default/g)?.length, 1);
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

test('a range of graphql that begins below 16 is updated', async (context) => {
  const after = '^16.15.0';
  for (const [range, expected] of Object.entries({
    '^15.8.0': after,
    '^16.0.0-rc.1': after,
    '^15 || ^16.0.0-alpha.1': after,
    '^17.0.0-rc.2': '^17.0.0-rc.2',
    '>=16.15': '>=16.15',
    '<16': after,
    '<=15': after,
    latest: 'latest',
  })) {
    const project = await projectWith(context, {
      'a.mjs': "import { gql } from 'apollo-server-lambda';\n",
      'package.json': JSON.stringify({ dependencies: { 'apollo-server-lambda': '^3.0.0', graphql: range } }),
    });

    await migrate(project);

    const written = JSON.parse(await readFile(join(project.directory, 'package.json'), 'utf8')) as { dependencies: { graphql: string } };
    equal(written.dependencies.graphql, expected, range);
  }
});

test('a file of Apollo Server 4 keeps its caches, which version 3 had from the same package, and the page about it is named', async (context) => {
  const text = "import { ApolloServer } from '@apollo/server';\nimport { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';\n";
  const manifest4 = '{ "dependencies": { "@apollo/utils.keyvaluecache": "2" } }\n';
  const project = await projectWith(context, { 'a.mjs': text, 'package.json': manifest4 });

  const printed = await migrate(project);

  equal(await readFile(join(project.directory, 'a.mjs'), 'utf8'), text);
  match(await readFile(join(project.directory, 'package.json'), 'utf8'), /"@apollo\/utils.keyvaluecache": "2"/);
  const [, page = ''] = /^No imports to change\. For other servers than Apollo Server 2 and 3, see (.+)\.$/m.exec(printed) ?? [];
  match(await readFile(page, 'utf8'), /^## From Apollo Server 4 and 5$/m);
});

test('an absolute path, also of another project', async (context) => {
  const project = await projectWith(context, { 'a.mjs': "import { gql } from 'apollo-server-lambda';\n" });
  const other = await projectWith(context, {
    'src/a.mjs': "import { gql } from 'apollo-server-lambda';\n",
    'package.json': '{ "dependencies": { "apollo-server-lambda": "3" } }\n',
  });

  await migrate(project, { paths: [join(project.directory, 'a.mjs'), join(other.directory, 'src')] });

  for (const file of [join(project.directory, 'a.mjs'), join(other.directory, 'src/a.mjs')])
    equal(await readFile(file, 'utf8'), "import { gql } from 'graphql-functions/v3';\n");
  match(await readFile(join(other.directory, 'package.json'), 'utf8'), /"graphql-functions"/);
});

test('a missing path is an error', async (context) => {
  const project = await projectWith(context, {});

  await rejects(migrate(project, { paths: ['nowhere'] }), /nowhere does not exist/);
});
