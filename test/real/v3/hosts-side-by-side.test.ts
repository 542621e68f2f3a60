import { deepEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { needs, partNamed } from '../../support/real/parts.ts';
import { allowed, answersOf, installOurs, shapeNames } from './answers.ts';
import type { Answer } from './answers.ts';
import { generateRequests } from './requests.ts';

const count = 1000;

describe('apollo-server-express 3.13 and graphql-functions/v3/express over the same servers', needs('version-3-hosts'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'graphql-functions-v3-hosts-'));
  const requests = generateRequests(shapeNames(), count, 2);
  let theirs: Answer[];
  let ours: Answer[];

  before(() => {
    const tools = partNamed('version-3-hosts').folder;
    installOurs(folder, join(tools, 'node_modules/graphql'));
    writeFileSync(join(folder, 'requests.json'), JSON.stringify(requests));
    theirs = answersOf({ project: tools, library: 'apollo-server-express', core: 'apollo-server-core' }, folder, tools);
    ours = answersOf({ project: folder, library: 'graphql-functions/v3/express', core: 'graphql-functions/v3/core' }, folder, tools);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('every response is the same, except for listed differences', () => {
    const different = requests
      .map((request, at) => ({ ...request, theirs: theirs[at]!, ours: ours[at]! }))
      .filter((one) => !isDeepStrictEqual(one.theirs, one.ours))
      .filter((one) => !allowed.some(({ holds }) => holds(one.theirs, one.ours)));

    deepEqual(different, []);
  });
});
