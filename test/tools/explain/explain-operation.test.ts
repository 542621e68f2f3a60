import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, test } from 'node:test';

import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';

import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEvent } from '../../../src/entries/testing.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { startExplaining } from './explained.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';

const reply = (): { body: object } => ({ body: {} });
const hello = { typeDefs: 'type Query { hello: String } type Mutation { hello: String }', resolvers: {}, dataSources: () => ({}) };

describe('which executor ran the operation, and why', () => {
  test('a plan by default', async (t) => {
    const server = await startExplaining(t, reply, hello);

    equal((await server.explain('{ hello }')).executor.ran, 'planned');
  });

  test('graphql-js, if the option says so', async (t) => {
    const server = await startExplaining(t, reply, { ...hello, executor: graphqlJSExecutor() });

    deepEqual((await server.explain('{ hello }')).executor, { ran: 'graphql-js', why: 'The option executor is graphqlJSExecutor().' });
  });

  test('a plan, also without error propagation', async (t) => {
    const directive = 'directive @experimental_disableErrorPropagation on QUERY';
    const server = await startExplaining(t, reply, { ...hello, typeDefs: `${directive} ${hello.typeDefs}` });

    equal((await server.explain('query @experimental_disableErrorPropagation { hello }')).executor.ran, 'planned');
  });

  test('a plan, also when the operation is traced', async (t) => {
    const server = await startExplaining(t, reply, hello);
    const channel = tracingChannel('graphql:execute');
    const subscriber = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };
    channel.subscribe(subscriber);
    const { executor } = await server.explain('{ hello }').finally(() => channel.unsubscribe(subscriber));

    equal(executor.ran, 'planned');
  });

  test('none, if the operation was rejected', async (t) => {
    const server = await startExplaining(t, reply, hello);

    const { executor, document, milliseconds } = await server.explain('{ unknown }');

    equal(executor.ran, 'none');
    deepEqual(document, { cached: false, from: 'request' });
    ok(milliseconds.parse !== undefined && milliseconds.validate !== undefined && milliseconds.execute === undefined);
  });

  test('none, if a plugin answered', async (t) => {
    const plugin = { requestDidStart: () => ({ responseForOperation: () => ({ data: { hello: 'cached' } }) }) };
    const server = await startExplaining(t, reply, { ...hello, plugins: [plugin] });

    match((await server.explain('{ hello }')).executor.why, /responseForOperation/);
  });
});

describe('the document and the schema', () => {
  test('a document is parsed and validated once', async (t) => {
    const server = await startExplaining(t, reply, hello);
    const first = await server.explain('{ hello }');
    const second = await server.explain('{ hello }');

    equal(first.document.cached, false);
    equal(second.document.cached, true);
    deepEqual(Object.keys(first.milliseconds), ['context', 'parse', 'validate', 'execute', 'total']);
    deepEqual(Object.keys(second.milliseconds), ['context', 'execute', 'total']);
  });

  test('a persisted query is missed, registered, hit and known', async (t) => {
    const server = await startExplaining(t, reply, hello);
    const query = '{ hello }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
    const outcomes = [];
    for (const text of [undefined, query, undefined, query]) {
      outcomes.push((await server.explain(text, { extensions })).document);
    }

    deepEqual(outcomes, [
      { from: 'persisted query', persistedQuery: 'miss' },
      { cached: false, from: 'request', persistedQuery: 'registered' },
      { cached: true, from: 'persisted query', persistedQuery: 'hit' },
      { cached: true, from: 'request', persistedQuery: 'known' },
    ]);
  });

  test('rejects a hash that does not match the text', async (t) => {
    const server = await startExplaining(t, reply, hello);
    const extensions = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } };

    equal((await server.explain('{ hello }', { extensions })).document.persistedQuery, 'refused');
  });

  test('a trusted document', async (t) => {
    const server = await startExplaining(t, reply, { ...hello, trustedDocuments: { documents: { greeting: '{ hello }' } } });
    const answer = await server.send(asking({ documentId: 'greeting' }));

    deepEqual(answer.extensions.explain.document, { cached: false, from: 'trusted document' });
  });

  test('a lazy schema has the number of its types', async (t) => {
    const server = await startExplaining(t, reply, {
      ...hello,
      typeDefs: 'type Query { hello: String other: Other } type Other { third: Third } type Third { hello: String }',
    });
    const { schema } = await server.explain('{ hello }');

    deepEqual([schema.kind, schema.typesMade, schema.typesDefined], ['lazy', 2, 3]);
  });

  test('a ready schema is complete', async () => {
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { hello: { type: GraphQLString } } }) });
    const logger = recordingLogger()[0];
    const handler = createHandler({ nodeEnv: 'development', logger, schema });

    const answer: any = await (await handler(asking({ query: '{ hello }' }))).json();

    equal(answer.extensions.explain.schema.kind, 'whole');
  });
});

