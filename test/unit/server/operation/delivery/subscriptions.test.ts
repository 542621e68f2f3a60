import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import DataLoader from 'dataloader';
import { GraphQLError, GraphQLScalarType, versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { RESTDataSource } from '../../../../../src/entries/datasource.ts';
import { createHandler } from '../../../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { deferred } from '../../../../support/deferred.ts';
import { createEventSource } from '../../../../support/event-source.ts';
import { webRequest } from '../../../../support/events.ts';
import { get, post } from '../../../../support/plain-http.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { eventReader, parseEvents, resultsOf } from '../../../../support/sse.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query { hello: String }
  type Subscription { ticks: Int! book(id: ID!): Book slow: Int odd: Odd refused: Int broken: Int nothing: Int plain: Int }
  type Book { title: String! author: String fail: String shout(times: Int = 1): String! }
  scalar Odd
`;

const ticking = 'subscription { ticks }';

let served = 0;

function fail(): never {
  throw new Error('hunter2');
}

/** A server in which every subscription gets the events that the test pushes. */
function serve(options: Partial<ServerOptions<any, any>> = {}) {
  const source = createEventSource<any>();
  const [logger, lines] = recordingLogger();
  const subscribe = (): AsyncIterable<unknown> => source;
  const handler = createHandler<any, any>({
    nodeEnv: '',
    logger,
    typeDefs: `${typeDefs} # ${++served}`,
    resolvers: {
      Query: { hello: () => 'world' },
      Subscription: {
        ticks: { subscribe },
        book: { subscribe: async () => source, resolve: (event: { book: unknown }) => event.book },
        slow: { subscribe, resolve: ({ slow }: { slow: () => Promise<number> }) => slow() },
        odd: { subscribe },
        refused: { subscribe: () => Promise.reject(new GraphQLError('Sign in first.', { extensions: { code: 'UNAUTHENTICATED' } })) },
        broken: { subscribe: fail },
        nothing: { subscribe: () => 5 as never },
      },
      Book: { fail },
      Odd: new GraphQLScalarType({ name: 'Odd', serialize: (value) => value }),
    },
    ...options,
  });
  type Fields = { accept?: string; method?: string; signal?: AbortSignal };
  const send = async (body: unknown, { accept = 'text/event-stream', method = 'POST', signal }: Fields = {}): Promise<Response> => {
    const headers: [string, string][] = [['accept', accept]];
    const request =
      method === 'GET' ? get({ query: String(body) }, { headers }) : post(typeof body === 'string' ? { query: body } : body, { headers });
    return handler.fetch(webRequest(request, { signal: signal ?? null }));
  };
  /** The results that a client gets if the source has these events, and then ends. */
  const play = async (events: readonly object[], query = ticking): Promise<any[]> => {
    source.push(...events);
    source.complete();
    return resultsOf(await (await send(query)).text());
  };
  return { source, lines, send, play };
}

/** The codes of the errors of the only result of an event stream. */
async function codesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  assert.doesNotMatch(text, /hunter2/);
  return (resultsOf(text) as any[]).flatMap(({ errors }) => errors.map(({ extensions }: GraphQLError) => extensions['code']));
}

describe('a subscription', () => {
  it('continues after an event with errors, which are masked like any others', async () => {
    const { play, lines } = serve();

    const results = await play(
      [{ book: { title: 'Emma' } }, { book: { title: 'Persuasion' } }],
      'subscription { book(id: 1) { title fail } }',
    );

    assert.deepEqual(
      results.map(({ data, errors: [{ path, message }] }) => [data.book, path, message]),
      ['Emma', 'Persuasion'].map((title) => [{ title, fail: null }, ['book', 'fail'], 'Internal server error']),
    );
    assert.equal(lines.filter(({ level }) => level === 'error').length, 2);
  });

  it('answers an event that is not valid JSON with an error, and continues', async () => {
    const [first, second] = await serve().play([{ odd: 1n }, { odd: 2 }], 'subscription { odd }');

    assert.equal(first.errors[0].message, 'Internal server error');
    assert.deepEqual(second, { data: { odd: 2 } });
  });

  it('whose stage payload fails before an event has arrived ends with that error', async () => {
    const payload = (_operation: unknown, next: () => Promise<unknown>): never => {
      void next();
      throw new Error('hunter2');
    };

    assert.deepEqual(await codesOf(await serve({ plugins: [{ payload }] }).send(ticking)), ['INTERNAL_SERVER_ERROR']);
  });

  it('whose source fails ends with a masked error and complete', async () => {
    const { source, send } = serve();
    source.push({ ticks: 1 });
    source.fail(new Error('hunter2'));

    const events = parseEvents(await (await send(ticking)).text()).slice(1);

    assert.deepEqual(
      events.map(({ event, data }) => [event, data.data, data.errors?.[0].message]),
      [
        ['next', { ticks: 1 }, undefined],
        ['next', undefined, 'Internal server error'],
        ['complete', undefined, undefined],
      ],
    );
  });
});

