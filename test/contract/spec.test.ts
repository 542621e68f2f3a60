import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DataSource } from '../../src/entries/datasource.ts';
import { createHandler } from '../../src/entries/index.ts';
import { createListener } from '../../src/entries/node.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { echoServer } from '../support/echo-server.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../support/plain-http.ts';
import { frontDoors, httpAPI, netlifyV1 } from '../support/sources.ts';

/**
 * The specification's own rules and table rows, one test each, in its order and by its numbers. Rules of data sources
 * that send requests are in test/datasources/.
 */

const echo = 'query ($t: String) { echo(text: $t) }';
const twoOperations = 'query A { echo(text: "a") } query B { echo(text: "b") }';

/** Sends a request to a server with these options, through an HTTP API. */
async function send(request: PlainRequest, options: Partial<ServerOptions> = {}): Promise<PlainResponse> {
  return httpAPI.read(await createHandler(serverOf(options).options)(httpAPI.build(request)));
}

function serverOf(options: Partial<ServerOptions>): ReturnType<typeof echoServer> {
  return echoServer({ typeDefs: typeDefs, resolvers, ...options });
}

const typeDefs = 'type Query { echo(text: String): String, user: String } type Mutation { add(by: Int!): Int }';
const resolvers = {
  Query: {
    echo: (_: unknown, { text }: { text?: string }) => text ?? 'nothing',
    user: (_: unknown, _arguments: unknown, { dataSources }: any) => dataSources.users.name(),
  },
  Mutation: { add: (_: unknown, { by }: { by: number }, { tally }: any) => (tally.added += by) },
};

class Users extends DataSource<{ name: string }> {
  readonly name = (): string => this.context.name;
}

test('SPEC, What the service does 1: it accepts queries and mutations over HTTP and returns GraphQL responses', async () => {
  assert.deepEqual(json(await send(post({ query: '{ echo }' }))), { data: { echo: 'nothing' } });
  assert.deepEqual(json(await send(post({ query: 'mutation { add(by: 2) }' }))), { data: { add: 2 } });
});

test('SPEC, What the service does 2: POST with a JSON body, and GET with URL query parameters for queries, not mutations', async () => {
  assert.equal((await send(post({ query: '{ echo }' }))).status, 200);
  assert.equal((await send(get({ query: '{ echo }' }))).status, 200);
  assert.equal((await send(get({ query: 'mutation { add(by: 1) }' }))).status, 405);
});

test('SPEC, What the service does 3: a batch of operations in a single POST request', async () => {
  assert.deepEqual(json(await send(post([{ query: '{ echo }' }, { query: '{ __typename }' }]))), [
    { data: { echo: 'nothing' } },
    { data: { __typename: 'Query' } },
  ]);
});

test('SPEC, What the service does 4: resolvers read through data source objects', async () => {
  const response = await send(post({ query: '{ user }' }), {
    context: () => ({ name: 'ada' }),
    dataSources: () => ({ users: new Users() }),
  });

  assert.deepEqual(json(response), { data: { user: 'ada' } });
});

test('SPEC, What the service does 5: it runs as a long-lived process or as a function made by createHandler', async (t) => {
  const process = frontDoors.find(({ name }) => name === 'node:http')!.open(serverOf({}).options);
  t.after(() => process.close());

  const answers = [await process.send(post({ query: '{ echo }' })), await send(post({ query: '{ echo }' }))];

  assert.deepEqual(answers.map(json), [{ data: { echo: 'nothing' } }, { data: { echo: 'nothing' } }]);
  assert.equal(typeof createListener(serverOf({}).options), 'function');
});

test("SPEC, What the service does 5: a function answers behind its platform's prefix and under any name", async () => {
  const handler = createHandler(serverOf({}).options);

  for (const path of ['/.netlify/functions/graphql', '/.netlify/functions/books/', '/prod/graphql']) {
    assert.equal((await netlifyV1.read(await handler(netlifyV1.build(post({ query: '{ echo }' }, { path }))))).status, 200);
  }
});

for (const nodeEnv of ['development', 'production', '', 'test']) {
  const served = nodeEnv === 'development';
  test(`SPEC, What the service does 6: the playground ${served ? 'is' : 'is not'} served when NODE_ENV equals ${JSON.stringify(nodeEnv)}`, async () => {
    const playground = { serverWillStart: () => ({ renderLandingPage: () => ({ html: '<title>Playground</title>' }) }) };

    const response = await send(plainRequest({ headers: [['Accept', 'text/html']] }), { nodeEnv, plugins: [playground] });

    assert.equal(response.body.includes('Playground'), served);
  });
}

