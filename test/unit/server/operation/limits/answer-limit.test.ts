import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { graphqlJSExecutor } from '../../../../../src/entries/graphql-js.ts';
import { incrementalDelivery } from '../../../../../src/entries/incremental.ts';
import { createHandler } from '../../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { webRequest } from '../../../../support/events.ts';
import { json, post } from '../../../../support/plain-http.ts';
import type { PlainResponse } from '../../../../support/plain-http.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { httpAPI } from '../../../../support/sources.ts';

const typeDefs = `
  scalar JSON
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  type Query { rows: [Row!]! name: String echo(text: String): String config: JSON }
  type Mutation { write: Row }
  type Subscription { ticks: Row }
  type Row { id: ID! name: String rows: [Row!]! later: Row }
`;
const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `Row "${id}"` }));
const resolvers = {
  Query: {
    rows: () => rows,
    name: () => 'n',
    echo: (_: unknown, { text }: { text: string }) => text,
    config: () => ({ long: 'x'.repeat(10_000) }),
  },
  Mutation: { write: () => rows[0] },
  Subscription: { ticks: { subscribe: () => ReadableStream.from([{ ticks: rows[0] }, { ticks: rows[0] }]) } },
  Row: { rows: () => rows.slice(0, 2), later: async () => rows[0] },
};

const aliases = (count: number, field: string): string => Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

/** A query with this many copies of a text in its answer. */
const echoing = (count: number, text: string): { query: string; variables: object } => ({
  query: `query ($t: String) { ${aliases(count, 'echo(text: $t)')} }`,
  variables: { t: text },
});

function serve(options: Partial<ServerOptions> = {}) {
  const [logger, lines] = recordingLogger();
  const written: string[] = [];
  const Mutation = { write: () => (written.push('write'), rows[0]) };
  const handler = createHandler({ nodeEnv: '', logger, typeDefs, resolvers: { ...resolvers, Mutation }, ...options } as ServerOptions);
  return {
    lines,
    written,
    send: async (body: unknown): Promise<PlainResponse> => httpAPI.read(await handler(httpAPI.build(post(body)), {})),
    fetch: async (body: unknown, accept: string): Promise<Response> =>
      handler.fetch(webRequest(post(body, { headers: [['accept', accept]] }))),
  };
}

describe('an answer', () => {
  const text = 'x'.repeat(900_000);
  const large: Readonly<Record<string, { readonly query: string; readonly variables?: object }>> = {
    'of 4,900 aliases in 500 rows': { query: `{ rows { ${aliases(4900, 'id')} } }` },
    'of a variable under 550 aliases': echoing(550, text),
    'of control characters under aliases': echoing(40, '\u0007'.repeat(100_000)),
    'of a scalar under 1,000 aliases': { query: `{ ${aliases(1000, 'config')} }` },
    'of lists in lists': { query: `{ ${'rows { '.repeat(16)} id ${'}'.repeat(16)} }` },
    'of objects in objects that come later': {
      query: `{ rows { ${aliases(40, 'later { ...F }')} } } fragment F on Row { ${aliases(100, 'name')} }`,
    },
  };
  // The first one has the limit of the platform, 6 MB.
  for (const [index, [name, body]] of Object.entries(large).entries()) {
    it(`${name} is abandoned while it is created, with a short 400`, async () => {
      const { send, lines } = serve(index === 0 ? {} : { maxResultBytes: 65_536 });

      const response = await send(body);

      const { data, errors } = json(response);
      assert.match(errors[0].message, /^The answer has about \d+ bytes, and .+ carries \d+ at most\. Request less/);
      assert.deepEqual([response.status, data, errors[0].extensions.code], [400, undefined, 'RESULT_TOO_LARGE']);
      assert.ok(response.body.length < 1000);
      assert.equal(lines.filter(({ message }) => message.startsWith('The answer has')).length, 1);
    });
  }

  it('is refused when it is complete, where graphql-js executes operations', async () => {
    const { Query } = resolvers;
    const typeDefs = 'type Query { echo(text: String): String }';
    const { send } = serve({ typeDefs, resolvers: { Query: { echo: Query.echo } }, executor: graphqlJSExecutor(), maxResultBytes: 1_000 });

    const response = await send(echoing(1, 'x'.repeat(1_000)));

    assert.equal(response.status, 400);
    assert.match(response.body, /RESULT_TOO_LARGE/);
  });

  it('may be as large as maxResultBytes, and not a byte more', async () => {
    const body = JSON.stringify({ data: { a0: 'ä'.repeat(1000) } });
    const bytes = Buffer.byteLength(body);

    const within = await serve({ maxResultBytes: bytes }).send(echoing(1, 'ä'.repeat(1000)));
    const beyond = await serve({ maxResultBytes: bytes - 1 }).send(echoing(1, 'ä'.repeat(1000)));

    assert.deepEqual([within.status, within.body], [200, body]);
    assert.equal(beyond.status, 400);
    assert.match(json(beyond).errors[0].message, /and the server \(maxResultBytes\) carries 2017 at most/);
  });

  it('of a web Response may have 32 MiB', async () => {
    const within = await serve().fetch(echoing(37, text), 'application/json');
    const beyond = await serve().fetch(echoing(37, `${text}${'x'.repeat(10_000)}`), 'application/json');

    assert.deepEqual([within.status, beyond.status], [200, 400]);
    await within.body!.cancel();
  });

  it('that is too large ends a mutation: its later fields do not run', async () => {
    const { send, written } = serve({ maxResultBytes: 1000 });

    const response = await send({ query: `mutation { write { ${aliases(200, 'name')} } b: write { id } c: write { later { id } } }` });

    assert.equal(response.status, 400);
    assert.deepEqual(written, ['write']);
  });
});

