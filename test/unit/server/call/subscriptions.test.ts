import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import DataLoader from 'dataloader';
import { GraphQLError, GraphQLScalarType, versionInfo } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { RESTDataSource } from '../../../../src/entries/datasource.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import type { SubsequentPayload } from '../../../../src/server/operation/types.ts';
import { deferred } from '../../../support/deferred.ts';
import { createEventSource } from '../../../support/event-source.ts';
import type { EventSource } from '../../../support/event-source.ts';
import { webRequest } from '../../../support/events.ts';
import { get, post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { eventReader, parseEvents, resultsOf } from '../../../support/sse.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query { hello: String }
  type Subscription { ticks: Int! book(id: ID!): Book slow: Int odd: Odd refused: Int broken: Int nothing: Int plain: Int }
  type Book { title: String! author: String fail: String shout(times: Int = 1): String! }
  scalar Odd
`;

interface Served {
  readonly source: EventSource<any>;
  readonly lines: LogLine[];
  send(query: string, fields?: { accept?: string; variables?: object; method?: string; signal?: AbortSignal }): Promise<Response>;
}

let served = 0;

function fail(): never {
  throw new Error('hunter2');
}

/** A server in which every subscription gets the events that the test pushes. */
function serve(options: Partial<ServerOptions<any, any>> = {}): Served {
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
  return {
    source,
    lines,
    send: async (query, { accept = 'text/event-stream', variables, method = 'POST', signal } = {}) => {
      const headers = { headers: [['accept', accept]] } as const;
      const request = method === 'GET' ? get({ query }, headers as never) : post({ query, variables }, headers as never);
      return handler.fetch(webRequest(request, { signal: signal ?? null }));
    },
  };
}

/** The codes of the errors of the only result of an event stream. */
async function codesOf(response: Response): Promise<unknown[]> {
  const [result, ...others] = resultsOf(await response.text()) as { errors: { extensions: { code: unknown } }[] }[];
  assert.deepEqual(others, []);
  return result!.errors.map(({ extensions }) => extensions.code);
}

describe('a subscription', () => {
  it('sends an event for each event of its source, and one for its end', async () => {
    const { source, send } = serve();
    source.push({ ticks: 1 }, { ticks: 2 });
    source.complete();

    const response = await send('subscription { ticks }');

    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'private, no-store, no-transform');
    assert.equal(response.headers.get('vary'), 'Accept');
    assert.deepEqual(parseEvents(await response.text()).slice(1), [
      { event: 'next', data: { data: { ticks: 1 } } },
      { event: 'next', data: { data: { ticks: 2 } } },
      { event: 'complete', data: '' },
    ]);
  });

  it('sends each event without waiting for the next', async () => {
    const { source, send } = serve();
    const reader = eventReader(await send('subscription { ticks }'));

    source.push({ ticks: 1 });
    assert.deepEqual(await reader.next(), { event: 'next', data: { data: { ticks: 1 } } });
    source.push({ ticks: 2 });
    assert.deepEqual(await reader.next(), { event: 'next', data: { data: { ticks: 2 } } });

    await reader.leave();
  });

  it('continues after an event with errors, which are masked like any others', async () => {
    const { source, send, lines } = serve();
    source.push({ book: { title: 'Emma' } }, { book: { title: 'Persuasion' } });
    source.complete();

    const results = resultsOf(await (await send('subscription { book(id: 1) { title fail } }')).text()) as any[];

    assert.deepEqual(
      results.map(({ data }) => data.book),
      [
        { title: 'Emma', fail: null },
        { title: 'Persuasion', fail: null },
      ],
    );
    assert.deepEqual(results[1].errors[0].path, ['book', 'fail']);
    assert.equal(results[1].errors[0].message, 'Internal server error');
    assert.equal(lines.filter(({ level }) => level === 'error').length, 2);
  });

  it('answers an event that is not valid JSON with an error, and continues', async () => {
    const { source, send } = serve();
    source.push({ odd: 1n }, { odd: 2 });
    source.complete();

    const results = resultsOf(await (await send('subscription { odd }')).text()) as any[];

    assert.equal(results[0].errors[0].message, 'Internal server error');
    assert.deepEqual(results[1], { data: { odd: 2 } });
  });

  it('whose stage payload fails before an event has arrived ends with that error', async () => {
    const payload = (_operation: unknown, next: () => Promise<unknown>): never => {
      void next();
      throw new Error('hunter2');
    };
    const { send } = serve({ plugins: [{ payload }] });

    assert.deepEqual(await codesOf(await send('subscription { ticks }')), ['INTERNAL_SERVER_ERROR']);
  });

  it('whose source fails ends with a masked error and complete', async () => {
    const { source, send } = serve();
    source.push({ ticks: 1 });
    source.fail(new Error('hunter2'));

    const events = parseEvents(await (await send('subscription { ticks }')).text()).slice(1);

    assert.deepEqual(events.at(0), { event: 'next', data: { data: { ticks: 1 } } });
    assert.equal(events.at(1)?.data.errors[0].message, 'Internal server error');
    assert.equal('data' in events.at(1)!.data, false);
    assert.deepEqual(events.at(2), { event: 'complete', data: '' });
    assert.equal(events.length, 3);
  });

  for (const [field, code] of [
    ['refused', 'UNAUTHENTICATED'],
    ['broken', 'INTERNAL_SERVER_ERROR'],
    ['nothing', 'INTERNAL_SERVER_ERROR'],
  ] as const) {
    it(`whose source cannot be created (${field}) is one event with ${code}`, async () => {
      const { send } = serve();

      const response = await send(`subscription { ${field} }`);

      assert.equal(response.status, 200);
      const text = await response.text();
      assert.doesNotMatch(text, /hunter2/);
      assert.deepEqual(await codesOf(new Response(text)), [code]);
    });
  }
});

describe('an event stream', () => {
  it('answers a query by GET, and refuses a subscription there with 405', async () => {
    const { send } = serve();

    const query = await send('{ hello }', { method: 'GET' });
    const subscription = await send('subscription { ticks }', { method: 'GET' });

    assert.deepEqual(resultsOf(await query.text()), [{ data: { hello: 'world' } }]);
    assert.equal(subscription.status, 405);
    assert.equal(subscription.headers.get('allow'), 'POST');
    assert.match(subscription.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
  });

  const faults: readonly (readonly [query: string, variables: object, code: string])[] = [
    ['subscription {', {}, 'GRAPHQL_PARSE_FAILED'],
    ['subscription { nope }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['query a { hello } query b { hello }', {}, 'OPERATION_RESOLUTION_FAILURE'],
    ['subscription ($id: ID!) { book(id: $id) { title } }', {}, 'BAD_USER_INPUT'],
  ];
  for (const [query, variables, code] of faults) {
    it(`sends the error of ${query} as an event, because clients of streams read nothing else`, async () => {
      const { send } = serve();

      const response = await send(query, { variables });

      assert.equal(response.status, 200);
      assert.deepEqual(await codesOf(response), [code]);
    });
  }

  it('is not started for an unauthorized client, which gets the status and JSON', async () => {
    const error = new GraphQLError('Who are you?', { extensions: { code: 'UNAUTHENTICATED' } });

    const response = await serve({ context: () => Promise.reject(error) }).send('subscription { ticks }');

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

    const response = await send('subscription { ticks }');

    assert.equal(response.status, 403);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(response.headers.get('x-trace'), '7');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  });
});

describe('Accept', () => {
  const json = 'application/json; charset=utf-8';
  const graphql = 'application/graphql-response+json; charset=utf-8';
  const events = 'text/event-stream; charset=utf-8';
  /** Accept → the content types for a query and for a subscription. */
  const cases: readonly (readonly [accept: string, query: string | 406, subscription: string])[] = [
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

      const answers = [await send('{ hello }', { accept }), await send('subscription { ticks }', { accept })];

      assert.deepEqual(
        answers.map((response) => response.headers.get('content-type')),
        [query, subscription],
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, subscription === events ? 200 : 422],
      );
      for (const answer of answers) await answer.text();
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

  it('without event streams makes a subscription an error that says what to send', async () => {
    const response = await serve().send('subscription { ticks }', { accept: 'application/json' });

    assert.equal(response.status, 422);
    assert.match(((await response.json()) as any).errors[0].message, /accept: text\/event-stream/);
  });
});

it('a subscription in a batch is an error of its element; a client that accepts only event streams gets 406', async () => {
  const { fetch } = createHandler({ typeDefs: `${typeDefs} # batch`, resolvers: { Query: { hello: () => 'world' } } });
  const batch = [{ query: '{ hello }' }, { query: 'subscription { ticks }' }];
  const sendFor = (accept: string): Promise<Response> => fetch(webRequest(post(batch, { headers: [['accept', accept]] })));

  const [hello, ticks] = (await (await sendFor('application/json, text/event-stream')).json()) as any[];

  assert.deepEqual(hello, { data: { hello: 'world' } });
  assert.equal(ticks.errors[0].extensions.code, 'OPERATION_RESOLUTION_FAILURE');
  assert.equal((await sendFor('text/event-stream')).status, 406);
});

