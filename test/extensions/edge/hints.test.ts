import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EdgeOptions } from '../../../src/edge.ts';
import { hint, root, table } from './hint-table.ts';
import { edgeServing } from './serving.ts';

const withDroid = (typeDefs: string): string =>
  /type Droid\b/.test(typeDefs)
    ? typeDefs
    : `${typeDefs} type Droid ${typeDefs.includes('interface Node') ? 'implements Node' : ''} { id: ID! name: String }`;

describe('the lifetime of an answer', () => {
  for (const { name, typeDefs, query, variables, defaultMaxAge, resolvers, expected } of table) {
    test(name, async () => {
      const options: Partial<EdgeOptions> = { cdn: 'rfc9213', defaultMaxAge };
      const { get, decisions, log } = edgeServing({
        ...options,
        server: { typeDefs: withDroid(typeDefs), resolvers, rootValue: root, introspection: true } as never,
      });

      const response = await get(query, { ...(variables && { variables }) });

      assert.equal(response.status, 200, await response.text());
      const [decision] = decisions;
      assert.equal(decision?.public === true ? decision.maxAge : 'private', expected);
      assert.deepEqual(log, []);
    });
  }

  for (const wrong of [{ scope: 'private' }, { maxAge: Number.NaN }, { maxAge: -1 }, { maxAge: '60' }])
    test(`the hint ${JSON.stringify(wrong)} of a resolver is an error, not a public answer`, async () => {
      const typeDefs = 'type Query { dynamic: String @cacheControl(maxAge: 60) }';
      const { get } = edgeServing({ server: { typeDefs, resolvers: { Query: { dynamic: hint(wrong) } } } as never });

      const response = await get('{ dynamic }');

      assert.equal(response.headers.get('cache-control'), 'no-store');
    });
});
