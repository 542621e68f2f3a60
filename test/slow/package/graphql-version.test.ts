import { match } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { installPackedPackage } from '../../support/packed-package.ts';
import type { InstalledProject } from '../../support/packed-package.ts';

const real = createRequire(import.meta.url).resolve('graphql');
const namesOfReal = Object.keys((await import('graphql')) as object);
/** Names that this package imports and that graphql 15.8 does not export. */
const addedLater = [
  'getArgumentValues',
  'getVariableValues',
  'GRAPHQL_MAX_INT',
  'GRAPHQL_MIN_INT',
  'GraphQLOneOfDirective',
  'OperationTypeNode',
];

let project: InstalledProject;

before(async () => {
  project = await installPackedPackage();
  const folder = join(project.folder, 'node_modules/graphql');
  await rm(folder, { recursive: true });
  await mkdir(folder);
  const kept = namesOfReal.filter((name) => /^\w+$/.test(name) && ![...addedLater, 'default', 'version', 'versionInfo'].includes(name));
  await writeFile(join(folder, 'package.json'), '{ "name": "graphql", "version": "15.8.0", "main": "index.js" }');
  await writeFile(
    join(folder, 'index.js'),
    `const real = require(${JSON.stringify(real)});
    exports.version = '15.8.0';
    exports.versionInfo = { major: 15, minor: 8, patch: 0 };
    ${kept.map((name) => `exports.${name} = real.${name};`).join('\n')}`,
  );
});
after(() => project.remove());

const expected =
  /graphql-functions needs graphql 16\.15 or newer, and this process has loaded graphql 15\.8\.0\. Run `npm install graphql@/;

for (const entry of ['graphql-functions', 'graphql-functions/aws-lambda', 'graphql-functions/v3', 'graphql-functions/v3/core'])
  test(`an older graphql is one clear error when ${entry} is loaded, imported or required`, async () => {
    const imported = await project.run(`import('${entry}').catch((error) => console.log(error.message));`);
    const required = await project.run(`try { require('${entry}'); } catch (error) { console.log(error.message); }`, { type: 'commonjs' });

    match(imported, expected);
    match(required, expected);
  });
