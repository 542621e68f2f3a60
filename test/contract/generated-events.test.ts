import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../src/index.ts';
import { findAdapter } from '../../src/platform/detect.ts';
import { fetchAPI } from '../../src/platform/fetch.ts';
import { lambdaAdapters } from '../../src/platform/lambda.ts';
import { netlifyV1 } from '../../src/platform/netlify-v1.ts';
import { assertWithinContract } from '../support/answer-contract.ts';
import { echoServer } from '../support/echo-server.ts';
import { generateEvent, markedEvent } from '../support/event-generator.ts';
import type { GeneratedEvent } from '../support/event-generator.ts';
import { cases } from '../support/long-form.ts';
import { createRandom } from '../support/random.ts';
import { sources } from '../support/sources.ts';
import type { Source } from '../support/sources.ts';

const events = cases({ short: 400, long: 5000 });
/** Fixed, so that a failure in one place is a failure everywhere. */
const seed = 20261120;
/** Milliseconds after which a call that has not settled counts as hanging. Far above what all of them take. */
const maxWait = 60_000;

const adapters = [fetchAPI, ...lambdaAdapters, netlifyV1];

for (const source of sources) {
  test(`${events} generated events of ${source.name} are answered within the contract`, async () => {
    const random = createRandom(seed);
    const handler = createHandler(echoServer().options);
    const state = { step: 0, story: '' };

    await watched(state, async () => {
      while (state.step < events) {
        const batch = nextEvents(source, state.step, random);
        state.step += batch.length;
        state.story = batch.map(({ story }) => story).join('; ');
        await Promise.all(batch.map((generated) => judge(handler, generated)));
      }
    });
  });
}

/** Every fiftieth step eight at once, half of them marked. */
function nextEvents(source: Source, step: number, random: ReturnType<typeof createRandom>): GeneratedEvent[] {
  if (step % 50 !== 49) return [generateEvent(source, random)];
  return Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? markedEvent(source, random) : generateEvent(source, random)));
}

async function judge(handler: ReturnType<typeof createHandler>, { event, expected }: GeneratedEvent): Promise<void> {
  if (expected.kind === 'rejection') return assert.rejects(handler(event), /^Error: Expected an event that carries an HTTP request/);
  const { name } = findAdapter(adapters, event);
  const body = await assertWithinContract(name, event, await handler(event, {}));
  if (expected.kind === 'mark') assert.deepEqual(JSON.parse(body), { data: { header: expected.mark } });
}

/** Names the seed and the step of a failure, and takes a call that never settles for one. */
async function watched(state: { readonly step: number; readonly story: string }, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It hangs.')), maxWait);
  });
  try {
    await Promise.race([run(), hang]);
  } catch (error) {
    throw new Error(`Seed ${seed}, step ${state.step}: ${state.story}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
