import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { KeyvAdapter } from '../../../../src/datasources/cache/keyv.ts';
import { numbered, startAPI } from '../../../support/datasources/api.ts';
import { createClock } from '../../../support/clock.ts';
import { freePort } from '../../../support/free-port.ts';
import { needsProgram, startRedis } from '../../../support/program.ts';

const redis = { ...needsProgram('redis-server'), timeout: 30_000 };

/** Milliseconds. Long enough for a healthy Redis on a busy machine. */
const patient = 20_000;

/** Starts an origin with cacheable responses, and creates operations that cache in Redis through Keyv 6. Everything is closed after the test. */
async function setUp(t: TestContext, port: number, deadline?: number) {
  const store = new KeyvRedis(`redis://127.0.0.1:${port}`);
  t.after(() => store.disconnect(true).catch(() => {}));
  const clock = createClock();
  const cache = new KeyvAdapter(new Keyv(store), { cooldown: 1000, deadline, now: clock.now });
  const { begin, calls, url } = await startAPI(t, numbered({ 'cache-control': 'max-age=600' }), cache);
  /** Repeats a call until its response comes from the store, because the client needs time to reconnect. Skips the cooldown before each call. */
  const untilCached = async (path: string): Promise<void> => {
    for (;;) {
      clock.turn(1000);
      const api = begin();
      await api.read(path);
      if (api.lastOutcome === 'fresh') return;
    }
  };
  return { begin, calls, url, untilCached };
}

/** A Redis, and operations that cache in it. */
async function setUpWithRedis(t: TestContext) {
  const port = await freePort();
  return { port, server: await startRedis(t, port), ...(await setUp(t, port)) };
}

type Surroundings = Awaited<ReturnType<typeof setUpWithRedis>>;

/** What happens to Redis, and how it ends. */
const disturbances: Readonly<
  Record<string, readonly [begin: (to: Surroundings) => unknown, end: (t: TestContext, to: Surroundings) => unknown]>
> = {
  'is killed, and starts again': [({ server }) => server.end(), (t, { port }) => startRedis(t, port)],
  'is frozen, and resumes': [({ server }) => server.signal('SIGSTOP'), (_t, { server }) => server.signal('SIGCONT')],
  'pauses, and continues': [({ port }) => command(port, 'CLIENT PAUSE 20000'), (_t, { port }) => command(port, 'CLIENT UNPAUSE')],
  'loses its connections': [({ port }) => command(port, 'CLIENT KILL TYPE normal'), () => {}],
};

describe('Redis through Keyv 6', () => {
  it('stores responses for other operations for their usable lifetime, under a prefix', redis, async (t) => {
    const port = await freePort();
    await startRedis(t, port);
    const { begin, calls, url } = await setUp(t, port, patient);

    const results = [await begin().read('x'), await begin().read('x')];

    assert.deepEqual([results, calls.length], [[0, 0], 1]);
    const key = `graphql-functions:httpcache:${url}/x`;
    assert.deepEqual(await command(port, 'KEYS *'), ['*1', `$${key.length}`, key]);
    const [ttl] = await command(port, `PTTL ${key}`);
    assert.ok(Number(ttl!.slice(1)) > 590_000 && Number(ttl!.slice(1)) <= 600_000, ttl);
  });

  for (const [name, [disturb, repair]] of Object.entries(disturbances))
    it(`fails no request when Redis ${name}: then it is used again`, redis, async (t) => {
      const surroundings = await setUpWithRedis(t);
      const { begin, untilCached } = surroundings;
      await untilCached('before');

      await disturb(surroundings);
      await Promise.all([begin().read('a'), begin().read('b'), begin().create('a'), begin().read('a')]);
      await begin().read('a');

      await repair(t, surroundings);
      await untilCached('after');
    });

  it('fails no request before it has started, and is used once it has', redis, async (t) => {
    const port = await freePort();
    const { begin, untilCached } = await setUp(t, port);

    await Promise.all([begin().read('a'), begin().create('a'), begin().read('b')]);

    await startRedis(t, port);
    await untilCached('after');
  });

  it('does not return entries that a write invalidated while it was frozen', redis, async (t) => {
    const { server, begin, untilCached } = await setUpWithRedis(t);
    await begin().read('x');

    server.signal('SIGSTOP');
    const written = await begin().create('x');
    server.signal('SIGCONT');
    await untilCached('other');

    assert.ok((await begin().read('x')) > written);
  });
});

/** Sends one inline command of the Redis protocol, and returns the lines of the reply. */
async function command(port: number, text: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${text}\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer.trimEnd().split('\r\n');
}
