import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createMovingProject } from '../../../../support/command-here.ts';
import type { MovingProject } from '../../../../support/command-here.ts';
import { postJSON } from '../../../../support/plain-http.ts';
import { linkPackage, serveProject } from '../../../../support/functions-project.ts';

/** Packages that read a file beside their code, as CommonJS and as an ES module, and one that is loaded by a computed name. */
const packages = {
  'node_modules/addon/package.json': '{ "name": "addon", "version": "1.0.0" }',
  'node_modules/addon/index.js': "module.exports = require(__dirname + '/data.json');",
  'node_modules/addon/data.json': '"an addon"',
  'node_modules/@scope/assets/package.json': '{ "name": "@scope/assets", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
  'node_modules/@scope/assets/index.js':
    "import { readFileSync } from 'node:fs';\nexport const text = readFileSync(new URL('./data.txt', import.meta.url), 'utf8');",
  'node_modules/@scope/assets/data.txt': 'an asset',
  'node_modules/computed/package.json': '{ "name": "computed", "version": "1.0.0" }',
  'node_modules/computed/index.js': "module.exports = require(['addon'].join());",
};

const functionWith = (imports: string, value: string): string => `import { createHandler } from 'graphql-functions';
${imports}
export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { value: String }',
  resolvers: { Query: { value: () => ${value} } },
});
`;
const withAll = functionWith(
  "import addon from 'addon';\nimport computed from 'computed';\nimport { text } from '@scope/assets';",
  '[addon, computed, text].join()',
);

async function projectWith(context: TestContext, source: string): Promise<MovingProject> {
  const project = await createMovingProject(context, { ...packages, 'functions/graphql.ts': source });
  await linkPackage(project);
  return project;
}

test('check loads packages from node_modules, whatever they read beside their code or load by computed names', async (context) => {
  const project = await projectWith(context, withAll);

  const { code, stdout, stderr } = await project.run('check');

  assert.deepEqual([code, stdout, stderr], [0, 'No problems in graphql.\n', 'Checking functions/graphql.ts …\n']);
});

test('dev serves a function with such packages, also when a change adds one', async (context) => {
  const project = await projectWith(context, functionWith('', "'none'"));
  const { after, address } = await serveProject(context, project);

  await after({ kind: 'loaded' }, () => project.write({ 'functions/graphql.ts': withAll }));
  const response = await postJSON(address('graphql'), { query: '{ value }' });

  assert.deepEqual(await response.json(), { data: { value: 'an addon,an addon,an asset' } });
});

test('build says that a package with native code needs another bundler', async (context) => {
  const project = await projectWith(context, functionWith("import addon from 'addon';", 'addon'));

  const { code, stderr } = await project.run('build', '--out', 'out');

  assert.equal(code, 1);
  assert.match(stderr, /Cannot find module '[^']*out\/data\.json'[^]*use another bundler: docs\/build\.md/);
});
