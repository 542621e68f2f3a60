import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, GraphQLSchema } from 'graphql';
import type { ASTVisitor, ExecutionResult, ValidationContext } from 'graphql';

import { makeArtifact } from '../../../src/tools/cli/project/make-artifact.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { readBuild, typeDefsMark } from '../../../src/executor/schema/build/read-build.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const typeDefs = 'type Query { hello: String nested: Query }';
const resolvers = { Query: { hello: () => 'world', nested: () => ({}) } };
/** A document that is invalid for this schema: if it runs, it was not validated. */
const unvalidated = '{ hello @unknown }';
const from = { schema: ['schema.graphql'], documents: [], descriptions: false };

function artifactOf(documents: readonly string[], sources: object = from): object {
  return makeArtifact([typeDefs], { ...from, ...sources }, documents);
}

async function ask(
  query: string,
  options: ServerOptions,
): Promise<{ data?: unknown; errors?: readonly { message: string; extensions: { code: string } }[] }> {
  return createHandler({ nodeEnv: 'production', resolvers, ...options })({ query });
}

describe('with a build', () => {
  test('a server needs no typeDefs', async () => {
    assert.deepEqual(await ask('{ hello }', { build: readBuild(artifactOf([])) }), { data: { hello: 'world' } });
  });

  test('a known document is not validated', async () => {
    assert.deepEqual(await ask(unvalidated, { build: readBuild(artifactOf([unvalidated])) }), { data: { hello: 'world' } });
  });

  test('a document that differs by a space from a known one is validated', async () => {
    const { errors } = await ask(`${unvalidated} `, { build: readBuild(artifactOf([unvalidated])) });

    assert.equal(errors?.[0]?.extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  });

  test('limits apply to known documents too', async () => {
    const deep = '{ nested { nested { hello } } }';
    const { errors } = await ask(deep, { build: readBuild(artifactOf([deep])), maxDepth: 2 });

    assert.match(String(errors?.[0]?.message), /depth|deep|levels/i);
  });

  test('validationRules are applied to known documents too', async () => {
    const noHello = (context: ValidationContext): ASTVisitor => ({
      Field: (node) => (node.name.value === 'hello' ? context.reportError(new GraphQLError('Not now.', { nodes: [node] })) : undefined),
    });
    const { errors } = await ask(unvalidated, { build: readBuild(artifactOf([unvalidated])), validationRules: [noHello] });

    assert.deepEqual(
      errors?.map(({ message }) => message),
      ['Not now.'],
    );
  });

  test('a resolver without a field is an error at start in a test, and in production when its type is used', async () => {
    const options = { build: readBuild(artifactOf([])), resolvers: { Query: { helo: () => 1 } } };
    const [logger, lines] = recordingLogger();
    const handler = createHandler({ ...options, nodeEnv: 'production', logger });

    const { errors } = (await handler({ query: '{ hello }' })) as ExecutionResult;

    assert.throws(() => createHandler({ ...options, nodeEnv: 'test' }), /names the field "helo".*Did you mean "hello"/);
    assert.equal(errors?.[0]?.message, 'Internal server error');
    assert.match(JSON.stringify(lines), /names the field .*helo.*Did you mean .*hello/);
  });

  test('resolvers for a type that the build does not have are an error at start', () => {
    const options = { build: readBuild(artifactOf([])), resolvers: { Quer: {} }, nodeEnv: 'production' };

    assert.throws(() => createHandler(options), /name the type "Quer".*Did you mean "Query"/);
  });
});

describe('a stale build', () => {
  const stale = readBuild(artifactOf(['{ hello }'], { schema: [], typeDefs: typeDefsMark('type Query { hello: ID }') }));

  for (const nodeEnv of ['development', 'test']) {
    test(`throws when NODE_ENV is ${nodeEnv}`, () => {
      assert.throws(() => createHandler({ typeDefs, resolvers, build: stale, nodeEnv }), /stale.*npx graphql-functions build/);
    });
  }

  test('is logged once in production, and everything works as without a build', async () => {
    const [logger, lines] = recordingLogger();
    const handler = createHandler({ typeDefs, resolvers, build: stale, nodeEnv: 'production', logger });

    const answers = [await handler({ query: '{ hello }' }), await handler({ query: '{ hello }' })];

    assert.deepEqual(answers, [{ data: { hello: 'world' } }, { data: { hello: 'world' } }]);
    assert.equal(lines.filter(({ level, message }) => level === 'error' && message.includes('stale')).length, 1);
  });
});

test('a build together with a schema made in code throws', () => {
  const options = { build: readBuild(artifactOf([])), schema: new GraphQLSchema({}) };

  assert.throws(() => createHandler(options), /`build`.*or `schema`, not both/);
});

test('an artifact that was not read throws with what to write', () => {
  const options = { build: artifactOf([]) } as unknown as ServerOptions;

  assert.throws(() => createHandler(options), /option build to be readBuild\(artifact\)/);
});
