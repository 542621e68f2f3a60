import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import { findAdapter } from '../../../src/server/platform/adapter.ts';
import { fetchAPI } from '../../../src/server/platform/fetch.ts';
import { lambdaAdapters } from '../../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../../src/server/platform/netlify.ts';
import { assertWithinContract } from '../../support/answer-contract.ts';
import { echoServer } from '../../support/echo-server.ts';
import { generateEvent, markedEvent } from '../../support/event-generator.ts';
import type { GeneratedEvent } from '../../support/event-generator.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import { sources } from '../../support/sources.ts';
import type { Source } from '../../support/sources.ts';

const events = cases({ short: 200, long: 5000 });
/** The seed is fixed, so that every machine runs the same events. */
const seed = 20261120;
/** Milliseconds after which an unsettled call counts as hanging. Far longer than any call takes. */
const maxWait = 60_000;

const adapters = [fetchAPI, ...lambdaAdapters, netlifyV1];

for (const source of sources) {
  test(`${events} generated events of ${source.name} get responses that satisfy the contract`, async () => {
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

/** Creates the events of a step. Every 50th step sends eight concurrently, half of them marked. */
function nextEvents(source: Source, step: number, random: ReturnType<typeof createRandom>): GeneratedEvent[] {
  if (step % 50 !== 49) return [generateEvent(source, random)];
  return Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? markedEvent(source, random) : generateEvent(source, random)));
}

async function judge(handler: ReturnType<typeof createHandler>, { event, expected }: GeneratedEvent): Promise<void> {
  if (expected.kind === 'rejection') return assert.rejects(handler(event), /^Error: Expected an event of web Request, .*; got /);
  const { name } = findAdapter(adapters, event);
  const body = await assertWithinContract(name, event, await handler(event, {}));
  if (expected.kind === 'mark') assert.deepEqual(JSON.parse(body), { data: { header: expected.mark } });
}

/** Runs a step, and adds the seed and the step to its failure. A call that never settles is a failure too. */
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
