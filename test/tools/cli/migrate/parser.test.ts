import { equal, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createProject } from '../../../support/functions-project.ts';

const root = join(import.meta.dirname, '../../../..');

/** Runs the built command in a plain JavaScript project without a parser. `npm install` there copies the parser of this package. */
async function migrateWithoutParser(context: TestContext, ...argv: string[]): Promise<{ printed: string; text: string }> {
  const { directory, write } = await createProject(context, {
    'handler.js': "import { ApolloServer } from 'apollo-server-lambda';\n",
    'package.json': '{ "type": "module" }\n',
  });
  const installed = join(directory, 'node_modules/graphql-functions');
  await mkdir(installed, { recursive: true });
  await cp(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(installed, 'package.json'));
  for (const name of ['graphql', 'http-cache-semantics'])
    await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name));
  await write({
    'tools/npm': `#!/bin/sh
mkdir -p "$3/node_modules/@babel"
cp -r "${join(root, 'node_modules/@babel/parser')}" "$3/node_modules/@babel/parser"
`,
  });
  await chmod(join(directory, 'tools/npm'), 0o755);
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const env = { ...process.env, PATH: `${join(directory, 'tools')}${delimiter}${process.env['PATH']}` };
  const printed = await new Promise<string>((resolve) => {
    const program = join(installed, bin['graphql-functions']!);
    execFile(process.execPath, [program, 'migrate', ...argv], { cwd: directory, env }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return { printed, text: await readFile(join(directory, 'handler.js'), 'utf8') };
}

test('with --yes, npm downloads a parser for a project without one', async (context) => {
  const { printed, text } = await migrateWithoutParser(context, '--yes');

  match(printed, /Downloading @babel\/parser …/);
  equal(text, "import { ApolloServer } from 'graphql-functions/v3';\n");
});

test('without consent and without a terminal, nothing is downloaded, and the message says how to agree', async (context) => {
  const { printed, text } = await migrateWithoutParser(context);

  match(printed, /has neither\. Pass --yes to download @babel\/parser into a temporary folder\./);
  equal(text, "import { ApolloServer } from 'apollo-server-lambda';\n");
});
