import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';

import { HeaderMap, InMemoryLRUCache } from '../../../../src/entries/index.ts';
import type { ContextArgument, RequestCall, ServerPlugin } from '../../../../src/entries/index.ts';
import { edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import { deferred } from '../../../support/deferred.ts';
import { harmlessHeaders, SharedEnv } from '../../../../src/extensions/edge/watched-request.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import { after, before } from '../../../support/stages.ts';

const typeDefs = `
  type Query { hello: String @cacheControl(maxAge: 60) failing: String @cacheControl(maxAge: 60) }
  type Mutation { hello: String @cacheControl(maxAge: 60) }`;
const resolvers: any = {
  Query: {
    hello: (_: unknown, __: unknown, context: { read?: () => void }) => {
      context.read?.();
      return 'world';
    },
    failing: () => {
      throw new Error('No.');
    },
  },
};
const user = new AsyncLocalStorage<unknown>();
const reading = (field: string): object => ({ context: ({ request }: ContextArgument) => ({ read: request.headers.get(field) }) });
/** Whether shared caches may keep an answer. */
const hintPrivately = (info: any): string => (info.cacheControl?.setCacheHint({ maxAge: 60, scope: 'PRIVATE' }), 'Hello');
const controlOf = ({ headers }: Response): string | undefined => headers.get('cache-control')?.split(',')[0];

/** Ways to identify the user. */
const readings: Readonly<Record<string, (argument: ContextArgument) => unknown>> = {
  'the header authorization': ({ request }) => request.headers.get('authorization'),
  'the header Authorization in capitals': ({ request }) => request.headers.get('Authorization'),
  'whether there is a cookie': ({ request }) => request.headers.has('cookie'),
  'a header that is not listed': ({ request }) => request.headers.get('x-user'),
  'all headers, one by one': ({ request }) => [...request.headers],
  'all headers as a record': ({ request }) => request.headers.toRecord(),
  'all headers by forEach': ({ request }) => request.headers.forEach(() => undefined),
  'the names of the headers': ({ request }) => [...request.headers.keys()],
  'a copy of the headers': ({ request }) => new Headers([...request.headers.entries()]),
  'whether there is any header': ({ request }) => request.headers.isEmpty,
  'the cookies of a response, of which a request has none': ({ request }) => request.headers.getSetCookie(),
  'the record of the headers': ({ request }) => request.headers.record,
  'the record of the headers, if many have it': ({ request }) => request.headers.sharedRecord,
  'a HeaderMap of the headers': ({ request }) => new HeaderMap(request.headers),
  'a copy of the headers by HeaderMap': ({ request }) => HeaderMap.copyOf(request.headers),
  'the values of the headers': ({ request }) => [...request.headers.values()],
  "the platform's event": ({ event }) => event,
  "the platform's context": ({ context }) => context,
  'a copy of the whole argument': (argument) => ({ ...argument }),
  'the rest of the argument': ({ request: _request, ...rest }) => rest,
  'the argument as a list': (argument) => Object.entries(argument),
};

describe('sharing between users', () => {
  test('an answer with public hints, without reads of the request, is public', async () => {
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers } });

    const response = await get('{ hello }', { headers: { authorization: 'Bearer x', cookie: 'a=b' } });

    assert.equal(response.headers.get('cache-control'), 'public, max-age=0, s-maxage=60');
    assert.deepEqual(decisions, [{ public: true, maxAge: 60, tags: ['q:hello'] }]);
  });

  test('an answer whose hint is 0 s is private, and one of 1 s is public', async () => {
    const server = { typeDefs: 'type Query { old: Int @cacheControl(maxAge: 0) new: Int @cacheControl(maxAge: 1) }' };
    const { get } = edgeServing({ server });

    assert.equal(controlOf(await get('{ old }')), 'private');
    assert.equal(controlOf(await get('{ new }')), 'public');
  });

  for (const [what, server] of [
    ['a resolver', { resolvers: { Query: { hello: (...given: any[]) => hintPrivately(given[3]) } } }],
    ['a method of the parent', { rootValue: { hello: (_: unknown, __: unknown, info: any) => hintPrivately(info) } }],
    ['a resolver of another field', { rootValue: { hello: 'Hello' }, resolvers: { Query: { later: () => 1 } } }],
  ] as const)
    test(`with graphqlJSExecutor(), a hint of ${what} is not known, so that the answer is private`, async () => {
      const serve = (executor: object): ReturnType<typeof edgeServing> =>
        edgeServing({
          server: { typeDefs: 'type Query { hello: String @cacheControl(maxAge: 60) later: Int }', ...server, ...executor } as never,
        });
      const [planned, withGraphQLJS] = [serve({}), serve({ executor: graphqlJSExecutor() })];

      assert.equal(controlOf(await planned.get('{ hello }')), what.endsWith('field') ? 'public' : 'private');
      assert.equal(controlOf(await withGraphQLJS.get('{ hello }')), 'private');
      assert.match((withGraphQLJS.decisions[0] as { reason: string }).reason, /^graphqlJSExecutor\(\) gives/);
    });

  test('of the header fields, only those for framing, tracing and reports may be read', async () => {
    const harmless = 'accept accept-encoding content-encoding content-length content-type graphql-functions-explain'.concat(
      ' traceparent tracestate transfer-encoding x-amzn-trace-id',
    );
    const others = 'accept-language baggage forwarded from host origin referer user-agent x-forwarded-for x-request-id x-tenant';
    assert.deepEqual(harmlessHeaders.toSorted().join(' '), harmless);

    for (const name of `${harmless} ${others}`.split(' ')) {
      const { get } = edgeServing({ server: { typeDefs, resolvers, ...reading(name) } });
      assert.equal(controlOf(await get('{ hello }')), harmless.split(' ').includes(name) ? 'public' : 'private', name);
    }
  });

  for (const [name, read] of Object.entries(readings))
    for (const isLater of [false, true])
      test(`${isLater ? 'a resolver, through the context,' : 'context'} that reads ${name} makes the answer private`, async () => {
        const context = (argument: ContextArgument): object =>
          isLater ? { read: () => read(argument) } : { known: typeof read(argument) };
        const { get } = edgeServing({ server: { typeDefs, resolvers, context } as never });

        const { headers } = await get('{ hello }', { headers: { authorization: 'Bearer x' } });

        assert.deepEqual([headers.get('cache-control'), headers.get('xkey')], ['private, no-store', null]);
      });

  test('an answer to a POST whose context reads the body is private', async () => {
    const context = ({ request: { body } }: ContextArgument): object => ({ kind: body.kind });
    const store = { cdn: undefined, store: new InMemoryLRUCache(), deploy: 'v1' };
    const [reading, other] = [{ context }, {}].map((more) => edgeServing({ ...store, server: { typeDefs, resolvers, ...more } as never }));

    for (const { post } of [reading!, other!]) await post({ query: '{ hello }' });

    assert.deepEqual([reading!.decisions[0]?.public, other!.decisions[0]?.public], [false, true]);
  });

  test('the headers are a HeaderMap, and none of its methods bypasses the view', async () => {
    const seen: unknown[] = [];
    const context = ({ request: { headers } }: ContextArgument): object => {
      seen.push(headers instanceof HeaderMap, headers.constructor === HeaderMap, JSON.stringify(headers));
      assert.throws(() => HeaderMap.prototype.get.call(headers, 'authorization'), TypeError);
      return {};
    };
    const { get } = edgeServing({ server: { typeDefs, resolvers, context } as never });

    const response = await get('{ hello }', { headers: { authorization: 'Bearer x' } });

    assert.deepEqual(seen, [true, true, '{}']);
    assert.match(response.headers.get('cache-control') ?? '', /^public/);
  });

  test('a header field that a plugin adds to one public answer is not in any other', async () => {
    const marking: ServerPlugin = {
      request: after(({ request }, { headers }) => {
        headers.set('x-path', request.path);
        headers.append('vary', request.path.slice(1));
      }),
    };
    const { send } = edgeServing({ server: { typeDefs, resolvers, plugins: [marking] } });

    const responses = [];
    for (const path of ['a', 'b', 'c']) responses.push(await send(new Request(`https://api.example/${path}?query={hello}`)));

    const told = responses.map(({ headers }) => ['x-path', 'vary', 'xkey'].map((name) => headers.get(name)).join());
    assert.deepEqual(told, ['/a,Accept, a,q:hello', '/b,Accept, b,q:hello', '/c,Accept, c,q:hello']);
  });

  const readsIn: Readonly<Record<string, ServerPlugin>> = {
    request: { request: (call, next) => user.run(call.request.headers.get('authorization'), next) },
    operation: { operation: ({ call }, next) => user.run(call.request.headers.get('cookie'), next) },
    'request, of the event': { request: (call, next) => user.run(call.invocation.event, next) },
    requestDidStart: {
      requestDidStart: ({ request, contextValue }) => {
        Object.assign(contextValue as object, { user: request.http?.headers.get('authorization') });
      },
    },
    'a separate view': {
      request: before((call: RequestCall) => ({ ...call, user: call.request.headers.get('authorization') })),
    },
  };
  for (const [hook, plugin] of Object.entries(readsIn))
    test(`a plugin that reads the user in ${hook} makes the response private, even before edge in the list`, async () => {
      const { get } = edgeServing({ server: { typeDefs, resolvers, plugins: [plugin] } as never });

      assert.equal((await get('{ hello }')).headers.get('cache-control'), 'private, no-store');
    });

  test('a data source cannot bypass the view: it gets only the signal, waitUntil and the deadline of the call', async () => {
    class Source {
      operation: any;
      initialize({ operation }: { operation: unknown }): void {
        this.operation = operation;
      }
    }
    const dataSources = (): object => ({ source: new Source() });
    const hello = (_: unknown, __: unknown, { dataSources: { source } }: { dataSources: { source: Source } }): string =>
      [source.operation.event, source.operation.context, source.operation.env, source.operation.signal.aborted].join(' ');
    const { get } = edgeServing({ server: { typeDefs, resolvers: { Query: { hello } }, dataSources } as never });

    const response = await get('{ hello }');

    assert.deepEqual(await response.json(), { data: { hello: '   false' } });
    assert.match(response.headers.get('cache-control') ?? '', /^public/);
  });

  for (const [what, read, env, control] of [
    ["that is read makes it private: on Deno it has the client's address", ({ env }) => env, { remoteAddr: {} }, 'private'],
    ['that is not read does not', () => undefined, { remoteAddr: {} }, 'public'],
    ['that is undefined does not', ({ env }) => env, undefined, 'public'],
  ] as readonly [string, (argument: ContextArgument) => unknown, object | undefined, string][])
    test(`the second argument of fetch ${what}`, async () => {
      const context = (argument: ContextArgument): object => ({ read: () => read(argument) });
      const { fetch } = createHandler({ typeDefs, resolvers, context, plugins: [edge({ cdn: 'varnish' })], nodeEnv: 'production' });

      for (let round = 0; round < 2; round++)
        assert.equal(controlOf(await fetch(new Request('https://api.example/?query={hello}'), env && { ...env })), control);
    });

  test('a mutation with a hint runs each time, also with a store that keeps answers of POST', async () => {
    let runs = 0;
    const server = { typeDefs, resolvers: { ...resolvers, Mutation: { hello: () => String(++runs) } } };
    const { post } = edgeServing({ cdn: undefined, store: new InMemoryLRUCache(), deploy: '1', server });
    const mutation = { query: 'mutation { hello }' };

    const answers = [await (await post(mutation)).text(), await (await post(mutation)).text()];

    assert.deepEqual(answers, ['{"data":{"hello":"1"}}', '{"data":{"hello":"2"}}']);
  });

  test('a listed header is in Vary, whether it was read or not', async () => {
    const { headers } = await edgeServing({ varyHeaders: ['Accept-Language'], server: { typeDefs, resolvers } }).get('{ hello }');

    assert.deepEqual([headers.get('vary'), headers.get('cache-control')], ['Accept, accept-language', 'public, max-age=0, s-maxage=60']);
  });

  const readingQuery = { context: ({ request }: ContextArgument) => ({ query: request.queryString }) };
  const varying = (field: string): object => ({
    context: ({ response }: ContextArgument) => (response.headers.set('vary', field), {}),
  });
  const finishing = (name: string, value: string): object => {
    const plugin: ServerPlugin = { request: after((_call, { headers }) => headers.set(name, value)) };
    return { plugins: [plugin] };
  };
  const graphqlParameters = '&operationName=&variables={}&extensions={}&documentId=&id=&doc_id=';
  const cloudflare = { cdn: 'cloudflare', varyHeaders: ['accept-language'] };
  const crossOrigin = { cors: { origin: ['https://shop.example'] } };
  const ofOrigin = { headers: { origin: 'https://shop.example' } };
  const rows: readonly (readonly [what: string, control: string, server: object, options?: object, request?: object])[] = [
    ['reading a listed header', 'public', reading('accept-language'), { varyHeaders: ['accept-language'] }],
    ['reading a listed header, which is not in the key of the CDN', 'private', reading('accept-language'), cloudflare],
    ['reading Accept, by which all answers vary', 'public', reading('accept')],
    ['reading Accept, which is not in the key of the CDN', 'private', reading('accept'), { cdn: 'cloudflare' }],
    ['reading an unlisted query parameter', 'private', readingQuery, {}, { search: '&token=1' }],
    ['reading an unlisted query parameter with an escaped name', 'private', readingQuery, {}, { search: '&%74oken=1' }],
    ['reading a listed query parameter', 'public', readingQuery, { queryParameters: ['shop'] }, { search: '&shop=1' }],
    ['reading the query parameters of GraphQL', 'public', readingQuery, {}, { search: graphqlParameters }],
    ...['Cookie', 'Authorization', '*', 'Accept-Language, cookie'].map((field) => [`Vary: ${field}`, 'private', varying(field)] as const),
    ...['cloudfront', 'netlify'].map(
      (cdn) => [`Vary: Accept, Accept-Encoding for ${cdn}`, 'public', varying('Accept, Accept-Encoding'), { cdn }] as const,
    ),
    ...['cloudflare', 'cloudfront'].map((cdn) => [`Vary: Origin for ${cdn}`, 'private', crossOrigin, { cdn }, ofOrigin] as const),
    ['Vary: Origin for varnish, whose key has it', 'public', crossOrigin, {}, ofOrigin],
    ['Vary: Origin for netlify, whose key gets it', 'public', crossOrigin, { cdn: 'netlify' }, ofOrigin],
    ['Vary: Origin in varyHeaders for cloudfront', 'public', crossOrigin, { cdn: 'cloudfront', varyHeaders: ['origin'] }, ofOrigin],
    ['reading Origin for netlify', 'private', { ...crossOrigin, ...reading('origin') }, { cdn: 'netlify' }, ofOrigin],
    ['a cookie on the finished response', 'private', finishing('set-cookie', 'session=1')],
    ['Expires on the finished response', 'private', finishing('expires', '0')],
  ];
  for (const [what, control, server, options, request] of rows)
    test(`${what} makes the answer ${control}`, async () => {
      const { get } = edgeServing({ ...options, server: { typeDefs, resolvers, ...server } });

      assert.equal(controlOf(await get('{ hello }', request)), control);
    });

  test('errors, mutations, POST, batches and refusals are never public', async () => {
    const { get, post } = edgeServing({ server: { typeDefs, resolvers } });

    const bodies = [
      { query: '{ hello }' },
      [{ query: '{ hello }' }],
      [{ query: '{ hello }' }, { query: '{ hello }' }],
      { query: 'mutation { hello }' },
    ];
    const queries = ['{ failing }', '{ hello failing }', '{ nothing }', 'mutation { hello }'];

    for (const { headers } of await Promise.all([...queries.map((query) => get(query)), ...bodies.map((body) => post(body))]))
      assert.equal(headers.get('cache-control'), 'private, no-store');
  });

  test('header fields set by the application are kept', async () => {
    const context = ({ response }: ContextArgument): object => (response.headers.set('cache-control', 'public, max-age=5'), {});
    const { get } = edgeServing({ server: { typeDefs, resolvers, context } as never });

    const response = await get('{ hello }');

    assert.equal(response.headers.get('cache-control'), 'public, max-age=5');
    assert.equal(response.headers.get('xkey'), null);
  });

  test('a hint belongs to its operation, even if a concurrent operation has the same context value', async () => {
    class Shared {
      user = undefined;
    }
    const shared = new Shared();
    const hasStarted = { a: deferred(), b: deferred() };
    const news = async (_: unknown, { of }: { of: 'a' | 'b' }, __: unknown, info: any): Promise<string> => {
      hasStarted[of].resolve();
      await Promise.all([hasStarted.a.promise, hasStarted.b.promise]);
      info.cacheControl.setCacheHint(of === 'a' ? { maxAge: 60, scope: 'PUBLIC' } : { maxAge: 60, scope: 'PRIVATE' });
      return of;
    };
    const server = { typeDefs: 'type Query { news(of: String): String }', resolvers: { Query: { news } }, context: () => shared };
    const { get } = edgeServing({ server: server as never });

    const answers = await Promise.all([get('{ news(of: "a") }'), get('{ news(of: "b") }')]);

    assert.match(answers[0].headers.get('cache-control') ?? '', /^public/);
    assert.equal(answers[1].headers.get('cache-control'), 'private, no-store');
  });
});