describe('an event stream', () => {
  it('answers a query by GET, and refuses a subscription there with 405', async () => {
    const { send } = serve();

    const subscription = await send(ticking, { method: 'GET' });

    assert.deepEqual(resultsOf(await (await send('{ hello }', { method: 'GET' })).text()), [{ data: { hello: 'world' } }]);
    assert.equal(subscription.status, 405);
    assert.equal(subscription.headers.get('allow'), 'POST');
    assert.match(subscription.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
  });

  for (const [query, code] of [
    ['subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['subscription { nope }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query a { hello } query b { hello }', 'OPERATION_RESOLUTION_FAILURE'],
    ['subscription ($id: ID!) { book(id: $id) { title } }', 'BAD_USER_INPUT'],
    // The source cannot be created.
    ['subscription { refused }', 'UNAUTHENTICATED'],
    ['subscription { broken }', 'INTERNAL_SERVER_ERROR'],
    ['subscription { nothing }', 'INTERNAL_SERVER_ERROR'],
  ] as const)
    it(`sends the error of ${query} as an event, because clients of streams read nothing else`, async () => {
      const response = await serve().send(query);

      assert.equal(response.status, 200);
      assert.deepEqual(await codesOf(response), [code]);
    });

  it('is not started for an unauthorized client, which gets the status and JSON', async () => {
    const error = new GraphQLError('Who are you?', { extensions: { code: 'UNAUTHENTICATED' } });

    const response = await serve({ context: () => Promise.reject(error) }).send(ticking);

    assert.equal(response.status, 401);
    assert.match(response.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
    assert.equal(((await response.json()) as any).errors[0].extensions.code, 'UNAUTHENTICATED');
  });

  it('has the status and the headers set by context', async () => {
    const { send, source } = serve({
      context: ({ response }) => {
        response.status = 403;
        response.headers.append('set-cookie', 'a=1');
        response.headers.append('set-cookie', 'b=2');
        response.headers.set('x-trace', '7');
        return {};
      },
      cors: {},
    });
    source.complete();

    const response = await send(ticking);

    assert.equal(response.status, 403);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual(
      ['x-trace', 'access-control-allow-origin', 'cache-control', 'vary'].map((name) => response.headers.get(name)),
      ['7', '*', 'private, no-store, no-transform', 'Accept'],
    );
  });
});

describe('Accept', () => {
  const json = 'application/json; charset=utf-8';
  const graphql = 'application/graphql-response+json; charset=utf-8';
  const events = 'text/event-stream; charset=utf-8';
  /** Accept → the content types for a query and for a subscription. */
  const cases: readonly (readonly [accept: string, query: string, subscription: string])[] = [
    ['text/event-stream', events, events],
    ['TEXT/Event-Stream', events, events],
    ['application/json, text/event-stream', json, events],
    ['application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed', graphql, events],
    ['application/json;q=0.5, text/event-stream;q=0.6', events, events],
    ['text/event-stream, */*', events, events],
    ['text/event-stream;q=0, application/json', json, graphql],
    ['', json, graphql],
    ['text/*, application/json', json, graphql],
  ];
  for (const [accept, query, subscription] of cases) {
    it(`"${accept}" means ${query} for a query, ${subscription} for a subscription`, async () => {
      const { send, source } = serve();
      source.complete();

      const answers = [await send('{ hello }', { accept }), await send(ticking, { accept })];

      assert.deepEqual(
        answers.map((response) => response.headers.get('content-type')),
        [query, subscription],
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, subscription === events ? 200 : 422],
      );
      const [, text] = await Promise.all(answers.map((answer) => answer.text()));
      assert.equal(/accept: text\/event-stream/.test(text!), subscription !== events);
    });
  }

  for (const accept of ['text/event-stream;q=0', 'text/*']) {
    it(`"${accept}" is 406 before anything runs`, async () => {
      let runs = 0;
      const { send } = serve({ context: () => ({ runs: ++runs }) });

      assert.equal((await send('{ hello }', { accept })).status, 406);
      assert.equal(runs, 0);
    });
  }

  it('of a client that prefers JSON gets the errors of a subscription with their status', async () => {
    const { send } = serve();

    const response = await send('subscription { nope }', { accept: 'application/json, text/event-stream' });

    assert.equal(response.status, 422);
    assert.equal(((await response.json()) as any).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  });
});

it('a subscription in a batch is an error of its element; a client that accepts only event streams gets 406', async () => {
  const { send } = serve();
  const batch = [{ query: '{ hello }' }, { query: ticking }];

  const [hello, ticks] = (await (await send(batch, { accept: 'application/json, text/event-stream' })).json()) as any[];

  assert.deepEqual(hello, { data: { hello: 'world' } });
  assert.equal(ticks.errors[0].extensions.code, 'OPERATION_RESOLUTION_FAILURE');
  assert.equal((await send(batch)).status, 406);
});

describe('the end of a subscription', () => {
  it('happens when the client leaves: the source is closed, and the signal fires', async () => {
    let signal: AbortSignal | undefined;
    const { source, send } = serve({
      context: (argument) => (({ signal } = argument), {}),
    });
    const reader = eventReader(await send(ticking));
    source.push({ ticks: 1 });
    await reader.next();

    await reader.leave();

    assert.equal(source.isClosed(), true);
    assert.equal(signal?.aborted, true);
    assert.match(String(signal?.reason), /The client disconnected/);
  });

  it('fires the signal of the source’s resolver', { skip: versionInfo.major < 17 && 'graphql 16 has no signal' }, async () => {
    let signal: AbortSignal | undefined;
    const { send } = serve({
      resolvers: {
        Subscription: {
          ticks: {
            async *subscribe(_parent: unknown, _arguments: unknown, _context: unknown, info: GraphQLResolveInfo) {
              signal = info.getAbortSignal();
              yield { ticks: 1 };
              await new Promise(() => {});
            },
          },
        },
      },
    });
    const reader = eventReader(await send(ticking));
    await reader.next();
    const before = signal?.aborted;

    await reader.leave();

    assert.deepEqual([before, signal?.aborted], [false, true]);
  });

  it('happens when the Request is aborted, within one tick', async () => {
    const client = new AbortController();
    const { source, send } = serve();
    const reader = eventReader(await send(ticking, { signal: client.signal }));
    const waiting = reader.next();

    client.abort();
    await Promise.resolve();

    assert.equal(source.isClosed(), true);
    assert.deepEqual(await waiting, { event: 'complete', data: '' });
  });

  it('by its source does not fire the signal', async () => {
    const client = new AbortController();
    let signal: AbortSignal | undefined;
    const { source, send } = serve({ context: (argument) => (({ signal } = argument), {}) });
    source.complete();

    await (await send(ticking, { signal: client.signal })).text();
    client.abort();

    assert.equal(signal?.aborted, false);
  });

  it('cancels what an event waits for, and drops its late answer', async () => {
    const [asked, late] = [deferred(), deferred<number>()];
    const { source, send } = serve();
    const reader = eventReader(await send('subscription { slow }'));
    source.push({
      slow() {
        asked.resolve();
        return late.promise;
      },
    });
    const waiting = reader.next();
    await asked.promise;

    await reader.leave();
    const unhandled = await unhandledRejections(async () => late.reject(new Error('too late')));

    assert.equal(await waiting, undefined);
    assert.equal(source.isClosed(), true);
    assert.equal(unhandled, 0);
  });
});

describe('context, data sources and plugins', () => {
  it('are created once for a subscription, not for each event', async () => {
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(name);
    const { play } = serve({
      context: () => (calls.push('context'), {}),
      dataSources: () => (calls.push('dataSources'), {}),
      plugins: [
        {
          requestDidStart() {
            calls.push('requestDidStart');
            return {
              didResolveOperation: note('didResolveOperation'),
              executionDidStart: () => (calls.push('executionDidStart'), note('executionDidEnd')),
              didEncounterErrors: note('didEncounterErrors'),
              willSendResponse: note('willSendResponse'),
              didEncounterSubsequentErrors: note('didEncounterSubsequentErrors'),
              willSendSubsequentPayload: note('willSendSubsequentPayload'),
            };
          },
        },
      ],
    });

    await play([{ ticks: 1 }, { ticks: 'x' }]);

    assert.deepEqual(calls, [
      'context',
      'dataSources',
      'requestDidStart',
      'didResolveOperation',
      'executionDidStart',
      'executionDidEnd',
      'willSendResponse',
      'dataSources',
      'willSendSubsequentPayload',
      'dataSources',
      'didEncounterSubsequentErrors',
      'willSendSubsequentPayload',
    ]);
  });

  it('may change each payload', async () => {
    const willSendSubsequentPayload = (_: unknown, payload: object) => void Object.assign(payload, { extensions: { seen: true } });
    const { play } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload }) }] });

    assert.deepEqual(await play([{ ticks: 1 }]), [{ data: { ticks: 1 }, extensions: { seen: true } }]);
  });

  it('that fail for an event end the subscription with an error', async () => {
    const { source, send } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload: fail }) }] });
    source.push({ ticks: 1 });

    const [first, second] = parseEvents(await (await send(ticking)).text()).slice(1);

    assert.equal(first?.data.errors[0].message, 'Internal server error');
    assert.equal(second?.event, 'complete');
    assert.equal(source.isClosed(), true);
  });

  for (const [hook, listener] of Object.entries({
    willSendResponse: { willSendResponse: fail },
    'the end of executionDidStart': { executionDidStart: () => fail },
  })) {
    it(`that fail before the first event leave no source open, and send no event: ${hook}`, async () => {
      const { source, send } = serve({ plugins: [{ requestDidStart: () => listener }] });
      source.push({ ticks: 1 });

      assert.deepEqual(await codesOf(await send(ticking)), ['INTERNAL_SERVER_ERROR']);
      assert.equal(source.isClosed(), true);
    });
  }

  it('formatError is applied last to the errors of events', async () => {
    const { source, send } = serve({ formatError: (error) => ({ ...error, message: 'formatted' }) });
    source.push({ ticks: 'x' });
    source.fail(new Error('hunter2'));

    const [event, end] = resultsOf(await (await send(ticking)).text()) as any[];

    assert.deepEqual([event.errors[0].message, end.errors[0].message], ['formatted', 'formatted']);
  });
});

