import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createMovingProject } from '../../../../support/command-here.ts';
import type { MovingProject } from '../../../../support/command-here.ts';
import { linkPackage, serveProject } from '../../../../support/functions-project.ts';

/** Packages that read a file beside their code: with an addon, as an ES module, and one that is only found by its name. */
const packages = {
  'node_modules/addon/package.json': '{ "name": "addon", "version": "1.0.0", "dependencies": { "finder": "1" } }',
  'node_modules/addon/binding.gyp': '{}',
  'node_modules/addon/index.js': "module.exports = require('finder')(__dirname);",
  'node_modules/finder/package.json': '{ "name": "finder", "version": "1.0.0" }',
  'node_modules/finder/index.js': "module.exports = (folder) => require(folder + '/data.json');",
  'node_modules/addon/data.json': '"an addon"',
  'node_modules/@scope/assets/package.json': '{ "name": "@scope/assets", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
  'node_modules/@scope/assets/index.js':
    "import { readFileSync } from 'node:fs';\nexport const text = readFileSync(new URL('./data.txt', import.meta.url), 'utf8');",
  'node_modules/@scope/assets/data.txt': 'an asset',
  'node_modules/folder/package.json': '{ "name": "folder", "version": "1.0.0" }',
  'node_modules/folder/index.js': "module.exports = require('fs').readFileSync(__dirname + '/data.txt', 'utf8');",
  'node_modules/folder/data.txt': 'a file',
  'node_modules/computed/package.json': '{ "name": "computed", "version": "1.0.0" }',
  'node_modules/computed/index.js': "module.exports = require(['folder'].join());",
  'node_modules/faster/package.json': '{ "name": "faster", "version": "1.0.0", "optionalDependencies": { "addon": "1" } }',
  'node_modules/faster/index.js': "try { module.exports = require('addon'); } catch { module.exports = 'slow'; }",
  'node_modules/computing/package.json': '{ "name": "computing", "version": "1.0.0", "optionalDependencies": { "computing-here": "1" } }',
  'node_modules/computing/index.js': "module.exports = require(['computing', 'here'].join('-'));",
  'node_modules/computing-here/package.json': '{ "name": "computing-here", "version": "1.0.0", "cpu": ["any"], "gypfile": true }',
  'node_modules/computing-here/index.js': "module.exports = 'native';",
  'node_modules/choosy/package.json': '{ "name": "choosy", "version": "1.0.0" }',
  'node_modules/choosy/index.js': "module.exports = (driver) => (driver === 'other' ? require('other-driver/callback') : 'chosen');",
  'node_modules/random/package.json': '{ "name": "random", "version": "1.0.0" }',
  'node_modules/random/index.js': "module.exports = require('crypto').createHash('sha1').update('').digest('hex');",
};

const functionWith = (imports: string, value: string): string => `import { createHandler } from 'graphql-functions';
${imports}
export default createHandler({
  csrfPrevention: true,
  typeDefs: 'type Query { value: String }',
  resolvers: { Query: { value: () => ${value} } },
});
`;
const withBoth = functionWith("import addon from 'addon';\nimport { text } from '@scope/assets';", '`${addon}, ${text}`');

async function projectWith(context: TestContext, source: string): Promise<MovingProject> {
  const project = await createMovingProject(context, { ...packages, 'functions/graphql.ts': source });
  await linkPackage(project);
  return project;
}

test('check and schema load packages from node_modules, whatever they read beside their code or load by computed names', async (context) => {
  const names = ['addon', 'folder', 'computed', 'faster', 'computing', 'choosy', 'random'];
  const imports = [...names.map((name) => `import ${name} from '${name}';`), "import { text } from '@scope/assets';"].join('\n');
  const project = await projectWith(context, functionWith(imports, `[text, ${names.join(', ')}].join()`));

  const checked = await project.run('check');
  const printed = await project.run('schema');

  assert.deepEqual([checked.code, checked.stdout, checked.stderr], [0, 'No problems in graphql.\n', 'Checking functions/graphql.ts …\n']);
  assert.match(printed.stdout, /value: String/);
});

test('dev serves a function with such packages, also when a change adds one', async (context) => {
  const project = await projectWith(context, functionWith('', "'none'"));
  const { after, address } = await serveProject(context, project);

  await after({ kind: 'loaded' }, () => project.write({ 'functions/graphql.ts': withBoth }));
  const response = await fetch(address('graphql'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "query": "{ value }" }',
  });

  assert.deepEqual(await response.json(), { data: { value: 'an addon, an asset' } });
});

test('build says that a package with native code needs another bundler', async (context) => {
  const project = await projectWith(context, functionWith("import addon from 'addon';", 'addon'));

  const { code, stderr } = await project.run('build', '--out', 'out');

  assert.equal(code, 1);
  assert.match(stderr, /Cannot find module '[^']*out\/data\.json'[^]*use another bundler: docs\/build\.md/);
});
