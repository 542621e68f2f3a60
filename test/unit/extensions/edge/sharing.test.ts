import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';

import { HeaderMap, InMemoryLRUCache } from '../../../../src/entries/index.ts';
import type { ContextArgument, RequestCall, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { deferred } from '../../../support/deferred.ts';
import { SharedEnv } from '../../../../src/extensions/edge/watched-request.ts';
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

  for (const [maxAge, control] of [
    [0, 'private'],
    [1, 'public'],
  ] as const) {
    test(`an answer whose hint is ${maxAge} s is ${control}`, async () => {
      const server = { typeDefs: `type Query { hello: String @cacheControl(maxAge: ${maxAge}) }` };

      const { headers } = await edgeServing({ cdn: 'varnish', server }).get('{ hello }');

      assert.equal(headers.get('cache-control')?.split(',')[0], control);
    });
  }

  test('an answer with errors is private, even if a plugin has removed the errors', async () => {
    const hiding: ServerPlugin = {
      requestDidStart: async () => ({
        willSendResponse: async ({ response: { result } }) => {
          Reflect.deleteProperty(result, 'errors');
        },
      }),
    };
    const [plain, hidden] = [[], [hiding]].map((plugins) => edgeServing({ server: { typeDefs, resolvers, plugins } }));

    const answers = [await plain!.get('{ hello failing }'), await hidden!.get('{ hello failing }')];

    assert.deepEqual(
      answers.map(({ headers }) => headers.get('cache-control')),
      ['private, no-store', 'private, no-store'],
    );
    assert.deepEqual(await answers[1]!.json(), { data: { hello: 'world', failing: null } });
    assert.deepEqual(
      [...plain!.decisions, ...hidden!.decisions],
      Array.from({ length: 2 }, () => ({ public: false, reason: 'it has errors' })),
    );
  });

  for (const [name, read] of Object.entries(readings)) {
    test(`context that reads ${name} makes the answer private`, async () => {
      const context = (argument: ContextArgument): object => ({ known: typeof read(argument) });
      const { get } = edgeServing({ server: { typeDefs, resolvers, context } as never });

      const response = await get('{ hello }', { headers: { authorization: 'Bearer x' } });

      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      assert.equal(response.headers.get('xkey'), null);
    });

    test(`a resolver that reads ${name} through the context makes the answer private too`, async () => {
      const argumentOf = (argument: ContextArgument): object => ({ read: () => read(argument) });
      const { get } = edgeServing({ server: { typeDefs, resolvers, context: argumentOf } as never });

      const response = await get('{ hello }');

      assert.equal(response.headers.get('cache-control'), 'private, no-store');
    });
  }

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
    const handler = createHandler({
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers,
      plugins: [edge({ cdn: 'varnish' }), marking],
      nodeEnv: 'production',
    });

    const responses = [];
    for (const path of ['a', 'b', 'c']) responses.push(await handler(new Request(`https://api.example/${path}?query={hello}`)));

    assert.deepEqual(
      responses.map(({ headers }) => [headers.get('x-path'), headers.get('vary'), headers.get('xkey')]),
      ['a', 'b', 'c'].map((path) => [`/${path}`, `Accept, ${path}`, 'q:hello']),
    );
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

  describe('the second argument of fetch', () => {
    const envServing = (read: (argument: ContextArgument) => unknown): ((env: unknown) => Promise<string | null>) => {
      const context = (argument: ContextArgument): object => ({ read: () => read(argument) });
      const plugins = [edge({ cdn: 'varnish' })];
      const { fetch } = createHandler({ typeDefs, resolvers, context, plugins, nodeEnv: 'production' });
      return async (env) => {
        const response = await fetch(new Request('https://api.example/?query={hello}'), env);
        return response.headers.get('cache-control');
      };
    };

    test("makes the response private when it is read: on Deno it has the client's address, elsewhere it can have anything", async () => {
      const get = envServing(({ env }) => (env as { remoteAddr: { hostname: string } }).remoteAddr.hostname);

      const answers = [await get({ remoteAddr: { hostname: '192.0.2.1' } }), await get({ remoteAddr: { hostname: '192.0.2.2' } })];

      assert.deepEqual(answers, ['private, no-store', 'private, no-store']);
    });

    test('does not make it private when it is not read, or undefined', async () => {
      assert.match((await envServing(() => undefined)({ remoteAddr: {} })) ?? '', /^public/);
      assert.match((await envServing(({ env }) => env)(undefined)) ?? '', /^public/);
    });
  });

  test('a plugin that sets a cookie on the finished response makes it private', async () => {
    const cookies: ServerPlugin = {
      async request(_call, next) {
        const response = await next();
        response.headers.append('set-cookie', 'session=1');
        return response;
      },
    };
    const { get } = edgeServing({ server: { typeDefs, resolvers, plugins: [cookies] } });

    assert.equal((await get('{ hello }')).headers.get('cache-control'), 'private, no-store');
  });

  test('a plugin that sets Expires on the finished response keeps it, and the response is private', async () => {
    const expires: ServerPlugin = {
      async request(_call, next) {
        const response = await next();
        response.headers.set('expires', '0');
        return response;
      },
    };
    const { get } = edgeServing({ server: { typeDefs, resolvers, plugins: [expires] } });

    const { headers } = await get('{ hello }');

    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.equal(headers.get('expires'), '0');
  });

  test('a mutation with a hint runs each time, also with a store that keeps answers of POST', async () => {
    let runs = 0;
    const { fetch } = createHandler({
      plugins: [edge({ store: new InMemoryLRUCache(), deploy: '1' })],
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers: { ...resolvers, Mutation: { hello: () => String(++runs) } },
    });
    const send = (): Promise<Response> =>
      fetch(
        new Request('https://api.example/', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"query":"mutation { hello }"}',
        }),
      );

    const answers = [await (await send()).text(), await (await send()).text()];

    assert.deepEqual(answers, ['{"data":{"hello":"1"}}', '{"data":{"hello":"2"}}']);
  });

  test('a listed header is in Vary, whether it was read or not', async () => {
    const context = ({ request }: ContextArgument): object => ({ language: request.headers.get('accept-language') });
    const { get } = edgeServing({ varyHeaders: ['Accept-Language'], server: { typeDefs, resolvers, context } as never });

    const response = await get('{ hello }');

    assert.equal(response.headers.get('vary'), 'Accept, accept-language');
    assert.match(response.headers.get('cache-control') ?? '', /^public/);
  });

  test('if the key has no headers, reading a listed one makes the answer private', async () => {
    const context = ({ request }: ContextArgument): object => ({ language: request.headers.get('accept-language') });
    const { get } = edgeServing({ cdn: 'cloudflare', varyHeaders: ['accept-language'], server: { typeDefs, resolvers, context } as never });

    assert.equal((await get('{ hello }')).headers.get('cache-control'), 'private, no-store');
  });

  for (const [cdn, expected] of [
    ['cloudflare', /^private/],
    ['varnish', /^public/],
  ] as const)
    test(`reading Accept ${cdn === 'varnish' ? 'leaves the answer public because all answers vary by it' : 'does so without being listed'}`, async () => {
      const context = ({ request }: ContextArgument): object => ({ accept: request.headers.get('accept') });
      const { get } = edgeServing({ cdn, server: { typeDefs, resolvers, context } as never });

      assert.match((await get('{ hello }')).headers.get('cache-control') ?? '', expected);
    });

  test('query parameters other than those of GraphQL make the response private when they are read and not listed', async () => {
    const context = ({ request }: ContextArgument): object => ({ query: request.queryString });
    const server = { typeDefs, resolvers, context } as never;

    const answers = await Promise.all([
      edgeServing({ server }).get('{ hello }', { search: '&token=1' }),
      edgeServing({ server }).get('{ hello }', { search: '&%74oken=1' }),
      edgeServing({ server, queryParameters: ['shop'] }).get('{ hello }', { search: '&shop=1' }),
      edgeServing({ server }).get('{ hello }'),
    ]);

    assert.deepEqual(
      answers.map(({ headers }) => headers.get('cache-control')?.split(',')[0]),
      ['private', 'private', 'public', 'public'],
    );
  });

  test('the parameters of GraphQL can be read, because they are in every key', async () => {
    const context = ({ request }: ContextArgument): object => ({ query: request.queryString });
    const { get } = edgeServing({ server: { typeDefs, resolvers, context } as never });

    const search = '&operationName=&variables={}&extensions={}&documentId=&id=&doc_id=';
    const response = await get('{ hello }', { search });

    assert.match(response.headers.get('cache-control') ?? '', /^public/, await response.text());
  });

  test('an origin in Vary that is not in the key of the store makes the answer private', async () => {
    const server = { typeDefs, resolvers, cors: { origin: ['https://shop.example'] } } as Partial<ServerOptions> & { typeDefs: string };
    const headers = { origin: 'https://shop.example' };

    const answers = await Promise.all(
      (['cloudflare', 'cloudfront', 'netlify', 'varnish'] as const).map((cdn) =>
        edgeServing({ cdn, server }).get('{ hello }', { headers }),
      ),
    );

    assert.deepEqual(
      answers.map(({ headers: fields }) => fields.get('cache-control')?.split(',')[0]),
      ['private', 'private', 'private', 'public'],
    );
  });

  for (const field of ['Cookie', 'Authorization', '*', 'Accept-Language, cookie']) {
    test(`Vary: ${field} makes the answer private, even for a CDN that honours Vary`, async () => {
      const server = { typeDefs, resolvers, context: ({ response }: ContextArgument) => (response.headers.set('vary', field), {}) };

      const { headers } = await edgeServing({ cdn: 'varnish', server }).get('{ hello }');

      assert.equal(headers.get('cache-control'), 'private, no-store');
    });
  }

  test('Vary: Accept, Accept-Encoding leaves the answer public, even for a CDN that ignores Vary', async () => {
    const server = {
      typeDefs,
      resolvers,
      context: ({ response }: ContextArgument) => (response.headers.set('vary', 'Accept, Accept-Encoding'), {}),
    };

    for (const cdn of ['cloudfront', 'netlify'] as const) {
      const { headers } = await edgeServing({ cdn, server }).get('{ hello }');
      assert.match(headers.get('cache-control') ?? '', /^public/);
    }
  });

  test('errors, mutations, POST, batches and refusals are never public', async () => {
    const { get, post } = edgeServing({ server: { typeDefs, resolvers } });

    const answers = await Promise.all([
      get('{ failing }'),
      get('{ hello failing }'),
      get('{ nothing }'),
      get('mutation { hello }'),
      post({ query: '{ hello }' }),
      post([{ query: '{ hello }' }]),
      post([{ query: '{ hello }' }, { query: '{ hello }' }]),
      post({ query: 'mutation { hello }' }),
    ]);

    for (const { headers } of answers) assert.equal(headers.get('cache-control'), 'private, no-store');
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

  test('the second handler with the same edge refuses to start', async () => {
    const { edge: used, get } = edgeServing({ server: { typeDefs, resolvers } });
    await get('{ hello }');
    const [logger, lines] = recordingLogger();
    const other = createHandler({ typeDefs: 'type Query { hello: String }', logger, plugins: [used], nodeEnv: 'production' });

    const response = await other(new Request('https://api.example/?query={hello}'));

    assert.equal(response.status, 500);
    assert.match(String(lines.flatMap(({ message, details }) => [message, ...details])), /a separate edge\(\) for each handler/);
  });

  for (const wrong of [
    { cdn: 'akamai' },
    { varyHeaders: ['Authorization'] },
    { ignoredHeaders: ['cookie'] },
    { varyHeaders: ['a b'] },
    { defaultMaxAge: -1 },
    { deploy: 'a,b' },
    { cdn: 'rfc9213', purge: async () => undefined },
  ])
    test(`the option ${JSON.stringify(wrong)} is refused`, () => {
      assert.throws(
        () => edgeServing({ ...(wrong as object), server: { typeDefs } }),
        /^TypeError: Expected (?:the option )?(?:\w+ of )?edge to /,
      );
    });
});
describe('the bindings of a worker', () => {
  const [context, bindings] = [{}, { DB: {} }];

  test('are recognized as the same for all requests from the second one on', () => {
    const watch = new SharedEnv();

    assert.deepEqual(
      [1, 2, 3].map(() => watch.isShared({ env: bindings, context })),
      [false, true, true],
    );
  });

  test('are not recognized once a request has had another value', () => {
    const watch = new SharedEnv();

    assert.deepEqual(
      [bindings, bindings, { ...bindings, user: 'anna' }, bindings, bindings].map((env) => watch.isShared({ env, context })),
      [false, true, false, false, false],
    );
  });

  test('are not recognized if they were passed as the context', () => {
    const watch = new SharedEnv();

    assert.deepEqual(
      [1, 2].map(() => watch.isShared({ env: bindings, context: bindings })),
      [false, false],
    );
  });
});
