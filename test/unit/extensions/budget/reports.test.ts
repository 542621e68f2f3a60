import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { all, one, openShop } from '../../../support/budget-shop.ts';
import type { Shop } from '../../../support/budget-shop.ts';

/** Sends an operation that takes all points, one that is refused, and one that is free. */
async function sendAll(shop: Shop): Promise<void> {
  for (const operation of [all, one, { query: '{ __typename }' }]) await shop.send(operation);
}

const policy = { policy: 'default', capacity: 10 };

describe('the cost of an operation, the points that are left and the policy are reported', () => {
  test('in the cost line, also as embedded metrics', async () => {
    for (const format of ['json', 'emf'] as const) {
      const lines: string[] = [];
      const records: CostRecord[] = [];
      const write = (line: string, record: CostRecord): void => {
        lines.push(line);
        records.push(record);
      };

      await sendAll(openShop({ server: { plugins: [costLine({ write, format })] } }));

      const expected = [{ ...policy, cost: 10, left: 0 }, { ...policy, cost: 1, left: 0 }, undefined];
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as CostRecord).budget),
        expected,
      );
      assert.deepEqual(
        records.map(({ budget }) => budget),
        expected,
      );
      assert.deepEqual(records[1]!.errors, { RATE_LIMITED: 1 });
    }
  });

  test('in its span', async () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

    await sendAll(openShop({ server: { plugins: [openTelemetry({ tracerProvider })] } }));

    assert.deepEqual(
      exporter
        .getFinishedSpans()
        .map(({ attributes }) => ['cost', 'left', 'policy', 'capacity'].map((name) => attributes[`graphql_functions.budget.${name}`])),
      [
        [10, 0, 'default', 10],
        [1, 0, 'default', 10],
        [undefined, undefined, undefined, undefined],
      ],
    );
  });
});
