import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createFetchHandler } from '../../../src/entries/fetch.ts';
import { RESTDataSource } from '../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { quiet, stopTheClock } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { webRequest as webRequestFor } from '../../support/events.ts';
import { json, post } from '../../support/plain-http.ts';
import { readWebResponse } from '../../support/results.ts';
import { echoOptions } from '../../support/stage-server.ts';
import type { Options } from '../../support/stage-server.ts';
import { after } from '../../support/stages.ts';

const wrapping = (execution: NonNullable<ServerPlugin['execution']>): ServerPlugin => ({ execution });

/** A mutation whose first field waits until the test releases it. */
function slowMutation(): { options: Options; started: Promise<void>; finish: () => void; ran: string[]; ended: Promise<void> } {
  const [started, gate, ended] = [deferred(), deferred(), deferred()];
  const ran: string[] = [];
  const first = (): Promise<string> => (ran.push('first'), started.resolve(), gate.promise.then(() => 'a'));
  const resolvers = { Mutation: { first, second: () => (ran.push('second'), 'b') } };
  const plugins: ServerPlugin[] = [{ operation: after(() => ended.resolve()) }];
  return { options: echoOptions({ resolvers, plugins }), started: started.promise, finish: gate.resolve, ran, ended: ended.promise };
}

const runningToEnd: ServerPlugin = {
  execution({ invocation }, next) {
    invocation.until = 'deadline';
    const running = next();
    invocation.waitUntil(running);
    return running;
  },
};

/** The mutation, sent by a client that can leave. */
const byClient = ({ signal }: AbortController, query = 'mutation { first second }'): Request => webRequestFor(post({ query }), { signal });

describe('a client that leaves during a mutation', () => {
  for (const [what, isKept] of [
    ['stops its later fields from running', false],
    ['does not stop them if a plugin lets it run to its end, also for plugins inside', true],
  ] as const)
    test(what, async () => {
      const { options, started, finish, ran, ended } = slowMutation();
      const outcomes: unknown[] = [];
      const reading: ServerPlugin = { execution: after((_execution, { result }) => outcomes.push({ ...result.data })) };
      const plugins = [...(options.plugins as ServerPlugin[]), ...(isKept ? [runningToEnd, reading] : [])];
      const client = new AbortController();

      const answering = createFetchHandler({ ...options, plugins })(byClient(client));
      await started;
      client.abort();
      await quiet();
      finish();
      await ended;
      await answering;

      assert.deepEqual(ran, isKept ? ['first', 'second'] : ['first']);
      assert.deepEqual(outcomes, isKept ? [{ first: 'a', second: 'b' }] : []);
    });
});

describe('an execution that runs to its end', () => {
  test('is handed to the platform’s waitUntil, until the plugins around it have ended', async () => {
    const { options, started, finish } = slowMutation();
    const stored = deferred();
    const work: Promise<unknown>[] = [];
    const storing = wrapping(async (_execution, next) => {
      const outcome = await next();
      await stored.promise;
      return outcome;
    });
    const handler = createFetchHandler({ ...options, plugins: [runningToEnd, storing] });
    let isDone = false;

    const answering = handler.fetch(byClient(new AbortController()), {}, { waitUntil: (one: Promise<unknown>) => work.push(one) });
    await started;
    void Promise.all(work).then(() => (isDone = true));
    finish();
    await quiet();
    assert.deepEqual([work.length, isDone], [1, false]);
    stored.resolve();
    await quiet();

    assert.equal(isDone, true);
    assert.deepEqual(json(await readWebResponse(await answering)).data, { first: 'a', second: 'b' });
  });

  test('ends at the deadline, even if the client has left before', async (t) => {
    const turn = stopTheClock(t);
    const { options, started, finish, ran } = slowMutation();
    const client = new AbortController();

    const answering = createFetchHandler({ ...options, deadline: { ms: 1000 }, plugins: [runningToEnd] })(byClient(client));
    await started;
    client.abort();
    await turn(2000);
    const answer = json(await readWebResponse(await answering));
    finish();
    await quiet();

    assert.equal(answer.errors[0].extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(ran, ['first']);
  });

  for (const plugins of [[runningToEnd], []]) {
    test(`${plugins.length > 0 ? 'keeps' : 'does not keep, unless a plugin chooses so,'} the calls of its data sources when the client leaves`, async () => {
      const [called, answered] = [deferred(), deferred<Response>()];
      const httpFetch = ({ signal }: Request): Promise<Response> => {
        signal.addEventListener('abort', () => answered.reject(signal.reason));
        called.resolve();
        return answered.promise;
      };
      class API extends RESTDataSource {
        override baseURL = 'https://api.example.com/';
        load = (): Promise<string> => this.post('things');
      }
      const client = new AbortController();
      const resolvers = { Mutation: { first: (_: unknown, __: unknown, { dataSources }: any) => dataSources.api.load() } };
      const handler = createFetchHandler(echoOptions({ dataSources: () => ({ api: new API({ httpFetch }) }), resolvers, plugins }));

      const answering = handler(byClient(client, 'mutation { first }'));
      await called.promise;
      client.abort();
      await quiet();
      answered.resolve(new Response('"done"', { headers: { 'content-type': 'application/json' } }));

      assert.deepEqual(json(await readWebResponse(await answering)).data, { first: plugins.length > 0 ? 'done' : null });
    });
  }
});
