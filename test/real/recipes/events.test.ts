import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { startRedis } from '../../datasources/cache/processes.ts';
import { startProgram } from '../program.ts';
import { needs, needsProgram, pathInPart } from '../parts.ts';
import { ask, serveFetch, writeRecipes } from './project.ts';
import type { Fetching } from './project.ts';

const withRedis = { skip: needs('recipes').skip || needsProgram('redis-server').skip };
const SAID = 'subscription { said(room: "42") { text } }';
const SAY = 'mutation { say(room: "42", text: "Hello!") { text } }';

describe('the recipes of docs/events.md', () => {
  test('compile, strictly', needs('recipes'), async (context) => {
    const project = await writeRecipes('docs/events.md', 'recipes');
    context.after(() => project.remove());

    assert.equal(await project.compile(), '');
  });

  test('Redis carries an event of one instance to a subscription of another, until its client disconnects', withRedis, async (context) => {
    const instances: Instance[] = [];
    // This hook runs before Redis ends, because hooks run in the order in which they were added.
    context.after(() => Promise.all(instances.map(({ close }) => close())));
    const port = await redisFor(context);
    for (let count = 0; count < 2; count++) instances.push(await startInstance());
    const [one, other] = instances.map(({ handler }) => handler) as [Fetching, Fetching];
    const stream = await subscribe(one);

    assert.deepEqual(await ask(other, SAY), { data: { say: { text: 'Hello!' } } });

    assert.match(await stream.until('event: next'), /{"data":{"said":{"text":"Hello!"}}}/);
    await stream.cancel();
    // Waits until the instance unsubscribes from Redis, not for a fixed time.
    const monitor = createRequire(pathInPart('recipes', '.package-lock.json'))('redis').createClient({ url: `redis://127.0.0.1:${port}` });
    await monitor.connect();
    while ((await monitor.pubSubChannels()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    monitor.destroy();
  });

  test('a WebSocket client gets queries, refusals and events through the process next to the handler', withRedis, async (context) => {
    await redisFor(context);
    const project = await writeRecipes('docs/events.md', 'recipes');
    context.after(() => project.remove());
    const port = await freePort();
    const { PATH, REDIS_URL } = process.env;
    const server = startProgram(process.execPath, ['--no-warnings', 'sockets.ts'], {
      cwd: project.folder,
      env: { PATH, REDIS_URL, PORT: String(port) },
    });
    context.after(() => server.end());
    await untilListening(port);
    const load = createRequire(pathInPart('recipes', '.package-lock.json'));
    const client: SocketClient = load('graphql-ws').createClient({
      url: `ws://127.0.0.1:${port}/graphql`,
      webSocketImpl: load('ws'),
      retryAttempts: 0,
    });
    context.after(() => client.dispose());

    assert.deepEqual(await first(client.iterate({ query: '{ ok }' })), { data: { ok: null } });
    const refused = (await first(client.iterate({ query: '{ nope }' }))) as { errors: { extensions: object }[] };
    assert.deepEqual(refused.errors[0]?.extensions, { code: 'GRAPHQL_VALIDATION_FAILED' });

    const events = client.iterate({ query: SAID });
    const event = events.next();
    const redis = load('redis').createClient({ url: REDIS_URL });
    await redis.connect();
    while ((await redis.pubSubChannels()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    redis.destroy();
    assert.deepEqual(await first(client.iterate({ query: SAY })), { data: { say: { text: 'Hello!' } } });
    assert.deepEqual((await event).value, { data: { said: { text: 'Hello!' } } });
    await events.return?.();
  });

  test('events are published through the HTTP API of AppSync Events, and a refusal is an error', needs('recipes'), async (context) => {
    const bodies: unknown[] = [];
    const service = await serveFetch(async (request) => {
      bodies.push([new URL(request.url).pathname, request.headers.get('x-api-key'), await request.json()]);
      return bodies.length === 1
        ? Response.json({ successful: [{ identifier: 'a', index: 0 }], failed: [] })
        : Response.json({ successful: [], failed: [{ identifier: 'b', index: 0, code: 400, message: 'no' }] });
    });
    context.after(service.close);
    Object.assign(process.env, { APPSYNC_EVENTS_URL: service.url, APPSYNC_EVENTS_KEY: 'da2-key' });
    const project = await writeRecipes('docs/events.md', 'recipes');
    context.after(() => project.remove());
    const { publish } = (await project.import('lib/appsync-events.ts')) as { publish: (channel: string, event: unknown) => Promise<void> };

    await publish('/default/rooms/42', { text: 'Hello!' });

    assert.deepEqual(bodies, [['/event', 'da2-key', { channel: '/default/rooms/42', events: ['{"text":"Hello!"}'] }]]);
    await assert.rejects(publish('/default/rooms/42', {}), /did not take an event for \/default\/rooms\/42/);
  });
});

interface SocketClient {
  iterate(operation: { query: string }): AsyncIterableIterator<unknown>;
  dispose(): void;
}

async function first(results: AsyncIterable<unknown>): Promise<unknown> {
  for await (const result of results) return result;
  return undefined;
}

async function redisFor(context: TestContext): Promise<number> {
  const port = await freePort();
  await startRedis(context, port);
  process.env['REDIS_URL'] = `redis://127.0.0.1:${port}`;
  return port;
}

/** The page's function, with separate connections. */
interface Instance {
  readonly handler: Fetching;
  close(): Promise<void>;
}

async function startInstance(): Promise<Instance> {
  const project = await writeRecipes('docs/events.md', 'recipes');
  const { default: handler } = await project.import('functions/chat.ts');
  const events = (await project.import('lib/events.ts')) as { close: () => Promise<void> };
  const close = async (): Promise<void> => {
    await events.close();
    await project.remove();
  };
  return { handler: handler as Fetching, close };
}

async function subscribe(instance: Fetching): Promise<{ until: (text: string) => Promise<string>; cancel: () => Promise<void> }> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const request = new Request('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query: SAID }) });
  const { body } = await instance.fetch(request);
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  let text = '';
  const until = async (part: string): Promise<string> => {
    while (!text.includes(part)) text += (await reader.read()).value ?? assert.fail(`The stream ended before "${part}".`);
    return text;
  };
  return { until, cancel: () => reader.cancel() };
}

async function untilListening(port: number): Promise<void> {
  const { connect } = await import('node:net');
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      socket.destroy();
    }
  }
}
