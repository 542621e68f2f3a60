import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { needs, partNamed } from '../../support/real/parts.ts';
import { allowed, answersOf, installOurs, shapeNames } from './answers.ts';
import type { Answer } from './answers.ts';
import { generateRequests } from './requests.ts';
import type { GeneratedRequest } from './requests.ts';

const count = 2000;

describe('apollo-server-lambda 3.13 and graphql-functions/v3 over the same handlers', needs('version-3'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'graphql-functions-v3-'));
  let theirs: Answer[];
  let ours: Answer[];
  let requests: GeneratedRequest[];

  before(() => {
    const part = partNamed('version-3').folder;
    installOurs(folder, join(part, 'node_modules/graphql'));
    requests = generateRequests(shapeNames(), count);
    writeFileSync(join(folder, 'requests.json'), JSON.stringify(requests));
    theirs = answersOf({ project: part, library: 'apollo-server-lambda', core: 'apollo-server-core' }, folder);
    ours = answersOf({ project: folder, library: 'graphql-functions/v3', core: 'graphql-functions/v3/core' }, folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('every request is answered by both', () => {
    equal(theirs.length, count);
    equal(ours.length, count);
    ok(new Set(requests.map(({ shape }) => shape)).size >= 30);
  });

  test('status, body, cookies and named header fields are the same, except for listed differences', () => {
    const different = requests
      .map((request, at) => ({ ...request, theirs: theirs[at]!, ours: ours[at]! }))
      .filter((one) => !isDeepStrictEqual(one.theirs, one.ours))
      .filter((one) => !allowed.some(({ holds }) => holds(one.theirs, one.ours)));

    deepEqual(different, []);
  });

  test('each listed difference still exists', () => {
    const unused = allowed.slice(0, 2).filter(({ holds }) => !theirs.some((one, at) => holds(one, ours[at]!)));

    const names = unused.map(({ name }) => name);
    deepEqual(names, []);
  });
});
