import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { edgeServing } from './serving.ts';

const typeDefs = `type Query { hello: String @cacheControl(maxAge: 60) me: String @cacheControl(maxAge: 60) unmarked: String }`;
const resolvers: any = {
  Query: { hello: () => 'world', me: (_: unknown, __: unknown, { user }: { user: () => unknown }) => String(user()) },
};
const context = ({ request }: any): object => ({ user: () => request.headers.get('authorization') });

describe('explain', () => {
  const explained = async (query: string): Promise<any> => {
    const server = { typeDefs, resolvers, context, nodeEnv: 'development' } as never;
    const response = await edgeServing({ server }).get(query, { headers: { 'graphql-functions-explain': '1' } });
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    return ((await response.json()) as any).extensions.explain.sharing;
  };

  test('says that an answer would be public, with its lifetime and its tags', async () => {
    assert.deepEqual(await explained('{ hello }'), { public: true, maxAge: 60, tags: ['q:hello'] });
  });

  test('says why an answer would not be public', async () => {
    assert.deepEqual(
      [await explained('{ me }'), await explained('{ unmarked }')],
      [
        { public: false, reason: 'the header authorization was read' },
        { public: false, reason: 'a field cannot be stored: the shortest maxAge of its hints is 0' },
      ],
    );
  });
});

describe('the header that requests a report', () => {
  test('makes a response in production private, because a report contains more', async () => {
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers } });

    const response = await get('{ hello }', { headers: { 'graphql-functions-explain': '1' } });

    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions, [{ public: false, reason: 'a report was requested' }]);
  });
});

describe('the cost line', () => {
  const linesOf = async (plugins: (line: ServerPlugin) => readonly ServerPlugin[], queries: readonly string[]): Promise<unknown[]> => {
    const records: unknown[] = [];
    const line = costLine({ write: (_text, { sharing }) => void records.push(sharing) });
    const { get } = edgeServing({ server: { typeDefs, resolvers, context, plugins: plugins(line) } as never });
    for (const query of queries) await get(query);
    return records;
  };

  test('says whether the answer was public, and why not', async () => {
    assert.deepEqual(await linesOf((line) => [line], ['{ hello }', '{ me }', '{']), [
      { public: true },
      { public: false, reason: 'the header authorization was read' },
      { public: false, reason: 'the status is 400' },
    ]);
  });

  test('says what to change when costLine is listed after edge', async () => {
    const records: unknown[] = [];
    const line = costLine({ write: (_text, { sharing }) => void records.push(sharing) });
    const handler = createHandler({ typeDefs: 'type Query { a: Int }', plugins: [edge({ cdn: 'varnish' }), line] });

    await handler(new Request('https://api.example/?query={a}'));

    assert.deepEqual(records, [{ reason: 'not known yet: list costLine before edge' }]);
  });

  test('does not mention it without edge', async () => {
    const records: object[] = [];
    const handler = createHandler({
      typeDefs: 'type Query { a: Int }',
      plugins: [costLine({ write: (_text, record) => void records.push(record) })],
    });

    await handler(new Request('https://api.example/?query={a}'));

    assert.equal('sharing' in records[0]!, false);
  });
});
