import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import { executors } from '../../../support/executors.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** Errors as superstruct and axios-like libraries throw them: their path is a path in a value. */
const foreignErrors: Readonly<Record<string, () => Error>> = {
  'an error with a list called path': () => Object.assign(new TypeError('secret'), { path: ['address', 'zip'] }),
  'one with extensions, too': () => Object.assign(new Error('secret'), { path: [], extensions: {} }),
  'one with a code in its extensions': () => Object.assign(new Error('secret'), { path: ['a'], extensions: { code: 'OK' } }),
  'one whose nodes, positions and source are not those of a document': () =>
    Object.assign(new Error('secret'), { path: ['a'], nodes: [null], positions: 'x', source: 'y' }),
};

for (const [executor, options] of executors)
  for (const [name, make] of Object.entries(foreignErrors))
    for (const type of ['Int', 'Int!', '[Int!]'])
      test(`${name} fails its field alone, and is masked (${type}, ${executor})`, async () => {
        const [logger] = recordingLogger();
        const fail = type === '[Int!]' ? () => [Promise.reject(make())] : () => Promise.reject(make());
        const handler = createHandler({
          ...options,
          logger,
          nodeEnv: 'production',
          typeDefs: `type Query { shop: Shop other: Int } type Shop { fail: ${type} }`,
          resolvers: { Query: { shop: () => ({}), other: () => 1 }, Shop: { fail } },
        });

        const answer = (await handler({ query: '{ shop { fail } other }' }, {})) as any;

        equal(answer.data.other, 1);
        equal(answer.errors.length, 1);
        equal(answer.errors[0].message, 'Internal server error');
        equal(answer.errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
        if (executor === 'a plan') deepEqual(answer.errors[0].path, type === '[Int!]' ? ['shop', 'fail', 0] : ['shop', 'fail']);
      });

const circular: { self?: unknown } = {};
circular.self = circular;
const unwritable: Readonly<Record<string, () => Error>> = {
  'circular extensions': () => new GraphQLError('told', { extensions: { code: 'A', circular } }),
  'a BigInt in its extensions': () => new GraphQLError('told', { extensions: { code: 'A', big: 1n } }),
  'extensions whose toJSON throws': () => new GraphQLError('told', { extensions: { code: 'A', value: { toJSON: fail } } }),
};

function fail(): never {
  throw new Error('broken');
}

for (const [executor, options] of executors) {
  for (const [name, make] of Object.entries(unwritable))
    test(`an error with ${name} is sent without them (${executor})`, async () => {
      const { status, answer } = await answerTo(options, make);

      deepEqual([status, answer.data, answer.errors[0].message, answer.errors[0].extensions], [200, { fail: null }, 'told', { code: 'A' }]);
    });

  test(`an error without a message is sent with an empty one (${executor})`, async () => {
    const { status, answer } = await answerTo(options, () => Object.assign(new GraphQLError('x'), { message: undefined }));

    deepEqual([status, answer.data, answer.errors[0].message], [200, { fail: null }, '']);
  });
}

async function answerTo(options: object, make: () => Error): Promise<{ status: number; answer: any }> {
  const resolvers = {
    Query: {
      fail: (): never => {
        throw make();
      },
    },
  };
  const handler = createHandler({
    ...options,
    logger: recordingLogger()[0],
    nodeEnv: 'production',
    typeDefs: 'type Query { fail: Int }',
    resolvers,
  });
  const request = new Request('https://example.com/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ fail }"}',
  });
  const response = await handler.fetch(request);
  return { status: response.status, answer: await response.json() };
}
