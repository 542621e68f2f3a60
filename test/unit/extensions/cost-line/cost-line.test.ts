import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostLineOptions, CostRecord } from '../../../../src/entries/cost-line.ts';
import { createHandler, RESTDataSource } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

class Books extends RESTDataSource {
  override baseURL = 'https://books.example/';
  find(name: string): Promise<{ title: string }> {
    return this.get(name);
  }
}

const typeDefs = 'type Query { book: String twice: String denied: String } type Subscription { count: Int }';
const httpFetch = async (): Promise<Response> => Response.json({ title: 'Emma' });
const resolvers = {
  Query: {
    book: async (_: unknown, _arguments: unknown, { dataSources }: { dataSources: { books: Books } }) =>
      (await dataSources.books.find('emma')).title,
    twice: async (_: unknown, _arguments: unknown, { dataSources }: { dataSources: { books: Books } }) =>
      (await Promise.all([dataSources.books.find('emma'), dataSources.books.find('persuasion')])).map(({ title }) => title).join(),
    denied: () => {
      throw new GraphQLError('No.', { extensions: { code: 'FORBIDDEN' } });
    },
  },
  Subscription: {
    count: {
      subscribe: async function* count() {
        yield { count: 1 };
        yield { count: 2 };
      },
    },
  },
};

interface Serving {
  readonly handler: unknown;
  readonly send: (request: PlainRequest, context?: object) => Promise<unknown>;
  readonly lines: string[];
  readonly records: CostRecord[];
  readonly log: readonly LogLine[];
}

function serving(options: CostLineOptions = {}, rest: Partial<ServerOptions> = {}): Serving {
  const lines: string[] = [];
  const records: CostRecord[] = [];
  const [logger, log] = recordingLogger();
  const write = (line: string, record: CostRecord): void => void (lines.push(line), records.push(record));
  const handler = createHandler({
    typeDefs,
    logger,
    dataSources: () => ({ books: new Books({ httpFetch }) }),
    resolvers: resolvers as never,
    plugins: [costLine({ write, ...options })],
    ...rest,
  });
  return { handler, send: async (request, context) => httpAPI.read(await handler(httpAPI.build(request), context)), lines, records, log };
}

/** Removes the values that differ from run to run. */
function steady({ durationMs, cpuMs, upstream: { ms, ...upstream }, ...record }: CostRecord): object {
  assert.ok(durationMs >= 0 && cpuMs! >= 0 && ms >= 0);
  return { ...record, upstream };
}

describe('the cost line', () => {
  test('has the operation, its calls and its bytes', async () => {
    const { send, records } = serving();
    const body = { query: 'query Two { twice }' };
    const line = {
      operation: 'Two',
      type: 'query',
      hash: createHash('sha256').update(body.query).digest('hex'),
      status: 200,
      upstream: { calls: 2, outcomes: { miss: 2 } },
      bytesIn: JSON.stringify(body).length,
      bytesOut: '{"data":{"twice":"Emma,Emma"}}'.length,
      errors: {},
      deadlineLeftMs: 1,
    };

    await send(post(body), { getRemainingTimeInMillis: () => 5000 });
    await send(post(body), { getRemainingTimeInMillis: () => 5000 });

    assert.deepEqual(
      records.map((record) => steady({ ...record, ...(record.deadlineLeftMs !== undefined && { deadlineLeftMs: 1 }) })),
      [
        { ...line, cold: true },
        { ...line, cold: false },
      ],
    );
  });

  test('has the id of a document that was requested by its id, and no id that a client only claims', async () => {
    const text = 'query Two { twice }';
    const hash = createHash('sha256').update(text).digest('hex');
    const persistedQuery = { version: 1, sha256Hash: hash };
    const { send, records } = serving({}, { trustedDocuments: { documents: { two: text } } });

    for (const body of [
      { documentId: 'two' },
      { extensions: { documentId: 'two' } },
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'two' } } },
      { query: text, extensions: { persistedQuery } },
      { extensions: { persistedQuery } },
      { query: text, documentId: 'mine' },
      { documentId: 'unknown' },
    ])
      await send(post(body));

    assert.deepEqual(
      records.map(({ documentId, hash: sent }) => [documentId, sent === hash]),
      [
        ['two', true],
        ['two', true],
        ['two', true],
        [undefined, true],
        [hash, true],
        [undefined, true],
        [undefined, false],
      ],
    );
  });

  test('counts errors by code, one line for each operation of a batch', async () => {
    const { send, records } = serving();

    await send(post([{ query: '{ denied }' }, { query: '{ nothing }' }]));

    assert.deepEqual(
      records.map(({ errors, batch, type }) => [errors, batch, type]),
      [
        [{ FORBIDDEN: 1 }, { index: 0, size: 2 }, 'query'],
        [{ GRAPHQL_VALIDATION_FAILED: 1 }, { index: 1, size: 2 }, null],
      ],
    );
  });

  test('has no operation if the request reaches none', async () => {
    const { send, records } = serving();

    await send(post('{'));

    assert.deepEqual(
      records.map(({ operation, status, errors }) => [operation, status, errors]),
      [[null, 400, {}]],
    );
  });

  test('of a stream is written at its end', async () => {
    const { handler, records } = serving();
    const seen: number[] = [];

    for await (const { data } of createTester(handler as never).subscribe('subscription { count }')) seen.push(data.count, records.length);

    assert.deepEqual(seen, [1, 0, 2, 0]);
    assert.equal(records.length, 1);
  });

  test("is optionally written in CloudWatch's Embedded Metric Format", async () => {
    const { send, lines } = serving({ format: 'emf', namespace: 'Shop' });

    await send(post({ query: 'query One { book }' }));

    const line = JSON.parse(lines[0]!);
    const [{ Namespace, Dimensions, Metrics }] = line._aws.CloudWatchMetrics;
    assert.deepEqual([Namespace, Dimensions, typeof line._aws.Timestamp], ['Shop', [['operation'], []], 'number']);
    for (const { Name } of Metrics) assert.equal(typeof line[Name], 'number', Name);
    assert.deepEqual([line.operation, line.coldStarts, line.upstreamCalls], ['One', 1, 1]);
  });

  const fails = (): never => {
    throw new Error('disk full');
  };
  const failing: Readonly<Record<string, CostLineOptions>> = {
    'write throws': { write: fails },
    'write returns a rejected thenable': {
      // oxlint-disable-next-line unicorn/no-thenable -- some database clients return such objects
      write: () => ({ then: (_resolve: unknown, reject: (error: Error) => void) => reject(new Error('disk full')) }) as Promise<void>,
    },
  };
  for (const [name, options] of Object.entries(failing))
    test(`that cannot be written because ${name} is logged, and the response is sent`, async () => {
      const { send, log } = serving(options);
      let answer: unknown;

      const unhandled = await unhandledRejections(async () => {
        answer = await send(post({ query: '{ book }' }));
      });

      assert.equal((answer as { status: number }).status, 200);
      assert.deepEqual(
        log.map(({ message }) => message),
        ['costLine could not write its line.'],
      );
      assert.equal(unhandled, 0);
    });
});
