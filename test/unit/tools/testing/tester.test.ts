import assert from 'node:assert/strict';
import type { Writable } from 'node:stream';
import { describe, it, test } from 'node:test';

import { parse } from 'graphql';

import { createHandler as createLambdaHandler, createStreamingHandler } from '../../../../src/entries/aws-lambda.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createTester, recordingFetch } from '../../../../src/entries/testing.ts';
import type { PlatformName, TypedDocument } from '../../../../src/entries/testing.ts';
import { platformNames } from '../../../../src/tools/testing/platforms.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { API } from '../../../support/datasources/api.ts';

const typeDefs = 'type Query { hello(name: String): String! header(name: String!): String fail: Int }';
const resolvers = {
  Query: {
    hello: (_parent: unknown, { name }: { name?: string }) => `Hello, ${name ?? 'world'}!`,
    fail: () => {
      throw new Error('hunter2');
    },
  },
};

for (const platform of platformNames as readonly PlatformName[])
  test(`an operation runs from the event to the result of ${platform}`, async () => {
    const { run } = createTester({ typeDefs, resolvers }, { platform });

    const { data, errors, status, headers } = await run('query ($name: String) { hello(name: $name) }', { name: 'Ada' });

    assert.deepEqual([data, errors, status], [{ hello: 'Hello, Ada!' }, undefined, 200]);
    assert.match(headers.get('content-type') ?? '', /json/);
  });

test('a typed document gives its types to data and variables', async () => {
  const { run } = createTester({ typeDefs, resolvers });
  const asNode = parse('query ($name: String) { hello(name: $name) }') as TypedDocument<{ hello: string }, { name: string }>;
  class DocumentString extends String implements TypedDocument<{ hello: string }, { name: string }> {
    declare readonly __apiType?: (variables: { name: string }) => { hello: string };
  }

  const fromNode: string | undefined = (await run(asNode, { name: 'Ada' })).data?.hello;
  const fromText: string | undefined = (await run(new DocumentString('query ($name: String) { hello(name: $name) }'), { name: 'Bo' })).data
    ?.hello;
  // @ts-expect-error -- `name` is a string
  const wrong = await run(asNode, { name: 1 });

  assert.deepEqual([fromNode, fromText], ['Hello, Ada!', 'Hello, Bo!']);
  assert.equal(wrong.status, 422);
});

test('a GET passes CSRF prevention, headers reach the context, and operationName selects', async () => {
  const { run } = createTester({
    csrfPrevention: true,
    typeDefs,
    context: ({ request }) => ({ header: (name: string) => request.headers.get(name) }),
    resolvers: { Query: { header: (_parent, { name }, { header }) => header(name) } },
  });

  const { data } = await run('query A { a: header(name: "x-a") } query B { hello }', undefined, {
    method: 'GET',
    operationName: 'A',
    headers: { 'X-A': '1' },
  });

  assert.deepEqual(data, { a: '1' });
});

test('errors are not masked, and a schema that only production would accept is rejected', async () => {
  const [logger] = recordingLogger();
  const { run } = createTester({ typeDefs, resolvers, logger });

  assert.equal((await run('{ fail }')).errors?.[0]?.message, 'hunter2');
  // The implementation of an interface lacks a field, which the lazy schema of production does not check.
  assert.throws(() => createTester({ typeDefs: 'type Query { a: A } interface A { id: ID! } type B implements A { name: String }' }), /id/);
});

test('options may be asynchronous; a handler, and a function that wraps one with any parameters, are used unchanged', async () => {
  const handler = createHandler({ typeDefs: `${typeDefs}# 1`, resolvers });
  const tests = [
    createTester(Promise.resolve({ typeDefs, resolvers })),
    createTester(handler),
    createTester(createLambdaHandler({ typeDefs: `${typeDefs}# 2`, resolvers }), { platform: 'aws-http' }),
    createTester((...given: Parameters<typeof handler>) => handler(...given)),
    createTester((event = new Request('https://example.org/')) => handler(event)),
  ];

  for (const { run } of tests) assert.deepEqual((await run('{ hello }')).data, { hello: 'Hello, world!' });
  await assert.rejects(createTester((async () => ({ typeDefs })) as never).run('{ hello }'), /got object\. To test options, pass them/);
});

test('a handler of /aws-lambda without a platform is an error that names the setting', async () => {
  const { run } = createTester(createLambdaHandler({ typeDefs: `${typeDefs}# 3`, resolvers, logger: recordingLogger()[0] }));

  await assert.rejects(run('{ hello }'), /Expected the function to return a Response, got object\..* \{ platform: 'aws-http' \}/);
});

test('any HTTP request can be sent', async () => {
  const { send } = createTester({ typeDefs, resolvers, csrfPrevention: true });

  const refused = await send({ query: { query: '{ hello }' } });
  const xml = await send({ headers: [['content-type', 'application/xml']], body: '<a/>' });
  const health = await send({ path: '/graphql/health' });

  assert.deepEqual([refused.status, xml.status, health.status], [400, 415, 200]);
});

test('work passed to waitUntil is done when the response resolves', async () => {
  let isDone = false;
  const { run } = createTester({
    typeDefs,
    resolvers,
    context: ({ waitUntil }) => {
      waitUntil(new Promise<void>((resolve) => setImmediate(resolve)).then(() => (isDone = true)));
      return {};
    },
  });

  await run('{ hello }');

  assert.equal(isDone, true);
});

