import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import type { LimitsOptions } from '../../../../src/entries/limits.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';

/** A limit, a document exactly at it, and one just above it. */
const edges: readonly (readonly [name: string, options: LimitsOptions, within: string, beyond: string])[] = [
  ['maxDepth: levels of fields', { maxDepth: 1 }, '{ hello }', '{ books { title } }'],
  ['maxDepth: inline fragments are no level', { maxDepth: 1 }, '{ ... { hello } }', '{ ... { books { ... on Book { title } } } }'],
  [
    'maxDepth: through fragments',
    { maxDepth: 1 },
    '{ ...Q } fragment Q on Query { hello }',
    '{ ...Q } fragment Q on Query { books { title } }',
  ],
  ['maxAliases: aliased fields', { maxAliases: 2 }, '{ a: hello b: hello hello }', '{ a: hello b: hello c: hello }'],
  ['maxAliases: none at all', { maxAliases: 0 }, '{ hello }', '{ a: hello }'],
  [
    'maxAliases: through fragments',
    { maxAliases: 1 },
    '{ ...F } fragment F on Query { a: hello }',
    '{ b: hello ...F } fragment F on Query { a: hello }',
  ],
  [
    'maxAliases: wherever a fragment is spread',
    { maxAliases: 1 },
    '{ ...F } fragment F on Query { a: hello }',
    '{ ...F ...F } fragment F on Query { a: hello }',
  ],
];

describe('limits()', () => {
  for (const [name, options, within, beyond] of edges) {
    it(`${name}: exactly at the limit runs, just above it is refused and runs nothing`, async () => {
      const endpoint = createEndpoint({ plugins: [limits(options)] });

      const response = await endpoint.send(post({ query: beyond }));

      const [error] = json(response).errors;
      assert.equal(error.extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      assert.equal(response.status, 422);
      assert.deepEqual(endpoint.runs, []);
      assert.equal((await endpoint.send(post({ query: within }))).status, 200);
    });
  }

  it('maxAliases holds for each operation of a batch as for a single request', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxAliases: 3 })] });
    const three = { query: '{ a: hello b: hello c: hello }' };

    const [first, second, third] = json(await endpoint.send(post([three, three, { query: '{ a: hello b: hello c: hello d: hello }' }])));

    assert.deepEqual([first.errors, second.errors], [undefined, undefined]);
    assert.match(third.errors[0].message, /at most 3 aliases, got 4\.$/);
  });

  it('say what was expected, what was received, and where, again for a cached document, and with 400 in the classic profile', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxDepth: 2, maxAliases: 0 })], httpStatusProfile: 'classic' });

    for (const which of ['the first request', 'a cached document']) {
      const response = await endpoint.send(post({ query: '{ a: books { author { name } } }' }));

      const message = 'Expected the operation to have at most 2 levels of fields, got 3.';
      const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
      assert.equal(response.status, 400);
      assert.deepEqual(json(response).errors, [{ message, locations: [{ line: 1, column: 1 }], extensions }], which);
    }
  });

  it('of depth do not count introspection', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxDepth: 1 })], introspection: true });

    const response = await endpoint.send(post({ query: '{ __schema { queryType { fields { name } } } }' }));

    assert.equal(response.status, 200);
  });
});

describe('a limit is not itself the attack (CVE-2026-34573)', () => {
  const fan = (levels: number): string => {
    const fragments = Array.from({ length: levels }, (_, level) => {
      const next = level + 1 < levels ? `...F${level + 1}` : 'name';
      return `fragment F${level} on Author { a: books { author { ${next} } } b: books { author { ${next} } } }`;
    });
    return `{ books { author { ...F0 } } } ${fragments.join(' ')}`;
  };

  const chain = Array.from({ length: 1500 }, (_, at) => `fragment F${at} on Author { ${at < 1499 ? `...F${at + 1}` : 'name'} }`);
  const hostile = {
    'a fan of 2^90 fields': fan(90),
    'a chain of 1,500 fragments': `{ books { author { ...F0 } } } ${chain.join(' ')}`,
    'circular fragments': '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    'a fragment in itself': '{ books { ...A } } fragment A on Book { author { books { ...A } } }',
  };
  for (const [name, query] of Object.entries(hostile))
    for (const options of [{ maxDepth: 1000 }, { maxAliases: 1e9 }, { maxCost: 1e9 }, { maxDepth: 5, maxAliases: 5, maxCost: 100 }])
      it(`${name}: refused with ${JSON.stringify(options)}`, async () => {
        const endpoint = createEndpoint({ plugins: [limits(options)] });

        const response = await endpoint.send(post({ query }));

        assert.deepEqual([response.status, endpoint.runs], [422, []]);
        assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      });
});
