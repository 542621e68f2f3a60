import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { handlers } from '../../../../support/migrate/handlers.ts';
import { answersOf, migrate, migrated, projectWith } from '../../../../support/migrate/project.ts';

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

test('handler files of every form answer, and package.json has the new package in place of the old ones, with a graphql that it supports', async (context) => {
  const project = await migrated(context, { ...handlers, 'package.json': manifest });
  const { dependencies, devDependencies } = await project.manifest();

  deepEqual(await answersOf(project, files), Object.fromEntries(files.map((file) => [file, 'world'])));
  deepEqual(dependencies, { 'aws-sdk': '^2.0.0', graphql: '^16.15.0', 'graphql-functions': dependencies['graphql-functions'] });
  deepEqual(devDependencies, {});
});

test('a dry run prints the change and writes nothing', async (context) => {
  const text = "import { ApolloServer } from 'apollo-server-lambda';\n";
  const { printed, read } = await migrated(context, { 'a.mjs': text }, { isDryRun: true });

  equal(await read('a.mjs'), text);
  match(printed, /^a\.mjs:1 {2}apollo-server-lambda → graphql-functions\/v3\n\n1 file would change\./);
});

test('names without a replacement are reported with their line', async (context) => {
  const { printed, read } = await migrated(context, {
    'a.mjs': "import { generateSchemaHash, gql } from 'apollo-server-core';\n",
    'b.mjs': "import { ApolloServer } from 'apollo-server-fastify';\n",
    'c.mjs': "\nimport {\n  ApolloServer, // don't\n  PubSub,\n} from 'apollo-server-lambda';\n",
    'package.json': manifest,
  });

  match(printed, /a\.mjs:1 {2}generateSchemaHash of apollo-server-core/);
  match(
    printed,
    /b\.mjs:1 {2}ApolloServer of apollo-server-fastify belongs to another platform: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  match(await read('c.mjs'), /\} from 'graphql-functions\/v3';/);
});

