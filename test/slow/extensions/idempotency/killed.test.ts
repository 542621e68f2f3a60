import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createClient } from '@keyv/redis';

import { needsProgram, startProgram, startRedis } from '../../../support/program.ts';
import type { Program } from '../../../support/program.ts';
import { freePort } from '../../../support/free-port.ts';
import { cases } from '../../../support/long-form.ts';
import { createRandom } from '../../../support/random.ts';

const script = fileURLToPath(new URL('../../../support/idempotency-process.ts', import.meta.url));
const kills = cases({ short: 2, long: 60 });
/** Enough tries in the long form for the lease of a killed attempt to end. */
const maxTries = cases({ short: 20, long: 1_000 });

interface Server {
  readonly url: string;
  readonly program: Program;
}

async function startServer(redisPort: number): Promise<Server> {
  const program = startProgram(process.execPath, ['--no-warnings', script, String(redisPort)]);
  const [, port] = await program.printed(/Ready at (\d+)/);
  return { url: `http://127.0.0.1:${port}/`, program };
}

/** The answers to one order: the texts of all successes, and the codes of refusals. */
interface Outcome {
  readonly texts: Set<string>;
  readonly codes: Set<string>;
}

/**
 * Sends the charge for one order. It uses node:http, because when a server is killed, fetch of Node 22 may throw in a timer
 * ("Cannot destructure property 'socket'"), where nothing can catch it.
 */
async function post(url: string, order: string): Promise<{ status: number; answer: string; isReplayed: boolean }> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `"${order}"`, 'x-client': 'ada' };
  const sending = request(url, { method: 'POST', headers, agent: false }).on('error', () => {});
  sending.end(JSON.stringify({ query: `mutation { charge(order: "${order}") }` }));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, answer: await text(response), isReplayed: 'idempotent-replayed' in response.headers };
}

/** Sends the charge for one order until an answer is final. It retries after a broken connection, as clients do. */
async function sendUntilFinal(order: string, pick: () => string): Promise<Outcome> {
  const outcome: Outcome = { texts: new Set(), codes: new Set() };
  for (let tries = 0; tries < maxTries; tries++) {
    try {
      const { status, answer, isReplayed } = await post(pick(), order);
      if (status === 200) {
        outcome.texts.add(answer);
        if (outcome.texts.size > 1 || isReplayed) return outcome;
      } else {
        const code = /"code":"(\w+)"/.exec(answer)?.[1] ?? String(status);
        outcome.codes.add(code);
        if (code === 'IDEMPOTENCY_OUTCOME_UNKNOWN') return outcome;
      }
    } catch {
      // The server was killed.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return outcome;
}

describe('two processes over a real Redis', needsProgram('redis-server'), () => {
  test(`run no charge twice while they are killed ${kills} times under load`, { timeout: 1_200_000 }, async (t: TestContext) => {
    const redisPort = await freePort();
    await startRedis(t, redisPort);
    const redis = createClient({ url: `redis://127.0.0.1:${redisPort}` }).on('error', () => {});
    await redis.connect();
    t.after(() => redis.destroy());
    const servers = await Promise.all([startServer(redisPort), startServer(redisPort)]);
    t.after(() => Promise.all(servers.map(({ program }) => program.end())));
    const random = createRandom(500);
    const pick = (): string => random.pick(servers).url;

    const killing = { isOver: false };
    let orders = 0;
    const outcomes: Outcome[] = [];
    const send = async (): Promise<void> => {
      while (!killing.isOver) {
        const order = `order-${orders++}`;
        // Two clients send the same order concurrently, and each retries until it knows the outcome.
        outcomes.push(...(await Promise.all([sendUntilFinal(order, pick), sendUntilFinal(order, pick)])));
      }
    };
    const load = Array.from({ length: 6 }, send);
    for (let kill = 0; kill < kills; kill++) {
      const at = random.below(2);
      await new Promise((resolve) => {
        setTimeout(resolve, random.below(60));
      });
      await servers[at]!.program.end();
      servers[at] = await startServer(redisPort);
    }
    killing.isOver = true;
    await Promise.all(load);

    const counts = await Promise.all(Array.from({ length: orders }, (_, order) => redis.get(`charges:order-${order}`)));
    assert.deepEqual(
      counts.filter((count) => Number(count) > 1),
      [],
    );
    for (const { texts } of outcomes) assert.ok(texts.size <= 1, [...texts].join(' '));
    assert.ok(outcomes.some(({ texts }) => texts.has('{"data":{"charge":1}}')));
    t.diagnostic(
      `${orders} charges, ${outcomes.filter(({ codes }) => codes.has('IDEMPOTENCY_OUTCOME_UNKNOWN')).length} of unknown outcome`,
    );
  });
});
