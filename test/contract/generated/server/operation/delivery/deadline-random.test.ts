import { deepEqual, equal } from 'node:assert/strict';
import { it } from 'node:test';

import { deadlineExceeded } from '../../../../../../src/server/operation/errors.ts';
import type { SubsequentPayload } from '../../../../../../src/server/operation/types.ts';
import { randomParts, resolvers, typeDefs } from '../../../../../support/differential/random-parts.ts';
import { cases } from '../../../../../support/long-form.ts';
import { createRandom } from '../../../../../support/random.ts';
import type { Random } from '../../../../../support/random.ts';
import { allPayloads, createInvocation, runIncrementally } from '../../../../../support/run-incrementally.ts';
import { unhandledRejections } from '../../../../../support/unhandled-rejections.ts';

it('at the deadline all parts end by themselves, each once, whatever hangs and whenever it passes', async () => {
  const problems: string[] = [];
  let pending = 0;
  for (let seed = 1; seed <= cases({ short: 60, long: 5_000 }); seed++) {
    const random = createRandom(seed);
    const query = randomParts(random);
    const settings = { format: random.pick(['current', 'legacy'] as const), maxParts: random.pick([20, 1_000]) };
    const sources = new HangingSources(random);

    const unhandled = await unhandledRejections(async () => {
      const { invocation, cancel } = createInvocation();
      const running = runIncrementally({ typeDefs, resolvers: sources.resolvers as never }, query, { ...settings, invocation });
      for (let turns = random.below(3); turns > 0; turns--) await aTurn();
      const outcome = await Promise.race([running, aTurn()]);
      const reading = outcome && allPayloads(outcome);
      if (random.chance(0.5)) await aTurn();
      cancel(deadlineExceeded());
      // Without the last moment, when the stream would end anyway.
      const payloads = await Promise.race([reading ?? running.then(allPayloads), severalTurns()]);
      if (payloads === undefined) problems.push(`seed ${seed} does not end: ${query}`);
      else problems.push(...problemsOf(payloads, settings.format).map((problem) => `seed ${seed} ${problem}: ${query}`));
      pending += JSON.stringify(payloads ?? '').includes('DEADLINE_EXCEEDED') ? 1 : 0;
    });

    if (unhandled > 0) problems.push(`seed ${seed} leaves ${unhandled} rejections unhandled: ${query}`);
    if (sources.open > 0) problems.push(`seed ${seed} leaves ${sources.open} iterators open: ${query}`);
  }

  deepEqual(problems.slice(0, 3), []);
  equal(pending > 15, true, `${pending} operations were pending at their deadline`);
});

/** The resolvers of random-parts.ts, some of which never return, and lists that hang after their first item. */
class HangingSources {
  /** Number of iterators that have been started and not closed. */
  open = 0;
  readonly resolvers: object;

  constructor(random: Random) {
    const wrapped = Object.entries(resolvers).map(([type, fields]) => [
      type,
      Object.fromEntries(Object.entries(fields).map(([name, resolve]) => [name, this.#wrap(random, name, resolve as () => unknown)])),
    ]);
    this.resolvers = Object.fromEntries(wrapped) as object;
  }

  #wrap(random: Random, name: string, resolve: () => unknown): () => unknown {
    if (random.chance(0.75)) return resolve;
    if (name !== 'nodes' && name !== 'ticks' && name !== 'crowd') return () => new Promise(() => {});
    return () => ({ [Symbol.asyncIterator]: () => this.#iterate(name === 'ticks' ? 1 : {}) });
  }

  #iterate(item: unknown): AsyncIterator<unknown> {
    let given = 0;
    let isOpen = false;
    return {
      next: () => {
        if (!isOpen) this.open++;
        isOpen = true;
        return given++ < 2 ? Promise.resolve({ done: false, value: item }) : new Promise(() => {});
      },
      // It hangs, which must delay nothing.
      return: () => {
        if (isOpen) this.open--;
        isOpen = false;
        return new Promise(() => {});
      },
    };
  }
}

function problemsOf(payloads: readonly SubsequentPayload[], format: 'current' | 'legacy'): string[] {
  const problems: string[] = [];
  if (payloads.length > 1 && payloads.at(-1)?.hasNext !== false) problems.push('does not say that nothing follows');
  if (format === 'legacy') return problems;
  const idsOf = (key: 'pending' | 'completed'): string[] =>
    payloads.flatMap((payload) => ((payload[key] ?? []) as { id: string }[]).map(({ id }) => id));
  if (String(idsOf('pending').toSorted()) !== String(idsOf('completed').toSorted())) problems.push('does not complete each part once');
  return problems;
}

function aTurn(): Promise<undefined> {
  return new Promise((resolve) => void setImmediate(() => resolve(undefined)));
}

async function severalTurns(): Promise<undefined> {
  for (let turns = 0; turns < 10; turns++) await aTurn();
}
