import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { idempotencyDefinitions } from '../../../../src/entries/idempotency.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { charge, openBank, typeDefs } from '../../../support/bank.ts';
import type { Bank } from '../../../support/bank.ts';

/** Sends a mutation, its replay, another operation with the same key, and a mutation without a key. */
async function sendAll(bank: Bank, mutation: object): Promise<string[]> {
  const answers = [
    await bank.sendWithKey(mutation),
    await bank.sendWithKey(mutation),
    await bank.sendWithKey({ query: 'mutation { charge { number } }' }),
    await bank.send(mutation),
  ];
  return answers.map(({ text }) => text);
}

describe('an operation with an idempotency key is reported as claimed, replayed or refused', () => {
  test('in the cost line and in its span, with the onError of its document, also when it is replayed', async () => {
    const records: CostRecord[] = [];
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const plugins = [costLine({ write: (_line, record) => void records.push(record) }), openTelemetry({ tracerProvider })];
    const trustedDocuments = { documents: { charge: { text: charge.query, onError: 'NULL' } } } as const;

    await sendAll(openBank({ server: { plugins, trustedDocuments } }), { documentId: 'charge' });

    const expected = [
      ['NULL', 'claimed'],
      ['NULL', 'replayed'],
      [undefined, 'refused'],
      ['NULL', undefined],
    ];
    assert.deepEqual(
      records.map(({ onError, idempotency }) => [onError, idempotency]),
      expected,
    );
    assert.deepEqual(
      exporter
        .getFinishedSpans()
        .map(({ attributes }) => ['on_error', 'idempotency'].map((name) => attributes[`graphql_functions.${name}`])),
      expected,
    );
    assert.deepEqual(records[2]!.errors, { IDEMPOTENCY_KEY_REUSED: 1 });
  });
});

describe('with edge', () => {
  test('a replay purges nothing, and is not kept', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const purges: unknown[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => void purges.push(tags);
    const plugins = [edge({ cdn: 'varnish', purge })];
    const bank = openBank({ server: { plugins, typeDefs: [cacheControlDefinitions, idempotencyDefinitions, typeDefs] } });

    const first = await bank.sendWithKey(charge);
    const purged = purges.length;
    const again = await bank.sendWithKey(charge);

    assert.equal(again.text, first.text);
    assert.deepEqual([purged, purges.length], [1, 1]);
    assert.match(again.headers.get('cache-control')!, /no-store/);
  });
});
