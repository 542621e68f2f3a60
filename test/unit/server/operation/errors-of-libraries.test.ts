import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createEndpoint } from '../../../support/endpoint.ts';
import { executors } from '../../../support/executors.ts';
import { json, post } from '../../../support/plain-http.ts';

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
        const fail = type === '[Int!]' ? () => [Promise.reject(make())] : () => Promise.reject(make());
        const { send } = createEndpoint({
          ...options,
          typeDefs: `type Query { shop: Shop other: Int } type Shop { fail: ${type} }`,
          resolvers: { Query: { shop: () => ({}), other: () => 1 }, Shop: { fail } },
        });

        const answer = json(await send(post({ query: '{ shop { fail } other }' })));

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
  const sendFailing = (thrown: Error) =>
    createEndpoint({
      ...options,
      typeDefs: 'type Query { fail: Int }',
      resolvers: { Query: { fail: () => Promise.reject(thrown) } },
    }).send(post({ query: '{ fail }' }));

  for (const [name, make] of Object.entries(unwritable))
    test(`an error with ${name} is sent without them (${executor})`, async () => {
      const { status, body } = await sendFailing(make());

      const { data, errors } = JSON.parse(body);
      deepEqual([status, data, errors[0].message, errors[0].extensions], [200, { fail: null }, 'told', { code: 'A' }]);
    });

  test(`an error without a message is sent with an empty one (${executor})`, async () => {
    const { status, body } = await sendFailing(Object.assign(new GraphQLError('x'), { message: undefined }));

    const { data, errors } = JSON.parse(body);
    deepEqual([status, data, errors[0].message], [200, { fail: null }, '']);
  });
}
