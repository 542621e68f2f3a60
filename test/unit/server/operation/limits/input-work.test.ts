import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';

const defaults = Array.from({ length: 30 }, (_, at) => `d${at}: [Int!] = [1, 2]`).join(' ');
const typeDefs = `
  type Query { rows(first: Int): [Row!]! sum(in: [In!]): Int many(in: [Many!]): Int }
  type Row { given(in: [In!]): Int byDefault(in: [In!] = [{}, {}]): Int }
  input In { n: Int ${defaults} }
  input Many { n: Int ${Array.from({ length: 200 }, (_, at) => `d${at}: Int = ${at}`).join(' ')} }
`;

/** Counts the calls of its resolvers. */
function serve(): {
  readonly calls: { count: number };
  readonly send: (body: object) => ReturnType<ReturnType<typeof createEndpoint>['send']>;
} {
  const calls = { count: 0 };
  const count = (_: unknown, values: { in: object[] }): number => (calls.count++, values.in.length);
  const rows = (_: unknown, { first }: { first?: number }): object[] => Array.from({ length: first ?? 100 }, () => ({}));
  const resolvers = { Query: { rows, sum: count, many: count }, Row: { given: count, byDefault: count } };
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

  it('count each of their defaults, which clients do not send: 500 objects may have 200, and 1,000 may not', async () => {
    const { send } = serve();
    const literal = (count: number): object => ({ query: `{ many(in: [${'{} '.repeat(count)}]) }` });
    const variable = (count: number): object => ({
      query: 'query ($in: [Many!]) { many(in: $in) }',
      variables: { in: Array.from({ length: count }, () => ({})) },
    });

    for (const make of [literal, variable]) {
      assert.deepEqual(json(await send(make(500))), { data: { many: 500 } });
      assert.equal(codeOf(await send(make(1_000))), 'RESULT_TOO_LARGE');
    }
  });

  it('are not made a second time to explain what is wrong with one of them', async () => {
    const { send } = serve();
    const messageFor = async (count: number): Promise<string> => {
      const variables = { in: [...Array.from({ length: count }, () => ({})), { n: 'x' }] };
      return json(await send({ query: 'query ($in: [Many!]) { many(in: $in) }', variables })).errors[0].message;
    };

    assert.match(await messageFor(100), /^Variable "\$in" has invalid value at \[100\]\.n: |got invalid value "x" at "in\[100\]\.n"/);
    assert.equal(await messageFor(500), 'Variable "$in" has no valid value of type "[Many!]". Send smaller variables to see why.');
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