test('a default import becomes one of all names, and one beside names is left to the user', async (context) => {
  for (const [before, after] of [
    ["import apollo from 'apollo-server-lambda';", "import * as apollo from 'graphql-functions/v3';"],
    ["import type apollo from 'apollo-server-lambda';", "import type * as apollo from 'graphql-functions/v3';"],
    ["import apollo, { gql } from 'apollo-server-lambda';", undefined],
    ["import { default as apollo } from 'apollo-server-lambda';", undefined],
    ["export { default } from 'apollo-server-lambda';", undefined],
  ] as const) {
    const { printed, read } = await migrated(context, { 'a.js': `${before}\n` });

    equal(await read('a.js'), `${after ?? before}\n`);
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
  const { read } = await migrated(context, { 'a.ts': before });

  equal(
    await read('a.ts'),
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
  const {
    printed,
    read,
    manifest: manifestOf,
  } = await migrated(context, {
    'express.mjs': "import { ApolloServer, gql, PluginDefinition } from 'apollo-server-express';\n",
    'micro.cjs': "const { ApolloServer, UserInputError } = require('apollo-server-micro');\n",
    'azure.mjs': "import { ApolloServer, InMemoryLRUCache } from 'apollo-server-azure-functions';\n",
    'alone.cjs': "const { ApolloServer, gql } = require('apollo-server');\n",
    'shared.cjs': "const { gql } = require('apollo-server');\n",
    'client.mjs': "import { createTestClient } from 'apollo-server-testing';\n",
    'web.ts': "import { fetch, Headers } from 'apollo-server-env';\nfetch(new Headers());\n",
    'package.json': '{ "dependencies": { "apollo-server-express": "3", "apollo-server-env": "4", "apollo-server-testing": "2" } }\n',
  });

  equal(await read('express.mjs'), "import { ApolloServer, gql, PluginDefinition } from 'graphql-functions/v3/express';\n");
  equal(await read('micro.cjs'), "const { ApolloServer, UserInputError } = require('graphql-functions/v3/express');\n");
  equal(await read('azure.mjs'), "import { ApolloServer, InMemoryLRUCache } from 'apollo-server-azure-functions';\n");
  match(printed, /azure\.mjs:1 {2}ApolloServer of apollo-server-azure-functions .*: use createHandler of graphql-functions there/);
  equal(await read('alone.cjs'), "const { ApolloServer, gql } = require('apollo-server');\n");
  equal(await read('shared.cjs'), "const { gql } = require('graphql-functions/v3/core');\n");
  match(
    printed,
    /alone\.cjs:1 {2}ApolloServer of apollo-server .*: use createHandler\(\) of ApolloServer in graphql-functions\/v3\/express/,
  );
  match(printed, /client\.mjs:1 {2}createTestClient of apollo-server-testing does not exist here: use executeOperation of the server/);
  match(printed, /web\.ts:1 {2}Delete this import of apollo-server-env, and use the globals of Node\.js\./);
  deepEqual(Object.keys((await manifestOf()).dependencies), ['apollo-server-env', 'graphql', 'graphql-functions']);
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
    const { printed, read } = await migrated(context, {
      'one.mjs': one,
      'several.mjs': several,
      'package.json': JSON.stringify({ dependencies }),
    });

    const changed = "import { makeExecutableSchema } from 'graphql-functions/v3/core';\n";
    equal(await read('one.mjs'), isChanged ? changed : one, version);
    equal(await read('several.mjs'), several);
    equal(/several\.mjs:1 {2}This version of graphql-tools does not work with graphql 16/.test(printed), isChanged);
    equal(/several\.mjs:1 {2}addMockFunctionsToSchema of graphql-tools .* use addMocksToSchema/.test(printed), isChanged);
  }
});

test('the response cache of version 2 was the module itself, which is reported', async (context) => {
  const required = "require('apollo-server-plugin-response-cache')";
  const { printed, read } = await migrated(context, {
    'a.cjs': `const plugin = ${required};\nconst { default: named } = ${required};\nconst member = ${required}.default;\n`,
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^2.0.0", "apollo-server-plugin-response-cache": "^0.9.0" } }',
  });

  deepEqual(printed.match(/a\.cjs:\d {2}The new version exports the plugin as default: write .*\.default/g)?.length, 1);
  match(await read('package.json'), /"apollo-server-plugin-response-cache": "\^3\.8\.2"/);
});

test('every range of graphql that begins below 16 is updated, also in peer dependencies, resolutions and overrides', async (context) => {
  const after = '^16.15.0';
  const ranges = [
    ...['^15.8.0', '^16.0.0-rc.1', '^15 || ^16.0.0-alpha.1', '<16', '<=15'].map((range) => [range, after]),
    ...['^17.0.0-rc.2', '>=16.15', 'latest', '$graphql'].map((range) => [range, range]),
  ];
  const overrides = (at: 0 | 1): object => Object.fromEntries(ranges.map((pair) => [`package of ${pair[0]}`, { graphql: pair[at] }]));
  const { manifest: read } = await migrated(context, {
    'a.mjs': "import { gql } from 'apollo-server-lambda';\n",
    'package.json': JSON.stringify({
      dependencies: { 'apollo-server-lambda': '^3.0.0' },
      peerDependencies: { graphql: '^14.0.0 || ^15.0.0' },
      resolutions: { graphql: '15.8.0', lodash: '4.17.21' },
      overrides: overrides(0),
      pnpm: { overrides: { graphql: '15' } },
    }),
  });

  const written = await read();
  deepEqual(
    [written.peerDependencies, written.resolutions, written.overrides, written.pnpm],
    [{ graphql: after }, { graphql: after, lodash: '4.17.21' }, overrides(1), { overrides: { graphql: after } }],
  );
});

test('a file of Apollo Server 4 keeps its caches, which version 3 had from the same package, and the page about it is named', async (context) => {
  const text = "import { ApolloServer } from '@apollo/server';\nimport { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';\n";
  const manifest4 = '{ "dependencies": { "@apollo/utils.keyvaluecache": "2" } }\n';
  const { printed, read } = await migrated(context, { 'a.mjs': text, 'package.json': manifest4 });

  equal(await read('a.mjs'), text);
  match(await read('package.json'), /"@apollo\/utils.keyvaluecache": "2"/);
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