test('SPEC, Operation request, query: required, a string', async () => {
  for (const body of [{}, { query: 5 }, { query: '' }, { variables: {} }]) assert.equal((await send(post(body))).status, 422);
});

test('SPEC, Operation request, operationName: required when there are several operations, and selects one', async () => {
  assert.equal((await send(post({ query: twoOperations }))).status, 422);
  assert.deepEqual(json(await send(post({ query: twoOperations, operationName: 'B' }))), { data: { echo: 'b' } });
});

test('SPEC, Operation request, operationName: may be omitted when there is exactly one operation', async () => {
  assert.equal((await send(post({ query: 'query A { echo }' }))).status, 200);
});

test('SPEC, Operation request, variables: a JSON object, not required', async () => {
  assert.deepEqual(json(await send(post({ query: echo, variables: { t: 'x' } }))), { data: { echo: 'x' } });
  assert.equal((await send(post({ query: echo }))).status, 200);
  assert.equal((await send(post({ query: echo, variables: ['x'] }))).status, 422);
});

test('SPEC, Batch request: a JSON array whose elements are operation requests', async () => {
  const batch = [
    { query: twoOperations, operationName: 'A' },
    { query: echo, variables: { t: 'x' } },
  ];

  assert.deepEqual(json(await send(post(batch))), [{ data: { echo: 'a' } }, { data: { echo: 'x' } }]);
});

test('SPEC, GET query parameters, query: URL-escaped, queries only', async () => {
  assert.deepEqual(json(await send(get({ query: '{ echo(text: "a&b=c +%") }' }))), { data: { echo: 'a&b=c +%' } });
});

test('SPEC, GET query parameters, operationName: as in POST', async () => {
  assert.deepEqual(json(await send(get({ query: twoOperations, operationName: 'B' }))), { data: { echo: 'b' } });
});

test('SPEC, GET query parameters, variables: the text of a JSON object, as in POST', async () => {
  assert.deepEqual(json(await send(get({ query: echo, variables: '{"t":"ü & ü"}' }))), { data: { echo: 'ü & ü' } });
});

test('SPEC, Server constructor options, typeDefs: defines the served API', async () => {
  assert.equal((await send(post({ query: '{ other }' }), { typeDefs: 'type Query { other: Int }', resolvers: {} })).status, 200);
});

test('SPEC, Server constructor options, resolvers: implements the schema fields', async () => {
  const response = await send(post({ query: '{ other }' }), {
    typeDefs: 'type Query { other: Int }',
    resolvers: { Query: { other: () => 7 } },
  });

  assert.deepEqual(json(response), { data: { other: 7 } });
});

test('SPEC, Server constructor options, allowBatchedHttpRequests: when false, batches are not processed', async () => {
  const { options, tally } = serverOf({ allowBatchedHttpRequests: false });

  const response = await httpAPI.read(await createHandler(options)(httpAPI.build(post([{ query: 'mutation { add(by: 1) }' }]))));

  assert.equal(response.status, 400);
  assert.equal(tally.added, 0);
});

test('SPEC, Server constructor options, csrfPrevention: when true, the default prevention is enabled', async () => {
  const request = plainRequest({ query: 'query=%7Becho%7D' });

  assert.equal((await send(request, { csrfPrevention: true })).status, 400);
  assert.equal((await send(request, { csrfPrevention: false })).status, 200);
});

test('SPEC, Server constructor options, cache: "bounded", or an object with the KeyValueCache interface', async () => {
  const store = { get: async () => undefined, set: async () => {}, delete: async () => true };

  for (const cache of ['bounded', store] as const) assert.equal((await send(post({ query: '{ echo }' }), { cache })).status, 200);
});

test('SPEC, Server constructor options, plugins: a list that includes a plugin for the landing page', async () => {
  const page = { serverWillStart: () => ({ renderLandingPage: () => ({ html: '<title>Mine</title>' }) }) };

  const response = await send(plainRequest({ headers: [['Accept', 'text/html']] }), { nodeEnv: 'development', plugins: [{}, page] });

  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
});

test('SPEC, Data source rules 1: data sources are classes built on DataSource', async () => {
  assert.ok(new Users() instanceof DataSource);
});

test('SPEC, Data source rules 2: dataSources is called for every operation, and its object is context.dataSources', async () => {
  let calls = 0;
  const seen: unknown[] = [];
  const sources = { users: new Users() };
  const options = {
    dataSources: () => (calls++ === 0 ? sources : { users: new Users() }),
    resolvers: { Query: { user: (_: unknown, _arguments: unknown, context: any) => void seen.push(context.dataSources) } },
  };

  await send(post([{ query: '{ user }' }, { query: '{ user }' }]), options);

  assert.equal(calls, 2);
  assert.equal(seen[0], sources);
  assert.notEqual(seen[1], sources);
});