it('rootValue is the parent of the source, and the event is the parent of the fields', async () => {
  const seen: unknown[] = [];
  const subscribe = (root: unknown): AsyncIterable<unknown> => (seen.push(root), source);
  const { play, source } = serve({ rootValue: () => ({ root: true }), resolvers: { Subscription: { ticks: { subscribe } } } as never });

  assert.deepEqual(await play([{ ticks: 1 }]), [{ data: { ticks: 1 } }]);
  assert.deepEqual(seen, [{ root: true }]);
});

it('its start is published on the channel graphql:subscribe', async () => {
  const events: string[] = [];
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  const listener = Object.fromEntries(names.map((name) => [name, () => void events.push(name)])) as never;
  tracingChannel('graphql:subscribe').subscribe(listener);
  try {
    for (const field of ['ticks', 'book(id: 1) { title }', 'broken']) await serve().play([], `subscription { ${field} }`);
  } finally {
    tracingChannel('graphql:subscribe').unsubscribe(listener);
  }

  assert.deepEqual(events, ['start', 'end', 'start', 'end', 'asyncStart', 'asyncEnd', 'start', 'end']);
});

it('without a resolver, the source is the property of the root value with the name of the field', async () => {
  for (const isMethod of [true, false]) {
    const { play, source } = serve({ rootValue: () => ({ plain: isMethod ? () => source : source }) });
    assert.deepEqual(await play([{ plain: 1 }], 'subscription { plain }'), [{ data: { plain: 1 } }]);
  }
});

