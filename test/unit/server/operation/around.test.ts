import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler, HeaderMap } from '../../../../src/entries/index.ts';
import type { HTTPResponse, OperationOutcome, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { createEventSource } from '../../../support/event-source.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI, webRequest } from '../../../support/sources.ts';
import { after, before } from '../../../support/stages.ts';

const typeDefs = 'type Query { name: String where: String slow: String } type Mutation { add: Int }';
const place = new AsyncLocalStorage<string>();

function serving(options: Partial<ServerOptions>): (request: PlainRequest) => Promise<PlainResponse> {
  const [logger] = recordingLogger();
  const resolvers = { Query: { name: () => 'x', where: async () => place.getStore() } };
  const handler = createHandler({ nodeEnv: 'test', csrfPrevention: true, typeDefs, resolvers, logger, ...options } as ServerOptions);
  return async (request) => httpAPI.read(await handler(httpAPI.build(request)));
}

/** A plugin that records when it is entered and left. */
function noting(notes: string[], name: string): ServerPlugin {
  const around = async <T>(before: string, next: () => Promise<T>, described: (outcome: T) => unknown): Promise<T> => {
    notes.push(`${name}: ${before}`);
    const outcome = await next();
    notes.push(`${name}: ${described(outcome)}`);
    return outcome;
  };
  return {
    request: ({ request, platform }, next) => around(`${request.method} by ${platform}`, next, ({ status }) => status),
    operation: ({ request }, next) => around(request.query!, next, ({ result }) => JSON.stringify(result.data)),
  };
}

const wrappingRequest = (request: ServerPlugin['request']): ServerPlugin => ({ request: request! });
const name = post({ query: '{ name }' });

describe('request', () => {
  test('sees the response to a request that is refused, with its CORS fields', async () => {
    let seen: unknown;
    const request = after((_call, { status, headers }: HTTPResponse) => (seen = [status, headers.get('access-control-allow-origin')]));
    const send = serving({ plugins: [{ request }], cors: { origin: '*' } });

    const { status } = await send({ ...name, headers: [['content-type', 'text/plain']] });

    assert.equal(status, 400);
    assert.deepEqual(seen, [400, '*']);
  });

  const preflight: PlainRequest = {
    ...name,
    method: 'OPTIONS',
    body: undefined,
    headers: [
      ['origin', 'https://shop.example'],
      ['access-control-request-method', 'POST'],
    ],
  };

  test('does not see preflights that cors answers: they carry no credentials, which a plugin may require', async () => {
    const request = wrappingRequest(() => Promise.reject(new GraphQLError('Who are you?', { extensions: { code: 'UNAUTHENTICATED' } })));
    const send = serving({ plugins: [request], cors: { origin: 'https://shop.example' } });

    const { status, headers } = await send(preflight);

    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, 'https://shop.example']);
    assert.equal((await send(name)).status, 401);
  });

  test('sees preflights without the option cors, and may answer them', async () => {
    const send = serving({
      plugins: [wrappingRequest(async () => ({ status: 204, headers: new HeaderMap({ 'x-own': '1' }), body: null }))],
    });

    assert.equal((await send(preflight)).headers.get('x-own'), '1');
  });

  test('that throws after next() ends the stream of the response', async () => {
    const source = createEventSource();
    const handler = createFetchHandler({
      nodeEnv: 'test',
      typeDefs: `${typeDefs} type Subscription { tick: Int }`,
      resolvers: { Subscription: { tick: { subscribe: () => source } } },
      plugins: [wrappingRequest((_call, next) => next().then(() => Promise.reject(new GraphQLError('No.'))))],
    });
    const request = post({ query: 'subscription { tick }' }, { headers: [['accept', 'text/event-stream']] });

    const response = await handler.fetch(webRequest.build(request) as Request);
    await source.closed;

    assert.equal(response.status, 500);
  });
});

test('an answer of a plugin that is too large for the platform is refused, like one of the server', async () => {
  const headers = new HeaderMap({ 'content-type': 'application/json' });
  const send = serving({ plugins: [wrappingRequest(async () => ({ status: 200, headers, body: JSON.stringify('x'.repeat(7_000_000)) }))] });

  const answer = await send(name);

  assert.notEqual(answer.status, 200);
  assert.ok(answer.body.length < 10_000);
});

