import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createClient } from '@keyv/redis';

import type { Handler } from '../../../src/entries/index.ts';
import { needsProgram, startRedis } from '../../support/program.ts';
import { codeBlocks } from '../../support/markdown.ts';
import { freePort } from '../../support/free-port.ts';
import { importCode, root } from '../../support/pages.ts';

const withRedis = { ...needsProgram('redis-server'), timeout: 30_000 };

describe('the Redis recipe of docs/events.md', () => {
  test('a request that its client aborts before Redis confirms the subscription leaves the channel', withRedis, async (t) => {
    const { handler, pauseRedis, untilChannels } = await setUp(t);
    const controller = new AbortController();
    const resume = await pauseRedis();
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = '{"query":"subscription { said(room: 1) { text } }"}';
    const request = new Request('http://localhost/graphql', { method: 'POST', headers, body, signal: controller.signal });
    const answered = handler.fetch(request).catch(() => {});
    for (let turns = 0; turns < 10; turns++) await turn();

    controller.abort();
    resume();

    await answered;
    await untilChannels([]);
  });

  test('keeps the channel for another client that subscribes meanwhile', withRedis, async (t) => {
    const { listen, publish, pauseRedis, untilChannels } = await setUp(t);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const resume = await pauseRedis();
    const first = listen('room:42', leaving.signal);
    await turn();
    leaving.abort();
    const second = listen('room:42', staying.signal);
    resume();
    await first;
    const events = await second;
    // Redis has handled the commands of this connection before one that is sent now.
    await listen('room:43', staying.signal);

    await publish('room:42', { text: 'Hello!' });

    assert.deepEqual(await next(events), { text: 'Hello!' });
    staying.abort();
    await untilChannels([]);
  });

  test('the clients of one channel all get its events, until the last one leaves', withRedis, async (t) => {
    const { listen, publish, untilChannels } = await setUp(t);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const [left, stayed] = [await listen('room:42', leaving.signal), await listen('room:42', staying.signal)];
    await publish('room:42', 1);
    assert.deepEqual([await next(left), await next(stayed)], [1, 1]);

    leaving.abort();
    await listen('room:43', staying.signal);
    await publish('room:42', 2);

    assert.equal(await next(stayed), 2);
    await untilChannels(['room:42', 'room:43']);
    staying.abort();
    await untilChannels([]);
  });

  test('channels may have the names of events that emitters have themselves', withRedis, async (t) => {
    const { listen, publish } = await setUp(t);
    const { signal } = new AbortController();
    const names = ['error', 'newListener', 'removeListener', '', 'message', '__proto__'];
    const channels = await Promise.all(names.map((name) => listen(name, signal)));

    await Promise.all(names.map((name) => publish(name, name)));

    assert.deepEqual(await Promise.all(channels.map(next)), names);
  });
});

interface Recipe {
  listen(channel: string, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  publish(channel: string, event: unknown): Promise<void>;
  close(): Promise<void>;
}

interface SetUp extends Recipe {
  readonly handler: Handler;
  /** Suspends Redis, which receives commands meanwhile and answers them when it is resumed. */
  pauseRedis(): Promise<() => void>;
  /** Waits until Redis has exactly these channels. */
  untilChannels(channels: readonly string[]): Promise<void>;
}

/** The page's files, with a Redis of this test. */
async function setUp(t: TestContext): Promise<SetUp> {
  const port = await freePort();
  process.env['REDIS_URL'] = `redis://127.0.0.1:${port}`;
  const page = await readFile(join(root, 'docs/events.md'), 'utf8');
  const blocks = codeBlocks(page).filter(({ notes }) => /^(?:lib\/events|functions\/chat)\.ts$/.test(notes['file'] ?? ''));
  // Keyv's package exports the client of the package `redis`.
  const files = blocks.map(({ notes, text }) => [notes['file'], text.replace("'redis'", "'@keyv/redis'")]);
  const load = await importCode(t, Object.fromEntries(files));
  const monitor = createClient({ url: process.env['REDIS_URL'] });
  let recipe: Recipe | undefined;
  // This hook runs before Redis ends, because hooks run in the order in which they were added.
  t.after(async () => {
    await recipe?.close();
    monitor.destroy();
  });
  const redis = await startRedis(t, port);
  await monitor.connect();
  recipe = (await load('lib/events.ts')) as Recipe;
  const { default: handler } = (await load('functions/chat.ts')) as { default: Handler };
  // Returns when both connections of the recipe are open.
  await recipe.publish('unused', null);
  return {
    ...recipe,
    handler,
    pauseRedis: async () => {
      redis.signal('SIGSTOP');
      return () => redis.signal('SIGCONT');
    },
    untilChannels: async (channels) => {
      while ((await monitor.pubSubChannels()).toSorted().join() !== channels.join()) await turn();
    },
  };
}

async function next(events: AsyncIterable<unknown>): Promise<unknown> {
  const { value } = await events[Symbol.asyncIterator]().next();
  return value;
}
