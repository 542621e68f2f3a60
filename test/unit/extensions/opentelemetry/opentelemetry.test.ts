import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, test } from 'node:test';

import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { GraphQLError, GraphQLScalarType } from 'graphql';

import { createHandler, RESTDataSource } from '../../../../src/entries/index.ts';
import { Meters } from '../../../../src/extensions/opentelemetry/meters.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import type { OpenTelemetryOptions } from '../../../../src/entries/opentelemetry.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { json, plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';
import { exporter } from '../../../support/spans.ts';

const typeDefs = `
  type Query { book: String other: String broken: String denied: String }
  type Mutation { add: String }
  type Subscription { count: Int failing: Int ending: Int }
`;

class Books extends RESTDataSource {
  override baseURL = 'https://books.example/';
  async find(name: string): Promise<string> {
    return (await this.get<{ title: string }>(name)).title;
  }
}
class Authors extends Books {}

interface Context {
  readonly dataSources: { readonly books: Books; readonly authors: Authors };
}

const fails = (message: string) => (): never => {
  throw new Error(message);
};
const httpFetch = async ({ url }: Request): Promise<Response> => {
  // An instrumentation of fetch creates such a span.
  trace.getTracer('fetch').startSpan('GET').end();
  return url.endsWith('gone') ? new Response('gone', { status: 410 }) : Response.json({ title: 'Emma' });
};

const resolvers = {
  Query: {
    book: async (_: unknown, __: unknown, { dataSources }: Context) => dataSources.books.find('emma'),
    other: async (_: unknown, __: unknown, { dataSources }: Context) => dataSources.authors.find('austen'),
    broken: fails('the password is 1234'),
    denied: () => {
      throw new GraphQLError('No.', { extensions: { code: 'FORBIDDEN' } });
    },
  },
  Mutation: { add: () => 'added' },
  Subscription: {
    count: {
      subscribe: async function* count() {
        yield { count: 1 };
        yield { count: 2 };
      },
      resolve: ({ count }: { count: number }) => {
        trace.getTracer('user').startSpan(`event ${count}`).end();
        return count;
      },
    },
    failing: {
      subscribe: async function* failing() {
        yield {};
      },
      resolve: fails('the password is 1234'),
    },
    ending: {
      // oxlint-disable-next-line require-yield -- a source that fails before its first event
      subscribe: async function* ending() {
        fails('the password is 5678')();
      },
    },
  },
};

interface Serving extends Pick<ReturnType<typeof createTester>, 'run' | 'subscribe'> {
  readonly send: (body: unknown, headers?: PlainRequest['headers']) => Promise<any>;
  readonly handler: (event: any) => Promise<unknown>;
}

function serving(options: OpenTelemetryOptions = {}, server: object = {}): Serving {
  const handler = createHandler({
    typeDefs,
    nodeEnv: '',
    logger: recordingLogger()[0],
    dataSources: () => ({ books: new Books({ httpFetch }), authors: new Authors({ httpFetch }) }),
    resolvers: resolvers as never,
    plugins: [openTelemetry(options)],
    ...server,
  }) as any;
  return {
    ...createTester(handler),
    handler,
    send: async (body, headers = []) => {
      const request = post(body);
      return json(await httpAPI.read(await handler(httpAPI.build({ ...request, headers: [...request.headers, ...headers] }))));
    },
  };
}

/** Returns the spans below the roots as indented names. */
function tree(): string[] {
  const spans = exporter.getFinishedSpans();
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => span.parentSpanContext?.spanId === parent || (parent === undefined && isRoot(span, spans)))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((span) => [indent + span.name, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, '');
}

function isRoot({ parentSpanContext }: ReadableSpan, spans: readonly ReadableSpan[]): boolean {
  return !spans.some((span) => span.spanContext().spanId === parentSpanContext?.spanId);
}

const only = (name: string): ReadableSpan => {
  const [span, ...rest] = exporter.getFinishedSpans().filter((one) => one.name === name);
  assert.deepEqual([span === undefined, rest.length], [false, 0], name);
  return span!;
};

async function listOf<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

beforeEach(() => exporter.reset());

describe('the spans of an operation', () => {
  test('name this package and its version as their scope', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string };
    await serving().send({ query: '{ book }' });

    assert.deepEqual(
      { ...only('query').instrumentationScope, schemaUrl: undefined },
      { name: 'graphql-functions', version, schemaUrl: undefined },
    );
  });

  test('have its name, type and hash; calls of data sources and their requests are below', async () => {
    await serving().send({ query: 'query Both { book other }' });

    assert.deepEqual(tree(), ['query', '  Authors GET', '    GET', '  Books GET', '    GET']);
    assert.deepEqual(only('query').attributes, {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Both',
      'graphql.document.hash': createHash('sha256').update('query Both { book other }').digest('hex'),
    });
    assert.deepEqual(only('Books GET').attributes, {
      'graphql_functions.data_source': 'Books',
      'graphql_functions.cache.outcome': 'miss',
      'http.request.method': 'GET',
      'http.response.status_code': 200,
    });
  });

  test('have the document only if the option is set', async () => {
    await serving({ document: true }).send({ query: '{ book }' });

    assert.equal(only('query').attributes['graphql.document'], '{ book }');
  });

  for (const [errorMessages, message, messages] of [
    [false, 'INTERNAL_SERVER_ERROR', [undefined, undefined]],
    [true, 'the password is 1234', ['the password is 1234', 'No.']],
  ] as const)
    test(`have the class and the stack of each error, ${errorMessages ? 'and by option' : 'but not'} its message`, async () => {
      const answer = await serving({ errorMessages }).send({ query: '{ broken denied }' });

      const { status, events, attributes } = only('query');
      assert.deepEqual(status, { code: SpanStatusCode.ERROR, message });
      assert.deepEqual(
        events.map(({ attributes: own }) => [own?.['exception.type'], own?.['exception.message']]),
        [
          ['Error', messages[0]],
          ['GraphQLError', messages[1]],
        ],
      );
      assert.match(String(events[0]!.attributes?.['exception.stacktrace']), /^Error.*\n\s+at .*opentelemetry\.test\.ts/);
      assert.equal(attributes['error.type'], 'INTERNAL_SERVER_ERROR');
      assert.equal(JSON.stringify(answer).includes('password'), false);
    });

  test('are created for refused operations, one for each element of a batch', async () => {
    await serving().send([{ query: '{ nothing }' }, { query: '{ book' }, { query: 'mutation { add }' }]);

    // The operations run concurrently, so their order is not asserted.
    assert.deepEqual(
      exporter
        .getFinishedSpans()
        .map(({ name, attributes }) => `${name}: ${String(attributes['error.type'])}`)
        .toSorted(),
      ['GraphQL Operation: GRAPHQL_PARSE_FAILED', 'GraphQL Operation: GRAPHQL_VALIDATION_FAILED', 'mutation: undefined'],
    );
  });

  test('contain no variables or literals, whatever refuses the operation', async () => {
    const secret = 'k3y-of-alice';
    const search = async (_: unknown, { text }: { text?: string }, { dataSources }: Context): Promise<unknown> =>
      text === undefined ? fails(`Nothing to search for, beside ${secret}`)() : dataSources.books.find(`${text}/gone`);
    const parseValue = (value: unknown): never => fails(`No token:\n    at ${String(value)}`)();
    const { handler } = serving(
      {},
      {
        typeDefs: `
          scalar Token
          enum Color { RED }
          input Filter { size: Int color: Color }
          type Query { search(text: String, size: Int, token: Token, filter: Filter, tokens: [Token!]): String! }`,
        resolvers: { Token: new GraphQLScalarType({ name: 'Token', parseValue }), Query: { search } },
      },
    );
    const query =
      'query ($text: String, $size: Int, $token: Token, $filter: Filter) { search(text: $text, size: $size, token: $token, filter: $filter) }';
    const variables = [
      { text: secret },
      {},
      { size: secret },
      { token: secret },
      { filter: { color: secret } },
      { filter: { [secret]: 1 } },
    ];
    const literals = [
      `size: "${secret}"`,
      `token: "${secret}"`,
      `filter: { color: "${secret}" }`,
      `text: "${secret}`,
      `tokens: ["a", "${secret}"]`,
    ];
    const requests = [
      ...variables.map((given) => ({ query, variables: given })),
      ...literals.map((given) => ({ query: `{ search(${given}) }` })),
    ];

    for (const request of requests) await handler(httpAPI.build(post(request)));

    const told = exporter.getFinishedSpans().map(({ name, status, attributes, events }) => ({ name, status, attributes, events }));
    assert.ok(told.filter(({ status }) => status.code === SpanStatusCode.ERROR).length >= requests.length);
    assert.deepEqual(
      told.filter((span) => JSON.stringify(span).includes(secret)),
      [],
    );
  });

  test('are created once for requests that the HTTP layer refuses, and not for preflights', async () => {
    const { handler } = serving();
    const image = post({ query: '{ book }' }, { headers: [['Accept', 'image/png']] });

    for (const request of [plainRequest({ method: 'PUT' }), plainRequest({ method: 'OPTIONS' }), post('{'), image])
      await handler(httpAPI.build(request));

    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name, status, attributes }) => [name, status.code, attributes['http.response.status_code']]),
      [405, 400, 406].map((status) => ['GraphQL Request', SpanStatusCode.ERROR, status]),
    );
  });

  test('mark a failed call of a data source', async () => {
    const book = async (_: unknown, __: unknown, { dataSources }: Context): Promise<unknown> => dataSources.books.find('gone');
    await serving({}, { resolvers: { Query: { book } } }).send({ query: '{ book }' });

    const { attributes, status } = only('Books GET');
    assert.deepEqual([attributes['http.response.status_code'], status.code], [410, SpanStatusCode.ERROR]);
  });

  test('have the error of a plugin that is listed before, because they show what is sent', async () => {
    const withholding: ServerPlugin = { operation: async (_operation, next) => next().then(fails('withheld')) };
    await serving({ errorMessages: true }, { plugins: [withholding, openTelemetry({ errorMessages: true })] }).send({ query: '{ book }' });

    assert.deepEqual(only('query').status, { code: SpanStatusCode.ERROR, message: 'withheld' });
  });

  test("last to the end of a stream, and are the parents of its events' spans", async () => {
    const { subscribe } = serving();
    const open: number[] = [];

    for await (const { data } of subscribe('subscription { count }')) {
      open.push(exporter.getFinishedSpans().filter(({ name }) => name === 'subscription').length);
      assert.ok(data.count > 0);
    }

    // The source may have ended before the second event is read.
    assert.deepEqual([open[0], open.length], [0, 2]);
    assert.deepEqual(tree(), ['subscription', '  event 1', '  event 2']);
  });

  test('have the hashes of masked errors, also those of events', async () => {
    const { run, subscribe } = serving();

    const answer = await run('{ broken again: broken denied }');
    for await (const event of subscribe('subscription { failing }')) assert.ok(event.errors);

    const { errorHash } = answer.errors![0]!.extensions!;
    assert.match(String(errorHash), /^[0-9a-f]{8}$/);
    assert.deepEqual(only('query').attributes['graphql_functions.error.hash'], [errorHash]);
    assert.deepEqual(only('subscription').attributes['graphql_functions.error.hash'], [errorHash]);
  });

  for (const [field, message] of [
    ['failing', 'the password is 1234'],
    ['ending', 'the password is 5678'],
  ] as const) {
    test(`have the original errors of a subscription's ${field} events if the option is set, while the client sees masked errors`, async () => {
      const answers = await listOf(serving({ errorMessages: true }).subscribe(`subscription { ${field} }`));

      assert.equal(answers.length, 1);
      assert.equal(JSON.stringify(answers).includes('password'), false);
      const { events, status } = only('subscription');
      assert.deepEqual([events.map(({ attributes }) => attributes?.['exception.message']), status.code], [[message], SpanStatusCode.ERROR]);
    });
  }
});