describe('data sources of a subscription', () => {
  class Books extends RESTDataSource {
    override baseURL = 'http://books.test/';
    readonly loader = new DataLoader(async (keys: readonly string[]) => keys.map(() => ++reads));
    author = (): Promise<string> => this.get('author');
  }
  let reads = 0;
  const resolvers = {
    Subscription: {
      book: {
        async *subscribe(_source: unknown, _arguments: unknown, { dataSources }: { dataSources: { books: Books } }) {
          await dataSources.books.author();
          yield* [1, 2].map(() => ({ title: 'Emma' }));
        },
        resolve: (event: unknown) => event,
      },
    },
    Book: {
      author: (_book: unknown, _arguments: unknown, { dataSources }: any) => dataSources.books.author(),
      shout: (_book: unknown, _arguments: unknown, { dataSources }: any) => dataSources.books.loader.load('a'),
    },
  };
  const query = 'subscription { book(id: 1) { author again: author shout louder: shout(times: 2) } }';

  it('are new for each event', async () => {
    const contexts: unknown[] = [];
    let sent = 0;
    const books = (): Books => new Books({ httpFetch: async () => Response.json(`author ${++sent}`) });
    const context = (): object => ({ contexts: contexts.push(1) });
    const { play } = serve({ resolvers, context, dataSources: () => ({ books: books() }) });

    const results = await play([], query);

    const expected = (count: number): object => ({
      data: { book: { author: `author ${count + 1}`, again: `author ${count + 1}`, shout: `${count}`, louder: `${count}` } },
    });
    assert.deepEqual(results, [expected(1), expected(2)]);
    assert.equal(contexts.length, 1);
  });

  it('that cannot be created are an error of one event', async () => {
    let created = 0;
    const dataSources = (): object => {
      if (++created === 2) throw new GraphQLError('No books.');
      return { books: new Books({ httpFetch: async () => Response.json('Austen') }) };
    };

    assert.deepEqual(await serve({ resolvers, dataSources: dataSources as never }).play([], 'subscription { book(id: 1) { author } }'), [
      { errors: [{ message: 'No books.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
      { data: { book: { author: 'Austen' } } },
    ]);
  });
});
