import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { BasicTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { GraphQLError } from 'graphql';

import { costLine } from '../../../src/entries/cost-line.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import type { ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { chunkReader, parseParts } from '../../support/multipart.ts';
import { quiet } from '../../support/clock.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

import { merge } from '../../support/run-incrementally.ts';
import { unhandledRejections } from '../../support/unhandled-rejections.ts';

const multipart = 'multipart/mixed;incrementalSpec=v0.2, application/json';
const inParts = '{ books { id ... @defer { title } } ... @defer { now } }';

/** What the plugins of a library have seen. */
interface Seen {
  readonly lines: object[];
  /** The ids of spans, when they start and end. */
  readonly started: string[];
  readonly ended: string[];
}

function library({ plugins = [], ...more }: Partial<ServerOptions>): { readonly options: ServerOptions; readonly seen: Seen } {
  const seen: Seen = { lines: [], started: [], ended: [] };
  const processor: SpanProcessor = {
    onStart: (span) => void seen.started.push(span.spanContext().spanId),
    onEnd: (span) => void seen.ended.push(span.spanContext().spanId),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const options = {
    nodeEnv: 'production',
    logger: recordingLogger()[0],
    incrementalDelivery: incrementalDelivery(),
    typeDefs: 'type Query { books: [Book!] now: String slow: String fails: Int! } type Book { id: ID! title: String }',
    resolvers: {
      Query: {
        books: () => [{ id: '1' }, { id: '2' }, { id: '3' }],
        now: async () => 'noon',
        slow: () => new Promise(() => {}),
        fails: async () => {
          throw new Error('broken');
        },
      },
      Book: { title: async ({ id }: { id: string }) => `book ${id}` },
    },
    ...more,
    plugins: [
      costLine({ write: (_line, record) => void seen.lines.push(record) }),
      openTelemetry({ tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }) }),
      ...plugins,
    ],
  } as unknown as ServerOptions;
  return { options, seen };
}

function requestFor(query: string, rest: object): Request {
  const headers = { 'content-type': 'application/json', accept: multipart };
  return new Request('https://example.com/graphql', { method: 'POST', headers, body: JSON.stringify({ query, ...rest }) });
}

describe('the cost line and the span of an answer in parts end exactly once', () => {
  const throwing: ServerPlugin = {
    requestDidStart: () => ({
      willSendSubsequentPayload: () => {
        throw new GraphQLError('No.');
      },
    }),
  };
  interface Ending {
    readonly query?: string;
    readonly options?: Partial<ServerOptions>;
    readonly rest?: object;
    /** Reads the response, and returns its parts. */
    readonly read?: (response: Response, t: TestContext) => Promise<unknown>;
    readonly check?: (parts: any[]) => void;
  }
  const readAll = async (response: Response): Promise<unknown> => parseParts(await response.text());
  const endings: Readonly<Record<string, Ending>> = {
    'when all parts are sent': { check: (parts) => assert.deepEqual(parts.at(-1).hasNext, false) },
    'when the client leaves after the first part': {
      query: '{ books { id } ... @defer { slow } }',
      async read(response) {
        const reader = chunkReader(response);
        await reader.next();
        await reader.cancel();
      },
    },
    'when the deadline comes, and the parts keep what is finished': {
      query: '{ books { id } ... @defer { now slow } }',
      options: { deadline: { ms: 1_000, reserveMs: 100, partial: 'NULL' } },
      async read(response, t) {
        const reading = readAll(response);
        await quiet();
        t.mock.timers.tick(900);
        await quiet();
        t.mock.timers.tick(50);
        return reading;
      },
      check(parts) {
        const { data, errors } = merge(parts) as { data: any; errors: any[] };
        assert.deepEqual([data.now, data.slow, errors.length], ['noon', null, 1]);
        assert.deepEqual([errors[0].path, errors[0].extensions.code], [['slow'], 'DEADLINE_EXCEEDED']);
      },
    },
    'when an error ends the operation (HALT)': {
      query: '{ books { id } ... @defer { slow } ... @defer { fails } }',
      rest: { onError: 'HALT' },
      check(parts) {
        const ids = parts.flatMap(({ completed = [] }) => completed.map((one: any) => one.errors?.[0].extensions.errorId));
        assert.deepEqual([ids.length, new Set(ids).size], [2, 1], JSON.stringify(parts));
      },
    },
    'when willSendSubsequentPayload throws': {
      options: { plugins: [throwing] },
      check(parts) {
        const { completed, hasNext } = parts.at(-1);
        assert.equal(hasNext, false);
        assert.deepEqual(new Set(completed.map((one: any) => one.errors[0].message)), new Set(['No.']), JSON.stringify(parts));
        assert.deepEqual(new Set(completed.map((one: any) => one.id)), new Set(parts[0].pending.map((one: any) => one.id)));
      },
    },
  };

  for (const [when, { query = inParts, options = {}, rest = {}, read = readAll, check }] of Object.entries(endings))
    test(when, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 26) });
      const { options: server, seen } = library(options);
      let parts: unknown;

      const rejections = await unhandledRejections(async () => {
        const response = await createHandler(server).fetch(requestFor(query, rest));
        assert.match(response.headers.get('content-type')!, /^multipart\/mixed/);
        assert.deepEqual(seen.lines, [], 'a line before the end');
        parts = await read(response, t);
        await quiet();
      });

      check?.(parts as any[]);
      assert.equal(seen.lines.length, 1);
      assert.equal(seen.started.length, 1);
      assert.deepEqual(seen.ended.toSorted(), seen.started.toSorted());
      assert.equal(rejections, 0);
    });
});