describe('the parent of an operation', () => {
  const traceId = '5759e988bd862e3fe1be46a994272793';
  const spanId = '53995c3f42cd8ad8';

  test('is the active span, which gets the name of the operation', async () => {
    const { send } = serving();
    await trace.getTracer('lambda').startActiveSpan('function', async (span) => {
      await send({ query: 'query Named { book }' });
      span.end();
    });

    assert.deepEqual(tree(), ['function', '  query', '    Books GET', '      GET']);
    assert.deepEqual([only('function').attributes['graphql.operation.name'], only('query').kind], ['Named', SpanKind.INTERNAL]);
  });

  test('is the span in the header traceparent', async () => {
    await serving().send({ query: '{ book }' }, [['traceparent', `00-${traceId}-${spanId}-01`]]);

    const { parentSpanContext, kind } = only('query');
    assert.deepEqual([parentSpanContext?.traceId, parentSpanContext?.spanId, kind], [traceId, spanId, SpanKind.SERVER]);
  });
});

test('spans are flushed after each request, or before the answer if the platform then freezes the process', async () => {
  const flushed: number[] = [];
  const flush = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    flushed.push(exporter.getFinishedSpans().length);
  };

  await serving({ flush }).send([{ query: 'mutation { add }' }, { query: 'mutation { add }' }]);

  assert.deepEqual(flushed, [2]);
});

