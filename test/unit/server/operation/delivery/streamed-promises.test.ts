import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { allPayloads, merge, runIncrementally } from '../../../../support/run-incrementally.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query { numbers: [Int] items: [Item] strict: [Item!] slow: String }
  type Item { id: Int fails: String needed: String! }
`;

const withResolvers = (Query: object, Item: object = {}): ServerOptions => ({ typeDefs, resolvers: { Query, Item } as never });

describe('@stream on a promise of an iterable that is no array', () => {
  const iterables: Readonly<Record<string, () => Iterable<number>>> = {
    'a Set': () => new Set([1, 2]),
    'an iterator of a Map': () =>
      new Map([
        ['a', 1],
        ['b', 2],
      ]).values(),
    'a generator': function* generator() {
      yield* [1, 2];
    },
  };
  for (const [name, make] of Object.entries(iterables))
    for (const initialCount of [0, 1, 2])
      it(`has all values of ${name}, ${initialCount} of them at once`, async () => {
        const query = `{ numbers @stream(initialCount: ${initialCount}) }`;

        const { data, errors } = merge(await allPayloads(await runIncrementally(withResolvers({ numbers: async () => make() }), query)));

        deepEqual([JSON.stringify(data), errors], ['{"numbers":[1,2]}', []]);
      });
});

// graphql 16 takes no async iterables outside of parts.
describe('a field of an item of an async iterable that fails while the next item is awaited', { skip: versionInfo.major < 17 }, () => {
  const paths: Readonly<Record<string, readonly (string | number)[]>> = {
    '{ items { id fails } ... @defer { slow } }': ['items', 0, 'fails'],
    '{ items { id needed } ... @defer { slow } }': ['items', 0, 'needed'],
    '{ strict { id needed } ... @defer { slow } }': ['strict', 0, 'needed'],
    '{ items @stream { id fails } ... @defer { slow } }': ['items', 0, 'fails'],
    '{ items @stream { id needed } ... @defer { slow } }': ['items', 0, 'needed'],
    '{ strict @stream { id needed } ... @defer { slow } }': ['strict', 0, 'needed'],
  };
  for (const [query, path] of Object.entries(paths))
    it(`is an error at its path, and no unhandled rejection: ${query}`, async () => {
      let errors: unknown;
      const items = async function* generate(): AsyncGenerator<object> {
        yield { id: 1 };
        // The first item fails before this one arrives.
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        yield { id: 2 };
      };
      const fails = async ({ id }: { id: number }): Promise<string> => {
        await new Promise((resolve) => setImmediate(resolve));
        if (id === 1) throw new Error('the first');
        return 'second';
      };

      const unhandled = await unhandledRejections(async () => {
        const options = withResolvers({ items, strict: items, slow: async () => 'slow' }, { fails, needed: fails });
        errors = merge(await allPayloads(await runIncrementally(options, query))).errors;
      });

      equal(unhandled, 0);
      const paths = (errors as { path: unknown }[]).map((error) => error.path);
      deepEqual(paths, [path]);
    });
});