test('SPEC, Data source rules 3: one instance for two operations is refused in development', async () => {
  const shared = new Users();

  const [, second] = json(
    await send(post([{ query: '{ echo }' }, { query: '{ echo }' }]), { nodeEnv: 'development', dataSources: () => ({ shared }) }),
  );

  assert.match(second.errors[0].message, /must create a new instance for every operation/);
});

test('SPEC, Data source rules 4: resolvers read data sources from context.dataSources, the same object in all of an operation', async () => {
  const seen = new Set<unknown>();
  const note = (_: unknown, _arguments: unknown, context: any): string => (seen.add(context.dataSources), '');

  await send(post({ query: '{ a: user b: user echo }' }), {
    dataSources: () => ({ users: new Users() }),
    resolvers: { Query: { user: note, echo: note } },
  });

  assert.equal(seen.size, 1);
});

test('SPEC, Endpoints, POST: a GraphQL response for an object, an array in the same order for an array', async () => {
  const batch = ['a', 'b', 'c'].map((t) => ({ query: echo, variables: { t } }));

  assert.deepEqual(json(await send(post(batch[0]))), { data: { echo: 'a' } });
  assert.deepEqual(
    json(await send(post(batch))).map(({ data }: { data: { echo: string } }) => data.echo),
    ['a', 'b', 'c'],
  );
});

test('SPEC, Endpoints, GET: no Content-Type is required', async () => {
  assert.equal((await send(get({ query: '{ echo }' }))).status, 200);
});

test('SPEC, Endpoints rule 1: a POST without Content-Type application/json is not a valid request', async () => {
  const body = new TextEncoder().encode('{"query":"{ echo }"}');

  for (const type of [undefined, 'text/plain', 'application/jsonp', 'application/graphql']) {
    const headers: [string, string][] = type === undefined ? [] : [['Content-Type', type]];
    for (const csrfPrevention of [true, false]) {
      const { status } = await send(plainRequest({ method: 'POST', body, headers }), { csrfPrevention });
      assert.ok(status === 400 || status === 415, `${String(type)} is ${status}`);
    }
  }
});

test('SPEC, Endpoints rule 2: when allowBatchedHttpRequests is false, batched requests are not processed', async () => {
  assert.equal((await send(post([{ query: '{ echo }' }]), { allowBatchedHttpRequests: false })).status, 400);
});

test('SPEC, Endpoints rule 3: the answer to a GET is cached as its author says, an error never', async () => {
  const context = ({ response }: Parameters<NonNullable<ServerOptions['context']>>[0]): object => (
    response.headers.set('cache-control', 'public, max-age=60'),
    {}
  );

  assert.equal((await send(get({ query: '{ echo }' }), { context })).headers.get('cache-control'), 'public, max-age=60');
  assert.equal((await send(get({ query: '{ no }' }), { context })).headers.get('cache-control'), 'private, no-store');
});

test('SPEC, Endpoints rule 4: with CSRF prevention, a GET without Content-Type must carry one of the headers', async () => {
  assert.equal((await send(plainRequest({ query: 'query=%7Becho%7D' }))).status, 400);
});

test('SPEC, Authentication 1: a POST must carry Content-Type application/json', async () => {
  const { status } = await send(
    plainRequest({ method: 'POST', body: 'query=%7Becho%7D', headers: [['Content-Type', 'application/x-www-form-urlencoded']] }),
  );

  assert.equal(status, 400);
});

for (const name of ['X-Vendor-Operation-Name', 'Vendor-Require-Preflight']) {
  test(`SPEC, Authentication 2: ${name} with a value that is not empty lets a GET through`, async () => {
    const withValue = (value: string): PlainRequest => plainRequest({ query: 'query=%7Becho%7D', headers: [[name, value]] });

    assert.equal((await send(withValue('1'))).status, 200);
    assert.equal((await send(withValue(''))).status, 400);
  });
}

test('SPEC, Authentication 3: a GET that carries Content-Type application/json is not bound by rule 2', async () => {
  const { status } = await send(plainRequest({ query: 'query=%7Becho%7D', headers: [['Content-Type', 'application/json']] }));

  assert.equal(status, 200);
});

test('SPEC, Authentication 3, our one departure: a GET with a type that browsers send without asking stays bound by rule 2', async () => {
  const { status } = await send(plainRequest({ query: 'query=%7Becho%7D', headers: [['Content-Type', 'text/plain']] }));

  assert.equal(status, 400);
});
