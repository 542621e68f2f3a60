import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

import type { Collector } from './collector.ts';

interface Told {
  readonly name?: string;
  readonly spanId?: string;
  readonly parent?: string;
  readonly operation?: string;
}

/** Calls the function of test/support/real/functions/telemetry.ts, and waits for its reports. */
export async function assertTelling(url: string, collector: Collector): Promise<void> {
  const query = 'query Book($from: String!) { book(from: $from) }';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { from: collector.url } }),
  });

  assert.deepEqual(await response.json(), { data: { book: 'Emma' } });
  const spans = await bodiesOf(collector, '/spans', 2);
  const operation = spans.find(({ name }) => name === 'query');
  assert.equal(operation?.operation, 'Book');
  assert.equal(spans.filter(({ parent }) => parent === operation?.spanId).length, 1);
  const [line] = await bodiesOf(collector, '/lines', 1);
  const { operation: name, cold, upstream } = line as { operation: string; cold: boolean; upstream: { calls: number } };
  assert.deepEqual([name, cold, upstream.calls], ['Book', true, 1]);
}

/** The entries received at a path, once the given number has arrived. Limited by the test's timeout. */
async function bodiesOf({ bodies }: Collector, path: string, count: number): Promise<Told[]> {
  for (;;) {
    const found = bodies.filter((body) => body.path === path).flatMap(({ text }) => JSON.parse(text) as Told | Told[]);
    if (found.length >= count) return found;
    await setTimeout(5);
  }
}