describe('in a batch, an answer that is too large', () => {
  it('is an error of its element: the others keep their answers', async () => {
    const large = { query: `query Q { rows { ${aliases(4900, 'id')} } }` };

    const response = await serve({ maxTokens: 60_000 }).send([{ query: '{ name }' }, large, { query: 'mutation { write { id } }' }]);

    const [first, second, third] = json(response);
    assert.deepEqual([first, third], [{ data: { name: 'n' } }, { data: { write: { id: '0' } } }]);
    assert.equal(second.errors[0].extensions.code, 'RESULT_TOO_LARGE');
  });

  it('does not use the share of another element', async () => {
    const echo = echoing(1, 'x'.repeat(800));
    const mutation = { query: `mutation { write { ${aliases(40, 'name')} } }` };

    const response = await serve({ maxResultBytes: 3000 }).send([echo, mutation, { query: '{ name }' }, echo]);

    const [first, second, third, fourth] = json(response);
    assert.equal(second.data.write.a39, 'Row "0"');
    assert.deepEqual(third, { data: { name: 'n' } });
    for (const { errors } of [first, fourth]) {
      assert.equal(errors[0].extensions.code, 'RESULT_TOO_LARGE');
      assert.match(errors[0].message, /carries 3000 at most for the 4 operations of the batch, each the same share\./);
    }
    assert.ok(response.body.length <= 3000);
  });
});

describe('a streamed answer that is too large', { skip: !('experimentalExecuteIncrementally' in (await import('graphql'))) }, () => {
  for (const accept of ['multipart/mixed', 'text/event-stream, multipart/mixed;q=0.1']) {
    it(`is ended by an error if all parts together are too large: ${accept}`, async () => {
      const { fetch } = serve({ incrementalDelivery: incrementalDelivery(), maxResultBytes: 2000 });
      const query = `{ name ${Array.from({ length: 20 }, (_, at) => `... @defer { r${at}: echo(text: "${'x'.repeat(300)}") }`).join(' ')} }`;

      const response = await fetch({ query }, accept);

      const body = await response.text();
      assert.match(body, /RESULT_TOO_LARGE/);
      assert.ok(body.length < 6000, String(body.length));
    });
  }

  it('is a 400 if its first part is too large', async () => {
    const { fetch } = serve({ incrementalDelivery: incrementalDelivery(), maxResultBytes: 1000 });

    const response = await fetch({ query: `{ rows { id name } ... @defer { name } }` }, 'multipart/mixed');

    assert.equal(response.status, 400);
    assert.match(await response.text(), /RESULT_TOO_LARGE/);
  });

  it('may have labels of 256 characters', async () => {
    const { fetch } = serve({ incrementalDelivery: incrementalDelivery() });
    const ask = (length: number): Promise<Response> =>
      fetch({ query: `{ rows { ... @defer(label: "${'l'.repeat(length)}") { name } } }` }, 'multipart/mixed');

    const [within, beyond] = [await ask(256), await ask(257)];

    assert.deepEqual([within.status, beyond.status], [200, 422]);
    assert.match(await beyond.text(), /Expected labels of @defer of at most 256 characters, got one of 257\./);
    await within.body!.cancel();
  });
});

it('each event of a subscription has a separate limit', async () => {
  const { fetch } = serve({ maxResultBytes: 100 });

  const eventsOf = async (fields: string): Promise<string> =>
    (await fetch({ query: `subscription { ticks { ${fields} } }` }, 'text/event-stream')).text();

  assert.equal((await eventsOf('id name')).match(/"id":"0"/g)?.length, 2);
  assert.match(await eventsOf(aliases(20, 'name')), /RESULT_TOO_LARGE/);
});

it('an answer of many types in nested lists is not counted once for each path to it', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `T${at}`);
  const node = (__typename: string, nodes: unknown[] = []): object => ({ __typename, id: 1, nodes });
  const third = names.map((name) => node(name, [node('T0')]));
  const tree = names.map((name) => node(name, [node(name, third)]));
  const { send } = serve({
    typeDefs: `interface Node { id: ID nodes: [Node] } type Query { nodes: [Node] } ${names.map((name) => `type ${name} implements Node { id: ID nodes: [Node] }`).join(' ')}`,
    resolvers: { Query: { nodes: () => tree } },
  });

  const response = await send({ query: '{ nodes { nodes { nodes { nodes { id } } } } }' });

  assert.equal(response.status, 200);
});

it('an answer abandoned because too many fields failed reports its bytes as an integer', async () => {
  const { send } = serve({
    typeDefs: 'type Query { rows: [Row!]! } type Row { fails: String }',
    resolvers: { Query: { rows: () => rows }, Row: { fails: () => new Error('no') } },
  });

  const response = await send({ query: `{ rows { ${aliases(20, 'fails')} } }` });

  assert.match(json(response).errors[0].message, /^The answer has about \d+ bytes,/);
});
