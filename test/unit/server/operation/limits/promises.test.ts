import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../../support/endpoint.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { json, post } from '../../../../support/plain-http.ts';
import type { PlainResponse } from '../../../../support/plain-http.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query { rows(first: Int!): [Row!]! name: String echo(text: String): String }
  type Row { id: ID! a: String b: String c: String fails: String }
`;

interface Server {
  /** The number of promises that the resolvers have created. */
  readonly made: { count: number };
  send(body: unknown): Promise<PlainResponse>;
}

/** A server whose rows have asynchronous fields. Default: 20,000 rows. */
function serve(options: Partial<ServerOptions> = {}): Server {
  const made = { count: 0 };
  const later = (value: string) => (): Promise<string> => {
    made.count++;
    return Promise.resolve(value);
  };
  const fails = (): Promise<never> => {
    made.count++;
    return Promise.reject(new Error('no'));
  };
  const resolvers = {
    Query: {
      rows: (_: unknown, { first }: { first: number }) => Array.from({ length: first }, (_row, id) => ({ id })),
      name: () => 'n',
      echo: (_: unknown, { text }: { text: string }) => text,
    },
    Row: { a: later('some text'), b: later('some text'), c: later('some text'), fails },
  };
  const { send } = createEndpoint({ typeDefs, resolvers, ...options } as ServerOptions);
  return { made, send: (body) => send(post(body)) };
}

const sixFields = '{ rows(first: 20000) { a b c d: a e: b f: c } }';

describe('the promises of an answer', () => {
  it('may be three in each of 20,000 rows', async () => {
    const response = await serve().send({ query: '{ rows(first: 20000) { id a b c } }' });

    assert.equal(response.status, 200);
    assert.equal(json(response).data.rows[19_999].c, 'some text');
  });

  it('are limited to 75,000: an answer with more is abandoned, with a short 400 that says why', async () => {
    const { send, made } = serve();

    const response = await send({ query: sixFields });

    assert.equal(response.status, 400);
    const [{ message, extensions }] = json(response).errors;
    assert.equal(extensions.code, 'RESULT_TOO_LARGE');
    assert.match(
      message,
      /^The answer has about \d+ bytes, 140 of them for each unit of work after 180000 \(a promise counts 3, .+\), and .+ at most\. Request less/,
    );
    assert.ok(made.count <= 75_001, `${made.count}`);
    assert.ok(response.body.length < 400);
  });

  it('share their limit with failing fields beyond the first 1,100', async () => {
    const { send, made } = serve();

    const some = await send({ query: '{ rows(first: 3000) { fails } }' });
    const many = await send({ query: '{ rows(first: 20000) { fails } }' });

    assert.equal(json(some).data.rows.length, 3000);
    assert.equal(json(some).errors[0].path.join('.'), 'rows.0.fails');
    assert.equal(json(many).errors[0].extensions.code, 'RESULT_TOO_LARGE');
    assert.ok(made.count <= 23_000, `${made.count}`);
  });

  it('that reject after their answer was abandoned are handled', async () => {
    const large = { query: 'query ($t: String) { echo(text: $t) rows(first: 8000) { fails } }', variables: { t: 'x'.repeat(5_000) } };
    const others = Array.from({ length: 9 }, () => ({ query: '{ name }' }));
    let response: PlainResponse | undefined;

    const unhandled = await unhandledRejections(async () => {
      response = await serve({ maxResultBytes: 1_000_000 }).send([large, ...others]);
    });

    assert.match(json(response!)[0].errors[0].message, /23 of them for each unit of work after 18000 /);
    assert.equal(unhandled, 0);
  });

  it('share that limit in a batch, whose small operations are answered', async () => {
    const { send, made } = serve();

    const response = await send([...Array.from({ length: 9 }, () => ({ query: sixFields })), { query: '{ name rows(first: 100) { a } }' }]);

    const answers = json(response) as { data?: { name: string }; errors?: { extensions: { code: string } }[] }[];
    assert.equal(answers[9]!.data?.name, 'n');
    for (const { errors } of answers.slice(0, 9)) assert.equal(errors?.[0]?.extensions.code, 'RESULT_TOO_LARGE');
    assert.ok(made.count <= 85_000, `${made.count}`);
  });
});
