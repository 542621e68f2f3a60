import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { all, one, openShop } from '../../../support/budget-shop.ts';

test('the cost of an operation, the points that are left and the policy are in the cost line and in its span', async () => {
  const records: CostRecord[] = [];
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const write = (line: string): void => void records.push(JSON.parse(line) as CostRecord);
  const { send } = openShop({ server: { plugins: [costLine({ write, format: 'emf' }), openTelemetry({ tracerProvider })] } });

  for (const operation of [all, one, { query: '{ __typename }' }]) await send(operation);

  const policy = { policy: 'default', capacity: 10 };
  const reports = [{ ...policy, cost: 10, left: 0 }, { ...policy, cost: 1, left: 0 }, {}];
  assert.deepEqual(
    records.map(({ budget = {} }) => budget),
    reports,
  );
  assert.deepEqual(records[1]!.errors, { RATE_LIMITED: 1 });
  const ofBudget = /^graphql_functions\.budget\./;
  assert.deepEqual(
    exporter
      .getFinishedSpans()
      .map(({ attributes }) =>
        Object.fromEntries(
          Object.entries(attributes).flatMap(([name, value]) => (ofBudget.test(name) ? [[name.replace(ofBudget, ''), value]] : [])),
        ),
      ),
    reports,
  );
});