test('a flush that throws, synchronously or later, changes no response', async () => {
  for (const flush of [fails('no exporter'), () => Promise.reject(new Error('no exporter'))]) {
    const { send, subscribe } = serving({ flush });
    assert.deepEqual(await send({ query: 'mutation { add }' }), { data: { add: 'added' } });
    assert.equal((await listOf(subscribe('subscription { count }'))).length, 2);
  }
});

test('metrics count the most frequent operations by their names, whatever names a client makes up', () => {
  const names: string[] = [];
  const record = (_: number, attributes: Readonly<Record<string, string>>): void => void names.push(attributes['graphql.operation.name']!);
  const meters = new Meters({ createHistogram: () => ({ record }), createCounter: () => ({}) } as never);
  const send = (name: string, times: number): void => {
    const outcome = { operation: { operation: 'query', name: { value: name } } };
    for (let time = 0; time < times; time++) meters.operation({ outcome, start: 0, codes: new Map() } as never);
  };

  for (let made = 0; made < 100; made++) send(`MadeUp${made}`, 1);
  send('Real', 50);
  for (let made = 0; made < 3_000; made++) send(`Other${made}`, 2 + made / 100);
  send('Real', 50);

  assert.equal(names.filter((name) => name === 'Real').length, 99);
  assert.equal(new Set(names).size, 1_001);
});