describe('which CSRF rule allowed the request', () => {
  const get = (headers: Record<string, string> = {}): Request =>
    new Request('https://example.com/?query={hello}', { headers: { 'graphql-functions-explain': '1', ...headers } });
  const cases: readonly [does: string, request: Request, options: Partial<ServerOptions>, csrf: RegExp][] = [
    ['a POST of JSON', asking({ query: '{ hello }' }), {}, /^Its content type is application\/json/],
    ['a GET with a listed header', get({ 'Vendor-Require-Preflight': '1' }), {}, /^It has the header vendor-require-preflight/],
    ['a GET, where prevention is off', get(), { csrfPrevention: false }, /^csrfPrevention is false/],
    [
      'a GET, where prevention is unset',
      get(),
      { csrfPrevention: undefined as never },
      /^csrfPrevention is not set.*it has no Sec-Fetch-Site\./,
    ],
    [
      'a GET of the same site, where prevention is unset',
      get({ 'sec-fetch-site': 'same-origin' }),
      { csrfPrevention: undefined as never },
      /Sec-Fetch-Site is same-origin\./,
    ],
  ];
  for (const [does, request, options, csrf] of cases) {
    test(does, async (t) => {
      const server = await startExplaining(t, reply, { ...hello, ...options });

      match((await server.send(request)).extensions.explain.csrf, csrf);
    });
  }
});

describe('the report is in', () => {
  test('every response of a batch', async (t) => {
    const server = await startExplaining(t, reply, hello);
    const answers = await server.send(asking([{ query: '{ hello }' }, { query: '{ unknown }' }]));

    deepEqual(
      answers.map(({ extensions }: any) => extensions.explain.executor.ran),
      ['planned', 'none'],
    );
  });

  test('the response to a mutation', async (t) => {
    const server = await startExplaining(t, reply, {
      typeDefs: 'type Query { n: Int } type Mutation { write: Int }',
      resolvers: {
        Mutation: {
          async write(_: unknown, __: unknown, { dataSources }: any) {
            await dataSources.api.create('orders', { book: 1 });
            await dataSources.api.create('orders', { book: 1 });
          },
        },
      },
    } as Partial<ServerOptions>);
    const { calls } = await server.explain('mutation { write }');

    deepEqual(
      calls.map(({ cache, field }) => [cache, field]),
      [
        ['bypass', 'write'],
        ['bypass', 'write'],
      ],
    );
  });

  test('a response after context() failed', async (t) => {
    const context = (): never => {
      throw new Error('no database');
    };
    const server = await startExplaining(t, reply, { ...hello, context });

    equal((await server.explain('{ hello }')).executor.ran, 'none');
  });

  test('beside the extensions that a plugin sets', async (t) => {
    const plugin = {
      requestDidStart: () => ({
        willSendResponse({ response }: any) {
          response.result.extensions = { mine: 1 };
        },
      }),
    };
    const server = await startExplaining(t, reply, { ...hello, plugins: [plugin] });
    const { extensions } = await server.send(asking({ query: '{ hello }' }));

    deepEqual(Object.keys(extensions), ['mine', 'explain']);
  });

  test('a response that is not cacheable', async () => {
    const context = ({ response }: any): object => {
      response.headers.set('cache-control', 'public, max-age=60');
      return {};
    };
    const handler = createHandler({ ...hello, nodeEnv: 'development', logger: recordingLogger()[0], context } as ServerOptions);

    const explained = await handler(asking({ query: '{ hello }' }));
    const plain = await handler(asking({ query: '{ hello }' }, { 'graphql-functions-explain': '0' }));

    equal(explained.headers.get('cache-control'), 'private, no-store');
    equal(plain.headers.get('cache-control'), 'public, max-age=60');
  });
});