test('the bindings of a worker are recognized from the second request on, until a request has had another value', () => {
  const [context, bindings, ofUser] = [{}, { DB: {} }, { DB: {}, user: 'anna' }];
  const [watch, watchOfContext] = [new SharedEnv(), new SharedEnv()];

  const shared = [bindings, bindings, bindings, ofUser, bindings, bindings].map((env) => watch.isShared({ env, context }));
  const asContext = [bindings, bindings].map((env) => watchOfContext.isShared({ env, context: env }));

  assert.deepEqual(shared, [false, true, true, false, false, false]);
  assert.deepEqual(asContext, [false, false]);
});

for (const [what, read, isPublic] of [
  ['reads nothing of the request', () => {}, true],
  ['reads search of the request', ({ request }: any) => request.http.search, false],
] as const)
  test(`an answer is ${isPublic ? 'public' : 'private'} beside a plugin whose hook ${what}`, async () => {
    const { get } = edgeServing({
      server: {
        typeDefs: 'type Query { ok: Boolean @cacheControl(maxAge: 60) }',
        rootValue: { ok: true },
        plugins: [{ requestDidStart: (context) => void read(context) }],
      },
    });

    const response = await get('{ ok }', { search: '&utm_source=mail' });

    assert.equal(/public|max-age=60|s-maxage/.test([...response.headers.values()].join()), isPublic);
  });
