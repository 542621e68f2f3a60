import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { versionInfo } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { stopTheClock } from '../../../support/clock.ts';
import { json, post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';

const never = (): Promise<never> => new Promise(() => {});
const item = { text: 'x' };

async function* asyncItems(): AsyncGenerator<unknown> {
  yield item;
  yield { text: never() };
}

async function* asyncNumbers(): AsyncGenerator<unknown> {
  yield 1;
  await never();
}

/** Values that hang, and the data of the answer: null at the position that hangs, everything else unchanged. */
interface Hang {
  readonly type: string;
  readonly value: () => unknown;
  readonly selection?: string;
  readonly kept: unknown;
  readonly functions?: Readonly<Record<string, unknown>>;
  readonly only17?: true;
}

const hangs: Readonly<Record<string, Hang>> = {
  'a scalar': { type: 'Int!', value: never, kept: null },
  'an object': { type: 'Item!', value: never, selection: '{ text }', kept: null },
  'a property that is a promise': { type: 'Item!', value: () => ({ text: never() }), selection: '{ text }', kept: { text: null } },
  'a method': { type: 'Item!', value: () => ({ text: never }), selection: '{ text }', kept: { text: null } },
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  'a thenable': { type: 'Int!', value: () => ({ then: () => {} }), kept: null },
  'a promised object with a property': {
    type: 'Item!',
    value: async () => ({ text: never() }),
    selection: '{ text }',
    kept: { text: null },
  },
  'a list': { type: '[Int!]!', value: never, kept: null },
  'an item': { type: '[Int!]!', value: () => [1, never(), 3], kept: [1, null, 3] },
  'an item of a promised list': { type: '[Int!]!', value: async () => [1, never()], kept: [1, null] },
  'an item of a Set': { type: '[Int!]!', value: () => new Set([1, never()]), kept: [1, null] },
  'an item of a list of lists': { type: '[[Int!]!]!', value: () => [[1], [never(), 4]], kept: [[1], [null, 4]] },
  'a list in a list of lists': { type: '[[Int!]!]!', value: () => [[1], never()], kept: [[1], null] },
  'a property of a row': { type: '[Item!]!', value: () => [item, { text: never() }], selection: '{ text }', kept: [item, { text: null }] },
  'a row': { type: '[Item!]!', value: () => [item, never()], selection: '{ text }', kept: [item, null] },
  'a resolver of each row': {
    type: '[Slow!]!',
    value: () => [{}, {}],
    selection: '{ name slow }',
    kept: [
      { name: 'n', slow: null },
      { name: 'n', slow: null },
    ],
  },
  resolveType: {
    type: 'Typed!',
    value: () => item,
    selection: '{ ... on Item { text } }',
    kept: null,
    functions: { Typed: { __resolveType: never } },
  },
  'resolveType of an item': {
    type: '[Typed!]!',
    value: () => [item],
    selection: '{ ... on Item { text } }',
    kept: [null],
    functions: { Typed: { __resolveType: never } },
  },
  isTypeOf: { type: 'Checked!', value: () => item, selection: '{ text }', kept: null, functions: { Checked: { __isTypeOf: never } } },
  'an asynchronous iterable': { type: '[Int!]!', value: asyncNumbers, kept: null, only17: true },
  'a property of an item of an asynchronous iterable': {
    type: '[Item!]!',
    value: asyncItems,
    selection: '{ text }',
    kept: [item, { text: null }],
    only17: true,
  },
};

const typeDefs = `
  type Query { shop: Shop! other: Shop! }
  type Shop { name: String! hangs: TYPE after: [Item!]! owner: Item! }
  type Item { text: String! }
  type Slow { name: String! slow: Int! }
  type Checked { text: String! }
  union Typed = Item
`;

describe('with onError NULL, the answer at the deadline has every finished field beside', () => {
  let schemas = 0;
  for (const [name, { type, value, selection = '', kept, functions, only17 }] of Object.entries(hangs)) {
    for (const partial of [false, true]) {
      test(
        `${name} that hangs${partial ? ', by deadline.partial' : ''}`,
        { skip: only17 && versionInfo.major < 17 && 'graphql 16 has no asynchronous lists' },
        async (t: TestContext) => {
          const turn = stopTheClock(t);
          const handler = createHandler({
            nodeEnv: 'test',
            logger: recordingLogger()[0],
            deadline: { ms: 1_000, ...(partial && { partial: 'NULL' }) },
            typeDefs: `${typeDefs.replace('TYPE', type)} # hang ${++schemas}`,
            resolvers: {
              Query: { shop: () => ({ name: 'Corner' }), other: async () => ({ name: 'Other' }) },
              Shop: { hangs: value, after: async () => [item, item], owner: () => item },
              Slow: { name: () => 'n', slow: never },
              ...functions,
            },
          } as ServerOptions);
          const query = `{ shop { name hangs ${selection} after { text } owner { text } } other { name } }`;
          const answering = handler(httpAPI.build(post({ query, ...(!partial && { onError: 'NULL' }) })) as never, {} as never);
          await turn(5_000);
          const { data, errors } = json(await httpAPI.read((await answering) as never));

          assert.deepEqual(data, { shop: { name: 'Corner', hangs: kept, after: [item, item], owner: item }, other: { name: 'Other' } });
          assert.ok(errors.every(({ extensions }: { extensions: { code: string } }) => extensions.code === 'DEADLINE_EXCEEDED'));
        },
      );
    }
  }
});
