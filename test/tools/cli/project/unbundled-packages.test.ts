import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createMovingProject } from '../../../support/command-here.ts';
import type { MovingProject } from '../../../support/command-here.ts';
import { startCommand } from '../../../support/command.ts';
import { linkPackage, serveProject } from '../../../support/functions-project.ts';

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

test('check loads packages with addons and assets from node_modules, and names what to deploy', async (context) => {
  const project = await projectWith(context, withBoth);

  const checked = await project.run('check');
  const printed = await project.run('schema');

  assert.deepEqual([checked.code, checked.stdout], [0, 'No problems in graphql.\n']);
  assert.match(
    checked.stderr,
    /^graphql uses packages that cannot be bundled: addon, @scope\/assets\. Bundle it with --external:addon --external:@scope\/assets, and deploy them in node_modules, with finder \(docs\/deploy\.md\)\.$/m,
  );
  assert.match(printed.stdout, /value: String/);
});

test('a package that only prefers an addon is bundled; one that computes the name of its addon is not', async (context) => {
  const imports = "import one from 'faster';\nimport other from 'computing';";
  const project = await projectWith(context, functionWith(imports, 'one + other'));

  const { code, stderr } = await project.run('check');

  assert.equal(code, 0);
  assert.match(
    stderr,
    /cannot be bundled: (?:addon, computing|computing, addon)\. .* with (?:finder, computing-here|computing-here, finder) /,
  );
});

test('dev serves a function with such packages, also when a change adds one', async (context) => {
  const project = await projectWith(context, functionWith('', "'none'"));
  const { after, address } = await serveProject(context, project);

  await after({ kind: 'reloaded' }, () => project.write({ 'functions/graphql.ts': withBoth }));
  const response = await fetch(address('graphql'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "query": "{ value }" }',
  });

  assert.deepEqual(await response.json(), { data: { value: 'an addon, an asset' } });
});

test('build copies an addon and what it needs beside the bundle', async (context) => {
  const project = await projectWith(context, functionWith("import addon from 'addon';", 'addon'));
  const elsewhere = await mkdtemp(join(tmpdir(), 'deployed-'));
  context.after(() => rm(elsewhere, { recursive: true }));

  const built = await project.run('build', '--out', 'out');
  const again = await project.run('build', '--out', 'out');
  await cp(join(project.directory, 'out'), elsewhere, { recursive: true });
  const ask = "require('./index.js').handler({ query: '{ value }' }).then((it) => console.log(JSON.stringify(it)))";
  const { stdout } = await startCommand(context, ['--eval', ask], { cwd: elsewhere }).ended;

  assert.match(built.stdout, /packages that cannot be bundled: addon, finder\. Native code in them is for \w+ on \w+/);
  assert.deepEqual([built.code, again.code, stdout], [0, 0, '{"data":{"value":"an addon"}}\n']);
});

test('build fails for a package that a CommonJS bundle cannot load on Lambda', async (context) => {
  const project = await projectWith(context, functionWith("import { text } from '@scope/assets';", 'text'));

  const { code, stderr } = await project.run('build', '--out', 'out');

  assert.equal(code, 1);
  assert.match(stderr, /Cannot run the function[^]*require\(\) of ES Module/);
});

test('a CommonJS package that calls require for a module of Node works in the bundle', async (context) => {
  const project = await projectWith(context, functionWith("import random from 'random';", 'random'));

  const { code, stderr } = await project.run('check');

  assert.deepEqual([code, stderr], [0, 'Checking functions/graphql.ts …\n']);
});

test('a package that fails in a bundle, as it would when deployed, is a problem until --external names it', async (context) => {
  const project = await projectWith(context, functionWith("import text from 'folder';", 'text'));

  const bundled = await project.run('check');
  const external = await project.run('check', '--external', 'folder');

  assert.equal(bundled.code, 1);
  assert.match(bundled.stdout, /functions\/graphql\.ts.* __dirname is not defined[^]*--external folder for graphql-functions/);
  assert.equal(external.code, 0);
  assert.match(external.stderr, /Bundle it with --external:folder, and deploy them in node_modules \(docs\/deploy\.md\)/);
});

test('a package that the bundle finds only in node_modules, where it is not deployed, is a problem', async (context) => {
  const project = await projectWith(context, functionWith("import text from 'computed';", 'text'));

  const { code, stdout } = await project.run('check');

  assert.equal(code, 1);
  assert.match(stdout, /In a separate process, the bundle does not load: Cannot find package 'folder': it is not in the bundle/);
});

test('a package that another needs only for some features is left out if --external names it, installed or not', async (context) => {
  const project = await projectWith(context, functionWith("import choose from 'choosy';", "choose('usual')"));

  const bundled = await project.run('check');
  const external = await project.run('check', '--external', 'other-driver');

  assert.equal(bundled.code, 1);
  assert.match(
    bundled.stdout,
    /Could not resolve "other-driver\/callback": it is not installed\. If you do not use what choosy needs it for, leave it out: --external other-driver .* --external:other-driver for esbuild\. Otherwise: npm i other-driver/,
  );
  assert.deepEqual([external.code, external.stderr], [0, 'Checking functions/graphql.ts …\n']);
});
