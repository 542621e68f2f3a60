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
  async find(name: string): Promise<string> {
    return (await this.get<{ title: string }>(name)).title;
  }
}

type Context = { readonly dataSources: { readonly books: Books } };

const typeDefs = 'type Query { book: String twice: String denied: String } type Subscription { count: Int }';
const httpFetch = async (): Promise<Response> => Response.json({ title: 'Emma' });
const resolvers = {
  Query: {
    book: (_: unknown, __: unknown, { dataSources: { books } }: Context) => books.find('emma'),
    twice: async (_: unknown, __: unknown, { dataSources: { books } }: Context) =>
      (await Promise.all([books.find('emma'), books.find('persuasion')])).join(),
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
    };

    for (const cold of [true, false]) {
      await send(post(body), { getRemainingTimeInMillis: () => 5000 });
      const { deadlineLeftMs, ...record } = records.pop()!;
      assert.deepEqual(steady(record as CostRecord), { ...line, cold });
      assert.ok(deadlineLeftMs! > 0);
    }
  });

  test('has the id of a document that was requested by its id, and no id that a client only claims', async () => {
    const text = 'query Two { twice }';
    const hash = createHash('sha256').update(text).digest('hex');
    const persistedQuery = { version: 1, sha256Hash: hash };
    const { send, records } = serving({}, { trustedDocuments: { documents: { two: text } } });

    for (const [body, documentId, isKnown = true] of [
      [{ documentId: 'two' }, 'two'],
      [{ extensions: { documentId: 'two' } }, 'two'],
      [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'two' } } }, 'two'],
      [{ query: text, extensions: { persistedQuery } }, undefined],
      [{ extensions: { persistedQuery } }, hash],
      [{ query: text, documentId: 'mine' }, undefined],
      [{ documentId: 'unknown' }, undefined, false],
    ] as const) {
      await send(post(body));
      const record = records.pop()!;
      assert.deepEqual([record.documentId, record.hash === hash], [documentId, isKnown], JSON.stringify(body));
    }
  });

  test('counts errors by code, one line for each operation of a batch', async () => {
    const { send, records } = serving();

    await send(post([{ query: '{ denied }' }, { query: '{ nothing }' }]));

    const [first, second] = records.map(({ errors, batch, type }) => ({ errors, batch, type }));
    assert.deepEqual(first, { errors: { FORBIDDEN: 1 }, batch: { index: 0, size: 2 }, type: 'query' });
    assert.deepEqual(second, { errors: { GRAPHQL_VALIDATION_FAILED: 1 }, batch: { index: 1, size: 2 }, type: null });
  });

  test('has no operation if the request reaches none', async () => {
    const { send, records } = serving();

    await send(post('{'));

    const [{ operation, status, errors }, ...others] = records as [CostRecord];
    assert.deepEqual([operation, status, errors, others], [null, 400, {}, []]);
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

  const error = new Error('disk full');
  const failing: Readonly<Record<string, CostLineOptions['write']>> = {
    'write throws': () => {
      throw error;
    },
    // oxlint-disable-next-line unicorn/no-thenable -- some database clients return such objects
    'write returns a rejected thenable': () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(error) }) as Promise<void>,
  };
  for (const [name, write] of Object.entries(failing))
    test(`that cannot be written because ${name} is logged, and the response is sent`, async () => {
      const { send, log } = serving({ write });
      let answer: any;

      const unhandled = await unhandledRejections(async () => {
        answer = await send(post({ query: '{ book }' }));
      });

      assert.deepEqual([answer.status, log.map(({ message }) => message)], [200, ['costLine could not write its line.']]);
      assert.equal(unhandled, 0);
    });
});
