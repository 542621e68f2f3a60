import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLString } from 'graphql';

import { mergeResolvers } from '../../../src/schema/resolvers/merge-resolvers.ts';
import { resolversMark } from '../../../src/schema/resolvers/resolver-shape.ts';

const resolve = (): number => 1;
const mark = (resolvers: unknown): string => resolversMark(mergeResolvers(resolvers));

test('resolvers of the same names and kinds have one mark, whatever they do', () => {
  const other = (): number => 2;

  assert.equal(
    mark({ Query: { a: resolve, b: { resolve } }, E: { A: 1 } }),
    mark([{ Query: { a: other, b: { resolve: other } } }, { E: { A: 2 } }]),
  );
});

test('whatever the check of resolvers looks at changes the mark', () => {
  const variants: unknown[] = [
    undefined,
    {},
    { Query: {} },
    { Query: { a: resolve } },
    { Query: { b: resolve } },
    { Query: { a: resolve, b: resolve } },
    { Query: { a: resolve }, b: {} },
    { Query: {}, a: {} },
    { Mutation: { a: resolve } },
    ...[{}, { resolve }, { subscribe: resolve }, { resolve, subscribe: undefined }, { resolve: 1 }, { wrong: resolve }].map((a) => ({
      Query: { a },
    })),
    ...[1, 'text', null, undefined, true, 1n, [], Symbol('a')].map((a) => ({ Query: { a } })),
    { Query: GraphQLString },
    { Query: { scalar: resolve } },
  ];

  assert.equal(new Set(variants.map(mark)).size, variants.length - 1, 'undefined and {} are the same: no resolvers');
});