describe('the end of a subscription', () => {
  it('happens when the client leaves: the source is closed, and the signal fires', async () => {
    let signal: AbortSignal | undefined;
    const { source, send } = serve({
      context: (argument) => (({ signal } = argument), {}),
    });
    const reader = eventReader(await send('subscription { ticks }'));
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
    const reader = eventReader(await send('subscription { ticks }'));
    await reader.next();
    const before = signal?.aborted;

    await reader.leave();

    assert.deepEqual([before, signal?.aborted], [false, true]);
  });

  it('happens when the Request is aborted, within one tick', async () => {
    const client = new AbortController();
    const { source, send } = serve();
    const reader = eventReader(await send('subscription { ticks }', { signal: client.signal }));
    const waiting = reader.next();

    client.abort();
    await Promise.resolve();

    assert.equal(source.isClosed(), true);
    assert.deepEqual(await waiting, { event: 'complete', data: '' });
  });

  it('by its source does not fire the signal', async () => {
    const client = new AbortController();
    let signal: AbortSignal | undefined;
    const { source, send } = serve({
      context: (argument) => (({ signal } = argument), {}),
    });
    source.complete();
    const response = await send('subscription { ticks }', { signal: client.signal });

    await response.text();
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

describe('a client that does not read', () => {
  it('pauses the source: no events are read from it, however many there are', async () => {
    const { source, send } = serve();
    const response = await send('subscription { ticks }');
    for (let ticks = 0; ticks < 1000; ticks++) source.push({ ticks });
    const reader = eventReader(response);
    await reader.next();

    await new Promise((resolve) => setImmediate(resolve));

    assert.ok(source.pulls() <= 5, `${source.pulls()} events were taken`);
    await reader.leave();
  });
});

describe('context, data sources and plugins', () => {
  it('are created once for a subscription, not for each event', async () => {
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(name);
    const { source, send } = serve({
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
    source.push({ ticks: 1 }, { ticks: 'x' });
    source.complete();

    await (await send('subscription { ticks }')).text();

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
    const willSendSubsequentPayload = (_: unknown, payload: SubsequentPayload) =>
      void Object.assign(payload, { extensions: { seen: true } });
    const { source, send } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload }) }] });
    source.push({ ticks: 1 });
    source.complete();

    assert.deepEqual(resultsOf(await (await send('subscription { ticks }')).text()), [{ data: { ticks: 1 }, extensions: { seen: true } }]);
  });

  it('that fail for an event end the subscription with an error', async () => {
    const { source, send } = serve({ plugins: [{ requestDidStart: () => ({ willSendSubsequentPayload: fail }) }] });
    source.push({ ticks: 1 });

    const [first, second] = parseEvents(await (await send('subscription { ticks }')).text()).slice(1);

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
      source.complete();

      const response = await send('subscription { ticks }');

      assert.deepEqual(await codesOf(response), ['INTERNAL_SERVER_ERROR']);
      assert.equal(source.isClosed(), true);
    });
  }

  it('formatError is applied last to the errors of events', async () => {
    const { source, send } = serve({ formatError: (error) => ({ ...error, message: 'formatted' }) });
    source.push({ ticks: 'x' });
    source.fail(new Error('hunter2'));

    const results = resultsOf(await (await send('subscription { ticks }')).text()) as any[];

    assert.deepEqual(
      results.map(({ errors }) => errors[0].message),
      ['formatted', 'formatted'],
    );
  });
});

