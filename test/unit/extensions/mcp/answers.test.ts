import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { idempotency, idempotencyDefinitions, memoryStore } from '../../../../src/entries/idempotency.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { documents, serveTools, typeDefs } from '../../../support/mcp-serving.ts';

const rename = { name: 'rename', arguments: { id: '1', title: 'a' } };

describe('after a mutation has run', () => {
  for (const [what, title, options, scalar] of [
    ['too large', 'x'.repeat(300_000), {}, 'String'],
    ['too large in bytes', 'ä'.repeat(200_000), {}, 'String'],
    ['larger than maxResultBytes', 'x'.repeat(600), { maxResultBytes: 1_000 }, 'String'],
    [
      'an object whose toJSON throws',
      {
        toJSON() {
          throw new Error('secret');
        },
      },
      {},
      'Odd',
    ],
  ] as const)
    test(`an answer that is ${what} says in JSON-RPC that the tool has run and must not be called again`, async () => {
      let runs = 0;
      const { legacy } = serveTools(
        {},
        {
          typeDefs: [mcpDefinitions, typeDefs.replace('title: String! pages', `title: ${scalar}! pages`)],
          resolvers: {
            Mutation: {
              rename: () => {
                runs++;
                return { id: 1, title };
              },
            },
          },
          ...options,
        },
      );

      const { result } = await legacy('tools/call', rename);

      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /^The tool has run.* Do not call it again\.$/);
      assert.equal(runs, 1);
    });
});

describe('a replay of a mutation', () => {
  test('whose answer is too large says that the tool has run, like the first answer', async () => {
    const rename =
      'mutation Rename($id: ID!, $key: String!) @mcpTool(description: "x") { rename(id: $id) @idempotent(key: $key) { title } }';
    let runs = 0;
    const { legacy } = serveTools(
      { hidden: {} },
      {
        typeDefs: [mcpDefinitions, idempotencyDefinitions, typeDefs],
        trustedDocuments: { documents: { rename } },
        resolvers: { Mutation: { rename: () => ({ title: `${++runs}`.repeat(150_000) }) } },
        plugins: [
          mcp({ name: 'a', version: '1' }),
          idempotency({ store: memoryStore(), identity: () => 'everyone', maxAnswerBytes: 1_000_000 }) as ServerPlugin,
        ],
        maxResultBytes: 200_000,
      },
    );
    const call = { name: 'rename', arguments: { id: '1', key: 'k' } };

    const texts = [await legacy('tools/call', call), await legacy('tools/call', call)].map(({ result }) => result.content[0].text);

    assert.deepEqual([...new Set(texts)], ['The tool has run, but its answer is too large. Do not call it again.']);
    assert.equal(runs, 1);
  });
});

test("the endpoint applies the server's maxBodyBytes", async () => {
  const { post } = serveTools({ maxBodyBytes: 10_000 }, { maxBodyBytes: 1_000 });

  assert.equal((await post(`{"a":"${'x'.repeat(2_000)}"}`)).status, 413);
});

describe('hidden variables', () => {
  test('are not shown in an error that quotes an argument with their name', async () => {
    const { legacy } = serveTools(
      { hidden: { tenant: () => '1' } },
      {
        trustedDocuments: {
          documents: {
            a: 'query A($tenant: ID!, $id: ID!) @mcpTool(description: "x") { book(id: $tenant) { id } other: book(id: $id) { id } }',
          },
        },
        resolvers: {
          Query: {
            book: (_: unknown, { id }: { id: string }) => {
              throw new GraphQLError(`There is no book "${id}".`);
            },
          },
        },
      },
    );

    const { result } = await legacy('tools/call', { name: 'a', arguments: { id: '$tenant' } });

    assert.match(result.content[0].text, /There is no book/);
  });

  test('in an invalid document disable only the tool of that document', async () => {
    const mine = documents['mine']!.replace('title', 'nothing');
    const { legacy } = serveTools({}, { nodeEnv: 'production', trustedDocuments: { documents: { ...documents, mine }, only: true } });

    const { tools } = (await legacy('tools/list')).result;

    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['fails', 'get_book', 'rename', 'search-all'],
    );
  });
});