describe('a response with several results', () => {
  const request = (accept: string, query: string): Request => asking({ query }, { accept });

  test('in parts has the report in its first part', async () => {
    const handler = createHandler({
      nodeEnv: 'development',
      logger: recordingLogger()[0],
      typeDefs: 'type Query { hello: String late: String } # in parts',
      incrementalDelivery: incrementalDelivery(),
    });
    const response = await handler(request('multipart/mixed', '{ hello ... @defer { late } }'));
    const parts = (await response.text()).match(/^\{.*\}$/gm)?.map((part) => JSON.parse(part)) ?? [];

    equal(parts.length, 2);
    equal(parts[0].extensions.explain.executor.ran, 'planned');
    equal(parts[1].extensions, undefined);
  });

  test('of a subscription is not recorded', async () => {
    const handler = createHandler({
      nodeEnv: 'development',
      logger: recordingLogger()[0],
      typeDefs: 'type Query { hello: String } type Subscription { ticks: Int }',
      resolvers: {
        Subscription: {
          ticks: {
            async *subscribe() {
              yield { ticks: 1 };
              yield { ticks: 2 };
            },
          },
        },
      },
    } as ServerOptions);
    const response = await handler(request('text/event-stream', 'subscription { ticks }'));

    equal(response.status, 200);
    deepEqual((await response.text()).match(/\{.*\}/g), ['{"data":{"ticks":1}}', '{"data":{"ticks":2}}']);
  });
});

test('reports the deadline if there is one', async () => {
  const logger = recordingLogger()[0];
  const handler = createHandler({ typeDefs: 'type Query { deadline: String }', nodeEnv: 'development', logger });
  const ask = async (context: object): Promise<any> => {
    const event = createEvent('aws-http', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'graphql-functions-explain': '1' },
      body: '{"query":"{ deadline }"}',
    });
    return JSON.parse((await handler(event, context)).body).extensions.explain;
  };

  const { deadline } = await ask({ getRemainingTimeInMillis: () => 3_000 });

  ok(deadline.leftAtStart > 0 && deadline.leftAtStart <= 3_000 && deadline.leftAtEnd <= deadline.leftAtStart, JSON.stringify(deadline));
});

test('a call interrupted by the deadline has no end, and the rest is reported', async (t) => {
  const server = await startExplaining(t, () => new Promise(() => {}), { deadline: { ms: 50, reserveMs: 0 } });

  const { calls, executor, deadline } = await server.explainRun((api) => api.read('book'));

  equal(executor.ran, 'planned');
  deepEqual(
    calls.map(({ cache, field, tries, status }) => [cache, field, tries, status]),
    [['miss', 'run', 1, undefined]],
  );
  ok(deadline !== undefined && deadline.leftAtEnd <= 0, JSON.stringify(deadline));
});

for (const nodeEnv of ['production', '', 'test', 'Development', 'development ']) {
  test(`with NODE_ENV ${JSON.stringify(nodeEnv)} nothing is explained, and the header is not read`, async (t) => {
    const server = await startExplaining(t, reply, { ...hello, nodeEnv });
    const read: string[] = [];
    const request = asking({ query: '{ hello }' });
    const { headers } = request;
    const get = headers.get.bind(headers);
    Object.defineProperty(request, 'headers', { value: Object.assign(headers, { get: (name: string) => (read.push(name), get(name)) }) });

    const answer = await server.send(request);

    equal(answer.extensions, undefined);
    equal(answer.data.hello, null);
    deepEqual(
      read.filter((name) => name.includes('explain')),
      [],
    );
  });
}

for (const value of ['0', '', 'true', '2']) {
  test(`with the header ${JSON.stringify(value)} nothing is explained`, async (t) => {
    const server = await startExplaining(t, reply, hello);

    equal((await server.send(asking({ query: '{ hello }' }, { 'graphql-functions-explain': value }))).extensions, undefined);
  });
}

function asking(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('https://example.com/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'graphql-functions-explain': '1', ...headers },
    body: JSON.stringify(body),
  });
}
