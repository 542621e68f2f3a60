import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, GraphQLSchema } from 'graphql';

import { findCheck } from '../../../../src/server/startup/load-tools.ts';
import { createSchema } from '../../../../src/executor/schema/create-schema.ts';

/** Imports the build of the installed graphql that this process does not use. Its classes are those of a second copy. */
async function otherCopy(): Promise<typeof import('graphql')> {
  const entry = import.meta.resolve('graphql');
  return import(entry.endsWith('.mjs') ? entry.replace(/mjs$/, 'js') : entry.replace(/js$/, 'mjs'));
}

function refusal(schema: unknown): string {
  try {
    createSchema({ schema: schema as GraphQLSchema }, { checkWhole: false });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

test('a schema of another copy of graphql is refused, even if it is of a subclass, and the message says how to find both copies', async () => {
  const { GraphQLSchema: Foreign, buildSchema: buildForeign } = await otherCopy();
  class Special extends Foreign {}
  const schema = buildForeign('type Query { a: Int }');

  const messages = [schema, new Special(schema.toConfig())].map(refusal);

  for (const message of messages) assert.match(message, /^There are two copies of graphql in this process[^]*`npm ls graphql` shows them/);
});

test('in Vitest, which loads other files of graphql than Node does, the message has the setting instead', async (context) => {
  const { buildSchema: buildForeign } = await otherCopy();
  const before = process.env['VITEST'];
  context.after(() => {
    if (before === undefined) delete process.env['VITEST'];
    else process.env['VITEST'] = before;
  });
  process.env['VITEST'] = 'true';

  const message = refusal(buildForeign('type Query { a: Int }'));

  assert.match(message, /two copies of graphql[^]*vitest\.config\.ts, set ssr: \{ resolve: \{ conditions: \['module-sync', 'node'\] \} \}/);
  assert.doesNotMatch(message, /npm/);
});

test('a schema of a subclass from the same copy is accepted', () => {
  class Special extends GraphQLSchema {}
  const schema = new Special(buildSchema('type Query { a: Int }').toConfig());

  assert.equal(createSchema({ schema }, { checkWhole: findCheck }), schema);
});

for (const [schema, message] of [
  ['type Query { a: Int }', 'schema takes a GraphQLSchema, got a string. Give schema text as `typeDefs`.'],
  [Promise.resolve(), 'schema takes a GraphQLSchema, got a promise. Await it first.'],
  [null, 'schema takes a GraphQLSchema, got null.'],
  [[], 'schema takes a GraphQLSchema, got an array.'],
] as const)
  test(`what is no schema is refused, and the error says what to write: ${message}`, () => {
    assert.equal(refusal(schema), message);
  });
