import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../src/entries/index.ts';
import { createHandler as createFetchHandler } from '../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { stopTheClock } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { echoServer } from '../../support/echo-server.ts';
import { webRequest } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { httpAPI } from '../../support/sources.ts';

const never = (): Promise<never> => new Promise(() => {});

function silentConsole(t: TestContext): string[] {
  const lines: string[] = [];
  for (const level of ['warn', 'error'] as const) t.mock.method(console, level, (...words: unknown[]) => void lines.push(words.join(' ')));
  return lines;
}

/** A start that hangs the first time, and counts its calls. */
function hangingOnce(): { start: <T>(next: T) => T | Promise<never>; begun: () => number } {
  let begun = 0;
  return { start: (next) => (++begun === 1 ? never() : next), begun: () => begun };
}

/** The status of the response; 'none yet' until there is one. */
function statusOf(answer: Promise<Response>): () => number | 'none yet' {
  let status: number | 'none yet' = 'none yet';
  void answer.then((response) => (status = response.status));
  return () => status;
}

const request = (): Request => webRequest(post({ query: '{ __typename }' }));
const event = httpAPI.build(post({ query: '{ __typename }' }));

function lambdaContext(limit: number): { getRemainingTimeInMillis: () => number } {
  const end = Date.now() + limit;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

describe('a start that hangs', () => {
  for (const what of ['its options', 'serverWillStart of a plugin'])
    test(`is abandoned after 10 s for all waiting requests, and retried with the next request: ${what}`, async (t) => {
      const turn = stopTheClock(t);
      silentConsole(t);
      const { start, begun } = hangingOnce();
      const plugins = [{ serverWillStart: () => start(undefined) }];
      const handler = createFetchHandler(what === 'its options' ? () => start(echoServer().options) : echoServer({ plugins }).options);
      const waiting = [statusOf(handler.fetch(request())), statusOf(handler.fetch(request()))];

      await turn(9_999);
      const before = waiting.map((status) => status());
      await turn(1);

      assert.deepEqual([...before, ...waiting.map((status) => status())], ['none yet', 'none yet', 500, 500]);
      assert.equal((await handler.fetch(request())).status, 200);
      assert.equal(begun(), 2);
    });

  test('is abandoned at an earlier deadline, and retried with the next request', async (t) => {
    const turn = stopTheClock(t);
    const lines = silentConsole(t);
    const { start, begun } = hangingOnce();
    const handler = createHandler(() => start(echoServer().options));
    const first = handler(event, lambdaContext(3000));

    await turn(2500);
    const answer = await httpAPI.read(await first);
    const next = await httpAPI.read(await handler(event, lambdaContext(3000)));

    assert.deepEqual([answer.status, next.status, begun()], [504, 200, 2]);
    assert.match(lines.join('\n'), /before the server started: the options had not finished/);
  });

  test('does not disturb the next start when it fails after it was given up', async (t) => {
    const turn = stopTheClock(t);
    const [logger, lines] = recordingLogger();
    const starts = [deferred(), deferred(), deferred()];
    let begun = 0;
    const failures: string[] = [];
    const { options } = echoServer({
      logger,
      plugins: [
        {
          serverWillStart: () => starts[begun++]!.promise,
          startupDidFail: ({ error }) => void failures.push(error.message.slice(0, 22)),
        },
      ],
    });
    const handler = createFetchHandler(options);
    const given = statusOf(handler.fetch(request()));
    await turn(10_000);

    const second = statusOf(handler.fetch(request()));
    await turn(1_000);
    starts[0]!.reject(new Error('The database is down.'));
    await turn(0);
    const third = statusOf(handler.fetch(request()));
    await turn(0);
    starts[1]!.resolve();
    await turn(0);

    assert.deepEqual([given(), second(), third(), begun], [500, 200, 200, 2]);
    assert.equal(lines.length, 2);
    assert.deepEqual(failures, ['The start was given up', 'The database is down.']);
  });

  test('is no failure any more if it fails when another start has succeeded', async (t) => {
    const turn = stopTheClock(t);
    const [logger, lines] = recordingLogger();
    const first = deferred();
    let begun = 0;
    const { options } = echoServer({ logger, plugins: [{ serverWillStart: () => (++begun === 1 ? first.promise : undefined) }] });
    const handler = createFetchHandler(options);
    const given = statusOf(handler.fetch(request()));
    await turn(10_000);
    const next = statusOf(handler.fetch(request()));
    await turn(0);

    first.reject(new Error('The database is down.'));
    await turn(0);

    assert.deepEqual([given(), next()], [500, 200]);
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]?.details[0]), /given up after 10 s: serverWillStart of a plugin had not finished/);
  });

  test('and ends after all, serves the next request', async (t) => {
    const turn = stopTheClock(t);
    silentConsole(t);
    const slow = deferred<ServerOptions>();
    let begun = 0;
    const handler = createFetchHandler(() => (begun++, slow.promise));
    const first = statusOf(handler.fetch(request()));

    await turn(10_000);
    slow.resolve(echoServer().options);
    await turn(0);

    assert.equal(first(), 500);
    assert.equal((await handler.fetch(request())).status, 200);
    assert.equal(begun, 1);
  });

  test('and a startupDidFail that hangs, too, delay no request', async (t) => {
    const turn = stopTheClock(t);
    const logger = recordingLogger()[0];
    const plugins = [{ serverWillStart: () => Promise.reject(new Error('no licence')), startupDidFail: never }];
    const handler = createFetchHandler(echoServer({ logger, plugins }).options);
    const status = statusOf(handler.fetch(request()));

    await turn(1000);

    assert.equal(status(), 500);
  });

  test('for a request with little time left does not end the start for others', async (t) => {
    const turn = stopTheClock(t);
    silentConsole(t);
    const options = deferred<ServerOptions>();
    const { start } = hangingOnce();
    const handler = createHandler(() => start(options.promise));
    const hurried = handler(event, lambdaContext(2000));
    const patient = handler(event, lambdaContext(60_000));

    await turn(1500);
    options.resolve(echoServer().options);

    assert.deepEqual([(await hurried).statusCode, (await patient).statusCode], [504, 200]);
  });
});