test('a recording fetch answers data sources and keeps what they sent', async () => {
  const { httpFetch, requests } = recordingFetch(({ method, url }) => {
    if (method === 'POST') return 7;
    return url.endsWith('Bo') ? new Response(null, { status: 404 }) : 'Hi!';
  });
  const greetings = new API('https://greetings.example.com/', { httpFetch });

  assert.equal(await greetings.read('hello', { name: 'Ada' }, { headers: { 'x-a': '1' } }), 'Hi!');
  await assert.rejects(greetings.read('hello', { name: 'Bo' }), /404/);
  assert.equal(await greetings.create('write', { a: 1 }), 7);
  assert.deepEqual(
    requests.map(({ method, url, body, headers }) => [method, url, body, headers.get('x-a')]),
    [
      ['GET', 'https://greetings.example.com/hello?name=Ada', '', '1'],
      ['GET', 'https://greetings.example.com/hello?name=Bo', '', null],
      ['POST', 'https://greetings.example.com/write', '{"a":1}', null],
    ],
  );
});

describe('subscribe', () => {
  const countTypeDefs = 'type Query { hello: String } type Subscription { count(to: Int): Int }';
  let ended = 0;
  const resolvers = {
    Subscription: {
      count: {
        async *subscribe(_parent: unknown, { to = Infinity }: { to?: number }) {
          try {
            for (let count = 1; count <= to; count++) yield { count };
          } finally {
            ended += 1;
          }
        },
      },
    },
  };

  it('gives the result of every event, and ends the subscription when the reader stops', async () => {
    const { subscribe } = createTester({ typeDefs: countTypeDefs, resolvers });
    const counts: unknown[] = [];
    const before = ended;

    for await (const { data } of subscribe('subscription ($to: Int) { count(to: $to) }', { to: 3 })) counts.push(data.count);
    for await (const { data } of subscribe<{ count: number }>('subscription { count }')) if (data?.count === 5) break;
    const { value } = await subscribe('subscription { nope }').next();

    assert.deepEqual([counts, ended], [[1, 2, 3], before + 2]);
    assert.equal(value?.errors?.[0]?.extensions?.['code'], 'GRAPHQL_VALIDATION_FAILED');
  });

  for (const platform of ['function-url', 'aws-rest'] as const)
    it(`reads the stream of a Lambda function behind ${platform}`, async () => {
      const handler = createStreamingHandler({ typeDefs: `${countTypeDefs} # ${platform}`, resolvers });
      const { subscribe, run, send } = createTester(handler, { platform });
      const counts: unknown[] = [];

      for await (const { data } of subscribe('subscription { count(to: 2) }')) counts.push(data.count);

      assert.deepEqual(counts, [1, 2]);
      assert.deepEqual((await run('{ __typename }')).data, { __typename: 'Query' });
      assert.equal((await send({ method: 'OPTIONS' })).status, 204);
    });

  it('says what was received on a platform without streams', async () => {
    const { subscribe } = createTester({ typeDefs: countTypeDefs, resolvers }, { platform: 'aws-http' });

    await assert.rejects(subscribe('subscription { count }').next(), /Expected a stream of events, got status 406/);
  });

  it('reports an interrupted stream', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const { subscribe } = createTester(async (_event: unknown) => new Response('event: next\ndata: {}\n\n', { headers }));
    const results = subscribe('subscription { count }');

    assert.deepEqual((await results.next()).value, {});
    await assert.rejects(results.next(), /ended without the event "complete"/);
  });

  for (const [what, write, expected] of [
    ['ends with its only text', (stream) => void stream.end('hi'), 'hi'],
    ['writes nothing', (stream) => void stream.end(), ''],
    ['waits until a text has been written', (stream) => void stream.write('hi', () => stream.end('!')), 'hi!'],
  ] as const satisfies readonly (readonly [string, (stream: Writable) => void, string])[])
    it(`gets the response of a streaming handler that ${what}`, async () => {
      const handler = Object.assign(async (_event: unknown, stream: Writable) => write(stream), {
        [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response',
      });
      const { send } = createTester(handler, { platform: 'function-url' });

      assert.equal(await (await send({})).text(), expected);
    });

  it('rejects with the error of a streaming handler', async () => {
    const { send } = createTester(createStreamingHandler({ typeDefs: `${countTypeDefs} # refused`, resolvers }), { platform: 'aws-http' });

    await assert.rejects(send({}), /Other sources cannot stream/);
  });
});

test('run takes the id of a trusted document, with any method', async () => {
  const { run } = createTester({
    typeDefs: 'type Query { hello(name: String): String }',
    resolvers: { Query: { hello: (_, { name }) => `Hello, ${name}!` } },
    trustedDocuments: { documents: { one: 'query One($name: String) { hello(name: $name) }' }, only: true },
  });

  for (const method of ['POST', 'GET', 'QUERY'] as const)
    assert.deepEqual((await run({ documentId: 'one' }, { name: 'Ada' }, { method })).data, { hello: 'Hello, Ada!' });
  assert.equal((await run({ documentId: 'two' })).status, 400);
});

test('rejects an unknown setting and an invalid document', async () => {
  const { run } = createTester({ typeDefs, resolvers });

  assert.throws(() => createTester({ typeDefs }, { platfrom: 'alb' } as never), {
    message: 'Unknown setting "platfrom" of createTester. Did you mean "platform"? Known: platform, context, verify.',
  });
  await assert.rejects(run(undefined as never), {
    message: 'Expected the text of an operation, a parsed document or { documentId }, got undefined.',
  });
});
