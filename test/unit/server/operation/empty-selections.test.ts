import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import { limits } from '../../../../src/entries/limits.ts';
import { batch } from '../../../../src/entries/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { executors } from '../../../support/executors.ts';
import { json, post } from '../../../support/plain-http.ts';
import { allPayloads, merge, runIncrementally } from '../../../support/run-incrementally.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import { serveTools } from '../../../support/mcp-serving.ts';
import { startExplaining } from '../../../support/explained.ts';

// GraphQL, September 2026, section 2.4: a selection set may be empty. The parser of graphql 16 refuses it.
const skip = versionInfo.major < 17 && 'graphql 16 does not parse empty selection sets';

describe('an empty selection set', { skip }, () => {
  for (const [query, cost] of [
    ['{ books(first: 20) { ...F } } fragment F on Book { }', 1 + 20],
    ['{ books(first: 2) { author { } } }', 1 + 2 * (1 + 1)],
    ['{ hello ... { } }', 1],
  ] as const)
    test(`${query} costs ${cost}`, async () => {
      const sendWithin = async (maxCost: number) => createEndpoint({ plugins: [limits({ maxCost })] }).send(post({ query }));

      assert.equal((await sendWithin(cost)).status, 200);
      if (cost > 1) assert.match(json(await sendWithin(cost - 1)).errors[0].message, new RegExp(`got one that costs ${cost}\\.$`));
    });

  test('counts for no level of fields, but as nesting', async () => {
    const inEmpty = (levels: number): string => `${'{ ... '.repeat(levels)}{ }${' }'.repeat(levels)}`;

    const tests = [
      ['{ books { author { ... { } } } }', { plugins: [limits({ maxDepth: 2 })] }],
      ['{ books { author { ... { } } } }', { plugins: [limits({ maxDepth: 1 })] }],
      [inEmpty(199), {}],
      [inEmpty(200), {}],
    ] as const;
    const statuses = await Promise.all(tests.map(async ([query, limit]) => (await createEndpoint(limit).send(post({ query }))).status));

    assert.deepEqual(statuses, [200, 422, 200, 400]);
  });

  test('has the lifetime of its field, and the tags of an object without an id', async () => {
    const { get } = edgeServing({
      server: {
        typeDefs: 'type Query { book: Book @cacheControl(maxAge: 60) private: Book } type Book { id: ID! }',
        rootValue: { book: { id: 'b1' }, private: { id: 'b2' } },
      },
    });

    const isPublic = await get('{ book { } }');
    const isPrivate = await get('{ book { } private { } }');

    assert.match(isPublic.headers.get('cache-control') ?? '', /^public, max-age=0, s-maxage=60/);
    assert.deepEqual((isPublic.headers.get('xkey') ?? '').split(' ').toSorted(), ['q:book', 't:Book', 'u:Book']);
    assert.equal(isPrivate.headers.get('cache-control'), 'private, no-store');
  });

  test('is an object without properties in the output schema of an MCP tool', async () => {
    const documents = { empty: 'query Empty @mcpTool(description: "Nothing of a book") { book(id: 1) { ...F } } fragment F on Book { }' };
    const { legacy } = serveTools({ hidden: {} }, { trustedDocuments: { documents, only: true } });

    const [{ name, outputSchema }] = (await legacy('tools/list')).result.tools;
    const { structuredContent } = (await legacy('tools/call', { name, arguments: {} })).result;

    assert.deepEqual(outputSchema.properties.book, {
      type: ['object', 'null'],
      properties: {},
      description: 'Finds one book',
    });
    assert.deepEqual(structuredContent, { book: {} });
  });

  test('is explained: its field is called, and nothing below it', async (t) => {
    const parents: number[] = [];
    const server = await startExplaining(t, () => ({ body: {} }), {
      typeDefs: 'type Query { books: [Book] } type Book { batched: Author } type Author { name: String }',
      resolvers: {
        Query: { books: async (_: unknown, __: unknown, { dataSources }: any) => [await dataSources.api.read('books'), {}] },
        Book: {
          batched: batch((books) => {
            parents.push(books.length);
            return books.map(() => ({}));
          }),
        },
      } as never,
    });

    const empty = await server.explain('{ books { } }');
    const fields = empty.calls.map(({ field }) => field);
    assert.deepEqual(fields, ['books']);
    assert.deepEqual(parents, []);
    await server.explain('{ books { batched { } } }');
    assert.deepEqual(parents, [2]);
  });

  for (const [name, executor] of executors)
    test(`of many rows, and of a batched field of many rows, makes an object per row with ${name}`, async () => {
      const calls: number[] = [];
      const count = 10_100;
      const endpoint = createEndpoint({
        ...executor,
        typeDefs: 'type Query { rows: [Row!]! } type Row { id: Int! plain: Row batched: Row }',
        resolvers: {
          Query: { rows: () => Array.from({ length: count }, (_, id) => ({ id, plain: {} })) },
          Row: {
            batched: batch((rows) => {
              calls.push(rows.length);
              return rows.map(() => ({}));
            }),
          },
        } as never,
      } as never);
      const rowsOf = async (query: string): Promise<object[]> => json(await endpoint.send(post({ query }))).data.rows;

      // Rows of the second answer are made by generated code from the start.
      for (let round = 0; round < 2; round++) {
        const empty = await rowsOf('{ rows { } }');
        const nested = await rowsOf('{ rows { id plain { } batched { ... { } } } }');

        assert.deepEqual(
          empty,
          Array.from({ length: count }, () => ({})),
        );
        assert.deepEqual(
          nested,
          Array.from({ length: count }, (_, id) => ({ id, plain: {}, batched: {} })),
        );
      }
      assert.equal(calls.reduce((sum, length) => sum + length, 0), 2 * count); // prettier-ignore
    });

  for (const format of ['current', 'legacy'] as const)
    test(`may be deferred (${format} format)`, async () => {
      const options = { typeDefs: 'type Query { self: Query text: String }', rootValue: { self: { text: 'x' }, text: 'y' } };
      const query = '{ text ... @defer { } self { ...F @defer(label: "f") } ... @defer { self { } } } fragment F on Query { }';

      const parts = await allPayloads(await runIncrementally(options, query, { format }));

      assert.deepEqual(JSON.parse(JSON.stringify(merge(parts))), { data: { text: 'y', self: {} }, errors: [] });
      assert.deepEqual(parts.map(({ hasNext }) => hasNext ?? false).at(-1), false);
    });
});
