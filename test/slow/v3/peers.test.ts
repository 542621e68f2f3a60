import { equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createProject, linkPackage } from '../../support/functions-project.ts';

/** Returns the source of a replacement for @graphql-tools/mock that prints its name. */
const mock = (name: string): string => `exports.addMocksToSchema = ({ schema }) => (console.log('${name}'), schema);\n`;

test('a peer dependency is loaded from the program’s directory first, then from the working directory', async (context) => {
  const project = await createProject(context, {
    'packages/api/server.mjs': `import { ApolloServer } from 'graphql-functions/v3';
new ApolloServer({ typeDefs: 'type Query { a: Int }', mocks: true }).createHandler();
`,
    'packages/api/node_modules/@graphql-tools/mock/index.js': mock('beside the program'),
    'elsewhere/node_modules/@graphql-tools/mock/index.js': mock('of the working directory'),
    'packages/bare/server.mjs': "import '../api/server.mjs';\n",
  });
  await linkPackage(project, 'graphql');
  const run = async (program: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(project.directory, program)], {
      cwd: join(project.directory, 'elsewhere'),
    });
    return stdout.trim();
  };

  equal(await run('packages/api/server.mjs'), 'beside the program');
  equal(await run('packages/bare/server.mjs'), 'of the working directory');
});
