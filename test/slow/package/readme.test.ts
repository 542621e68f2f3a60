import assert from 'node:assert/strict';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startCommand } from '../../support/program.ts';
import { createProject } from '../../support/functions-project.ts';
import { codeBlocks } from '../../support/markdown.ts';

const root = join(import.meta.dirname, '../../..');
/** The node_modules after `npm i graphql-functions graphql esbuild`, with this package as it was built. */
async function install(directory: string): Promise<void> {
  await mkdir(join(directory, 'node_modules'));
  await symlink(root, join(directory, 'node_modules/graphql-functions'));
  for (const name of ['graphql', 'esbuild']) await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name));
}

for (const page of ['README.md', 'docs/index.md']) {
  test(`the first screen of ${page}: the handler, the command, and the response`, async (context) => {
    const text = await readFile(join(root, page), 'utf8');
    const first = (language: string): string => codeBlocks(text).find((block) => block.language === language)!.text;
    const { directory } = await createProject(context, { 'functions/graphql.ts': first('ts') });
    await install(directory);
    const [, query = ''] = /^npx graphql-functions dev --query '([^']+)'$/m.exec(text) ?? assert.fail('no such command');
    const main = join(root, 'dist/esm/cli/main.js');

    const [output] = await startCommand(context, [main, 'dev', '--port', '0', '--query', query], { cwd: directory }).printed(/[^]*Ctrl\+C/);

    assert.ok(output.includes(JSON.stringify(JSON.parse(first('json')))), output);
    assert.match(output, /http:\/\/localhost:\d+\/\.netlify\/functions\/graphql$/m);
  });
}
