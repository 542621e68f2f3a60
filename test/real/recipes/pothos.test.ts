import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { needs } from '../parts.ts';
import { ask, writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

describe('the Pothos schema of docs/schema.md', needs('pothos'), () => {
  let project: RecipeProject;

  before(async () => {
    project = await writeRecipes('docs/schema.md', 'pothos');
  });
  after(() => project.remove());

  test('compiles, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  test('answers each user with the context of their own request', async () => {
    const { default: handler } = await project.import('functions/graphql.ts');

    const answers = await Promise.all([ask(handler, '{ me }'), ask(handler, '{ me }', { 'x-user': 'bob' }), ask(handler, '{ me }', {})]);

    assert.deepEqual(answers, [{ data: { me: 'ada' } }, { data: { me: 'bob' } }, { data: { me: null } }]);
  });
});
