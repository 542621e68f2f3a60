import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { findFunctions, resolveFunctionsFolder } from '../../../../../src/tools/cli/project/functions-folder.ts';
import { createProject } from '../../../../support/functions-project.ts';

test('a function is name.ts, name/name.ts or name/index.ts; deeper files are not functions', async (context) => {
  const { directory } = await createProject(context, {
    'file.ts': '',
    'same/same.mts': '',
    'main/index.js': '',
    'shared/database.ts': '',
    'deep/inner/index.ts': '',
  });

  const { functions } = await findFunctions(directory);

  assert.deepEqual(functions, [
    { name: 'file', file: join(directory, 'file.ts') },
    { name: 'main', file: join(directory, 'main/index.js') },
    { name: 'same', file: join(directory, 'same/same.mts') },
  ]);
});

test('names contain only letters, digits, - and _; files with other names are reported', async (context) => {
  const { directory } = await createProject(context, { 'A-b_9.ts': '', 'graphql.test.ts': '', 'två.ts': '' });

  const { functions, misnamed } = await findFunctions(directory);

  assert.deepEqual(
    functions.map(({ name }) => name),
    ['A-b_9'],
  );
  assert.deepEqual(misnamed.toSorted(), [join(directory, 'graphql.test.ts'), join(directory, 'två.ts')]);
});

test('declarations, hidden files, other files and node_modules are not functions', async (context) => {
  const { directory } = await createProject(context, {
    'types.d.ts': '',
    'data.json': '',
    '.hidden.ts': '',
    'node_modules/index.ts': '',
    'real.ts': '',
  });

  const { functions, misnamed } = await findFunctions(directory);

  assert.deepEqual(
    functions.map(({ name }) => name),
    ['real'],
  );
  assert.deepEqual(misnamed, []);
});

test('a file takes precedence over a folder of the same name', async (context) => {
  const { directory } = await createProject(context, { 'x.ts': '', 'x/index.ts': '' });

  const { functions } = await findFunctions(directory);

  assert.deepEqual(functions, [{ name: 'x', file: join(directory, 'x.ts') }]);
});

test('the folder is functions, else netlify/functions', async (context) => {
  const one = await createProject(context, { 'functions/x.ts': '', 'netlify/functions/x.ts': '' });
  const other = await createProject(context, { 'netlify/functions/x.ts': '' });

  assert.equal(await resolveFunctionsFolder(one.directory, undefined), join(one.directory, 'functions'));
  assert.equal(await resolveFunctionsFolder(other.directory, undefined), join(other.directory, 'netlify/functions'));
});

test('a missing folder is an error that names the option', async (context) => {
  const { directory } = await createProject(context, {});

  await assert.rejects(resolveFunctionsFolder(directory, undefined), /no folder "functions".*functions\/graphql\.ts.*--functions/);
  await assert.rejects(resolveFunctionsFolder(directory, 'api'), /no folder "api".*--functions/);
});

test('without a folder functions, it is the one that netlify.toml names, which must be valid', async (context) => {
  const toml = '[build]\ncommand = "npm run build"\n[functions]\ndirectory = "api" # not functions\n';
  const { directory, write } = await createProject(context, { 'api/x.ts': '', 'netlify/functions/x.ts': '', 'netlify.toml': toml });

  const named = await resolveFunctionsFolder(directory, undefined);
  await write({ 'netlify.toml': toml.replaceAll('"api"', 'api') });

  assert.equal(named, join(directory, 'api'));
  await assert.rejects(
    resolveFunctionsFolder(directory, undefined),
    /^DevError: netlify\.toml:4:13 netlify\.toml is not valid[^\n]*directory = "functions"/,
  );
});

test('a folder functions comes before the one that netlify.toml names, which may be the output of a build', async (context) => {
  const { directory } = await createProject(context, {
    'functions/x.ts': '',
    'built/x.mjs': '',
    'netlify.toml': '[functions]\ndirectory = "built"\n',
  });

  assert.equal(await resolveFunctionsFolder(directory, undefined), join(directory, 'functions'));
});