test('metrics count operations by a bounded number of names, errors by code, and calls by the source of the response', async () => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const { send } = serving({ meterProvider });

  for (let round = 0; round < 3; round++) for (let i = 0; i < 110; i++) await send({ query: `query Q${i} { book }` });
  for (let i = 110; i < 200; i++) for (let time = 0; time < 2; time++) await send({ query: `query Q${i} { book }` });
  await send({ query: '{ denied }' });
  await reader.forceFlush();
  await meterProvider.shutdown();

  const metrics = new Map(
    metricExporter.getMetrics()[0]!.scopeMetrics[0]!.metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]),
  );
  const names = metrics.get('graphql.server.operation.duration')!.map(({ attributes }) => attributes['graphql.operation.name']);
  // The values are 100 names, no name, and _OTHER for the rest.
  assert.deepEqual([names.length, names.includes(''), names.includes('_OTHER')], [102, true, true]);
  assert.deepEqual(
    metrics.get('graphql.server.errors')!.map(({ attributes, value }) => [attributes['error.type'], value]),
    [['FORBIDDEN', 1]],
  );
  assert.deepEqual(
    metrics
      .get('graphql_functions.data_source.calls')!
      .map(({ attributes, value }) => [attributes['graphql_functions.cache.outcome'], value]),
    [['miss', 510]],
  );
});
