import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { extensionOptions } from '../../../../src/tools/cli/project/extension-options.ts';
import { runCommandHere } from '../../../support/command-here.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';

const sources: Readonly<Record<string, readonly [file: string, name: string]>> = {
  edge: ['extensions/edge/options.ts', 'EdgeOptions'],
  compression: ['extensions/compression/plugin.ts', 'CompressionOptions'],
  'cost-line': ['extensions/cost-line/plugin.ts', 'CostLineOptions'],
  opentelemetry: ['extensions/opentelemetry/plugin.ts', 'OpenTelemetryOptions'],
  incremental: ['extensions/incremental/incremental.ts', 'IncrementalDeliveryOptions'],
  'landing-page': ['tools/landing-page/plugin.ts', 'LandingPageOptions'],
};

for (const { entry, maker, options } of extensionOptions) {
  test(`the options of ${maker} are those of its type`, async () => {
    const [file, name] = sources[entry]!;
    const source = await readFile(join(import.meta.dirname, '../../../../src', file), 'utf8');
    const [, body = ''] = source.split(new RegExp(`^export interface ${name}\\b.*\\{$`, 'm'));

    assert.deepEqual(
      [...body.split('\n}\n')[0]!.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option]) => option),
      options,
    );
  });
}

test('check refuses an option that an extension does not have, at its line, and takes those that it has', async (context) => {
  const project = await createProject(context, {
    'functions/wrong.js': `import { createHandler } from 'graphql-functions';
      import { costLine } from 'graphql-functions/cost-line';
      import { edge } from 'graphql-functions/edge';
      export default createHandler({ typeDefs: 'type Query { a: Int }', plugins: [costLine(), edge({ cdn: 'netlify', maxAge: 60 })] });`,
    'functions/right.js': `import { createHandler } from 'graphql-functions';
      import { cacheControlDefinitions, edge } from 'graphql-functions/edge';
      import { incrementalDelivery } from 'graphql-functions/incremental';
      export default createHandler({
        typeDefs: [cacheControlDefinitions, 'type Query { a: Int @cacheControl(maxAge: 5) }'],
        incrementalDelivery: incrementalDelivery({ maxParts: 10 }),
        plugins: [edge({ cdn: 'netlify', staleWhileRevalidate: 60 })],
      });`,
  });
  await linkPackage(project);

  const { stdout, code } = await runCommandHere(project.directory, 'check');

  assert.match(stdout, /^functions\/wrong\.js:4:\d+ Unknown option "maxAge" of edge\. Known options: cdn, store, /m);
  assert.doesNotMatch(stdout, /right/);
  assert.equal(code, 1);
});
