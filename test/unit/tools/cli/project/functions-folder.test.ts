import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { findFunctions, resolveFunctionsFolder } from '../../../../../src/tools/cli/project/functions-folder.ts';
import { createProject } from '../../../../support/functions-project.ts';

test('a function is name.ts, name/name.ts or name/index.ts, in this order, and its name has letters, digits, - and _', async (context) => {
  const { directory } = await createProject(context, {
    'A-b_9.ts': '',
    'A-b_9/index.ts': '',
    'same/same.mts': '',
    'main/index.js': '',
    'shared/database.ts': '',
    'deep/inner/index.ts': '',
    'types.d.ts': '',
    'data.json': '',
    '.hidden.ts': '',
    'node_modules/index.ts': '',
    'graphql.test.ts': '',
  });

  assert.deepEqual(await findFunctions(directory), {
    functions: [
      { name: 'A-b_9', file: join(directory, 'A-b_9.ts') },
      { name: 'main', file: join(directory, 'main/index.js') },
      { name: 'same', file: join(directory, 'same/same.mts') },
    ],
    misnamed: [join(directory, 'graphql.test.ts')],
  });
});

test('the folder is functions, else the one that netlify.toml names, which may be the output of a build, else netlify/functions', async (context) => {
  const { directory, remove } = await createProject(context, {
    'functions/x.ts': '',
    'api/x.ts': '',
    'netlify/functions/x.ts': '',
    'netlify.toml': '[build]\ncommand = "npm run build"\n[functions]\ndirectory = "api" # not functions\n',
  });

  for (const [expected, removed] of [
    ['functions', 'functions'],
    ['api', 'netlify.toml'],
    ['netlify/functions', 'netlify'],
  ] as const) {
    assert.equal(await resolveFunctionsFolder(directory, undefined), join(directory, expected));
    await remove(removed);
  }
});

test('a missing folder is an error that names the option', async (context) => {
  const { directory } = await createProject(context, {});

  await assert.rejects(resolveFunctionsFolder(directory, undefined), /no folder "functions".*functions\/graphql\.ts.*--functions/);
  await assert.rejects(resolveFunctionsFolder(directory, 'api'), /no folder "api".*--functions/);
});