it('rootValue is the parent of the source, and the event is the parent of the fields', async () => {
  const seen: unknown[] = [];
  const subscribe = (root: unknown): AsyncIterable<unknown> => (seen.push(root), source);
  const { send, source } = serve({ rootValue: () => ({ root: true }), resolvers: { Subscription: { ticks: { subscribe } } } as never });
  source.push({ ticks: 1 });
  source.complete();

  assert.deepEqual(resultsOf(await (await send('subscription { ticks }')).text()), [{ data: { ticks: 1 } }]);
  assert.deepEqual(seen, [{ root: true }]);
});

it('its start is published on the channel graphql:subscribe', async () => {
  const events: string[] = [];
  const note = (name: string) => () => void events.push(name);
  const listener = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  tracingChannel('graphql:subscribe').subscribe(listener);
  try {
    for (const field of ['ticks', 'book(id: 1) { title }', 'broken']) {
      const { send, source } = serve();
      source.complete();
      await (await send(`subscription { ${field} }`)).text();
    }
  } finally {
    tracingChannel('graphql:subscribe').unsubscribe(listener);
  }

  assert.deepEqual(events, ['start', 'end', 'start', 'end', 'asyncStart', 'asyncEnd', 'start', 'end']);
});

it('without a resolver, the source is the property of the root value with the name of the field', async () => {
  for (const isMethod of [true, false]) {
    const { send, source } = serve({ rootValue: () => ({ plain: isMethod ? () => source : source }) });
    source.push({ plain: 1 });
    source.complete();
    assert.deepEqual(resultsOf(await (await send('subscription { plain }')).text()), [{ data: { plain: 1 } }]);
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
    const { send } = serve({ resolvers, context, dataSources: () => ({ books: books() }) });

    const results = resultsOf(await (await send(query)).text());

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
    const { send } = serve({ resolvers, dataSources: dataSources as never });

    const results = resultsOf(await (await send('subscription { book(id: 1) { author } }')).text());

    assert.deepEqual(results, [
      { errors: [{ message: 'No books.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
      { data: { book: { author: 'Austen' } } },
    ]);
  });
});
