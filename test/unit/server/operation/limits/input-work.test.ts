import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';

const defaults = Array.from({ length: 30 }, (_, at) => `d${at}: [Int!] = [1, 2]`).join(' ');
const typeDefs = `
  type Query { rows(first: Int): [Row!]! sum(in: [In!]): Int }
  type Row { given(in: [In!]): Int byDefault(in: [In!] = [{}, {}]): Int }
  input In { n: Int ${defaults} }
`;

/** Counts the calls of its resolvers. */
function serve(): {
  readonly calls: { count: number };
  readonly send: (body: object) => ReturnType<ReturnType<typeof createEndpoint>['send']>;
} {
  const calls = { count: 0 };
  const count = (_: unknown, values: { in: object[] }): number => (calls.count++, values.in.length);
  const rows = (_: unknown, { first }: { first?: number }): object[] => Array.from({ length: first ?? 100 }, () => ({}));
  const resolvers = { Query: { rows, sum: count }, Row: { given: count, byDefault: count } };
  const endpoint = createEndpoint({ typeDefs, resolvers });
  return { calls, send: (body) => endpoint.send(post(body)) };
}

const codeOf = ({ body }: { body: string }): unknown => JSON.parse(body).errors?.[0].extensions.code;

describe('objects and lists created for arguments', () => {
  it('count in each row, including their defaults: 7,000 `{}` in 100 rows are too many', async () => {
    const { send, calls } = serve();

    const response = await send({ query: `{ rows { given(in: [${'{} '.repeat(7000)}]) } }` });

    assert.equal(response.status, 400);
    assert.equal(codeOf(response), 'RESULT_TOO_LARGE');
    assert.ok(calls.count < 3, `${calls.count}`);
  });

  it('count if all of them are defaults of the schema', async () => {
    const { send, calls } = serve();

    const response = await send({ query: `{ rows { ${Array.from({ length: 400 }, (_, at) => `a${at}: byDefault`).join(' ')} } }` });

    assert.equal(codeOf(response), 'RESULT_TOO_LARGE');
    assert.ok(calls.count < 10_000, `${calls.count}`);
  });

  it('count in variables', async () => {
    const { send, calls } = serve();

    const query = 'query ($in: [In!]) { sum(in: $in) }';
    const [few, many] = [
      await send({ query, variables: { in: Array.from({ length: 1_000 }, () => ({})) } }),
      await send({ query, variables: { in: Array.from({ length: 49_000 }, () => ({})) } }),
    ];

    assert.deepEqual(json(few), { data: { sum: 1_000 } });
    assert.equal(many.status, 400);
    assert.equal(codeOf(many), 'RESULT_TOO_LARGE');
    assert.equal(calls.count, 1);
  });

  it('may be 60 in each of 700 rows', async () => {
    const response = await serve().send({ query: '{ rows(first: 700) { byDefault } }' });

    assert.equal(json(response).errors, undefined);
  });

  it('are separate: what a resolver writes into one is not in the next row', async () => {
    const seen: unknown[] = [];
    const given = (_: unknown, values: { in: { n?: number }[] }): number => {
      seen.push(values.in[0]!.n);
      values.in[0]!.n = 7;
      return 1;
    };
    const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { rows: () => [{}, {}] }, Row: { given } } });

    await endpoint.send(post({ query: '{ rows { given(in: [{ n: 1 }]) } }' }));

    assert.deepEqual(seen, [1, 1]);
  });
});