describe('operation', () => {
  test('runs context, data sources and resolvers in its asynchronous context', async () => {
    const seen: unknown[] = [];
    const send = serving({
      context: () => ({ at: place.getStore() }),
      dataSources: () => ({ db: { initialize: () => void seen.push(place.getStore()) } }),
      plugins: [{ operation: (_call, next) => place.run('inside', next) }],
      resolvers: { Query: { where: async (_: unknown, __: unknown, { at }: any) => `${at}, ${place.getStore()}` } } as never,
    });

    const answer = await send(post({ query: '{ where }' }));

    assert.equal(json(answer).data.where, 'inside, inside');
    assert.deepEqual(seen, ['inside']);
  });

  test('sees operation, text and errors of the outcome, also of one that is refused', async () => {
    const seen: unknown[] = [];
    const looking = after((_call, { operation, source, errors }: OperationOutcome) => {
      seen.push([operation?.name?.value, source, ...errors.map(({ extensions }) => extensions['code'])]);
    });
    const send = serving({ plugins: [{ operation: looking }] });

    await send(post({ query: 'query Named { name }' }));
    await send(post({ query: '{ nothing }' }));

    assert.deepEqual(seen, [
      ['Named', 'query Named { name }'],
      [undefined, '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ]);
  });
});

describe('next(view) of a request', () => {
  /** A view whose request has an additional header. */
  const adding = (name: string): ServerPlugin => ({
    request(call, next) {
      const headers = new HeaderMap([...call.request.headers, ['x-seen', name]]);
      return next({ ...call, request: { ...call.request, headers } });
    },
  });

  test('is what context and the plugins inside see', async () => {
    const seen: Record<string, unknown> = {};
    const see = (where: string, headers: { get(name: string): unknown }): object => ((seen[where] = headers.get('x-seen')), {});
    const looking: ServerPlugin = {
      request: ({ request }, next) => (see('request', request.headers), next()),
      operation: ({ call }, next) => (see('operation', call.request.headers), next()),
      requestDidStart: ({ request }) => void see('requestDidStart', request.http!.headers),
    };

    await serving({ plugins: [adding('a'), looking], context: ({ request }) => see('context', request.headers) })(name);

    assert.deepEqual(seen, { request: 'a', operation: 'a', context: 'a', requestDidStart: 'a' });
  });

  test('replaces the event and the context of the platform, which are read lazily', async () => {
    const reads: string[] = [];
    const view: ServerPlugin = {
      request: before((call) => ({
        ...call,
        invocation: {
          get event() {
            reads.push('event');
            return 'an event';
          },
          context: 'a context',
          env: undefined,
          signal: call.invocation.signal,
          waitUntil: (work) => call.invocation.waitUntil(work),
          deadlineLeft: () => call.invocation.deadlineLeft(),
        },
      })),
    };
    let found: unknown;

    await serving({ plugins: [view], context: (argument) => ((found = [[...reads], argument.context, argument.event]), {}) })(name);

    assert.deepEqual([found, reads], [[[], 'a context', 'an event'], ['event']]);
  });

  test('does not change what the pipeline reads', async () => {
    const view: ServerPlugin = {
      request: before((call) => ({ ...call, request: { ...call.request, headers: new HeaderMap(), body: { kind: 'none' } } })),
    };

    assert.deepEqual(json(await serving({ plugins: [view] })(name)), { data: { name: 'x' } });
  });
});

describe('stages that only watch', () => {
  test('are entered and left in the order of the list, around them those whose position is first', async () => {
    const notes: string[] = [];
    const looking: ServerPlugin = {
      execution: before(({ source, contextValue }) => void notes.push(`look: ${source} ${JSON.stringify(contextValue)}`)),
      operation: after((_call, { result }) => void notes.push(`look: ${JSON.stringify(result.data)}`)),
      request: after((_call, { status }) => void notes.push(`look: ${status}`)),
    };

    const plugins = [noting(notes, 'a'), looking, noting(notes, 'b'), { ...noting(notes, 'first'), position: 'first' as const }];
    await serving({ plugins, context: () => ({ user: 1 }) })(post({ query: '{ name }' }));

    const [came, asked, data] = ['POST by API Gateway HTTP API (2.0)', '{ name }', '{"name":"x"}'];
    const inwards = [came, asked].flatMap((what) => ['first', 'a', 'b'].map((name) => `${name}: ${what}`));
    const outwards = [data, '200'].flatMap((what) => ['b', 'look', 'a', 'first'].map((name) => `${name}: ${what}`));
    assert.deepEqual(notes, [...inwards, 'look: { name } {"user":1}', ...outwards]);
  });
});
