import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler as createLambdaHandler } from '../../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../../src/entries/fetch.ts';
import { RESTDataSource, createHandler } from '../../../src/entries/index.ts';
import type { GraphQLRequestListener, ServerPlugin } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { quiet, stopTheClock } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { functionURLEvent, httpAPIEvent, netlifyEvent, restEvent, webRequest } from '../../support/events.ts';
import { json, post } from '../../support/plain-http.ts';
import type { PlainResponse } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { LogLine } from '../../support/recording-logger.ts';
import { httpAPI } from '../../support/sources.ts';
import { readWebResponse } from '../../support/results.ts';
import { unhandledRejections } from '../../support/unhandled-rejections.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';

const never = (): Promise<never> => new Promise(() => {});

/** Lambda's context for a call with this time limit. */
function lambdaContext(limit: number): { getRemainingTimeInMillis: () => number } {
  const end = Date.now() + limit;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

/** A plugin with these hooks of an operation. */
const hooks = (listener: GraphQLRequestListener, onlyWatches = false): ServerPlugin[] => [{ onlyWatches, requestDidStart: () => listener }];

let schemas = 0;

function optionsWith(options: Options): [ServerOptions<any, any, any, any>, LogLine[]] {
  const [logger, lines] = recordingLogger();
  const typeDefs = `type Query { name: String slow: String } type Mutation { first: String second: String } # deadline ${++schemas}`;
  const resolvers = { Query: { name: () => 'x', slow: never } };
  return [{ nodeEnv: '', logger, typeDefs, resolvers, ...options }, lines];
}

const partial = post({ query: '{ name slow }' });
/** The error of the only field that is missing. */
const missing = {
  message: 'The deadline of the request passed before this was finished. It may have run.',
  locations: [{ line: 1, column: 8 }],
  path: ['slow'],
  extensions: { code: 'DEADLINE_EXCEEDED' },
};
const partialAnswer = { errors: [missing], data: { name: 'x', slow: null } };

type Options = Partial<ServerOptions<any, any, any, any>>;

/** Calls a handler on Lambda, 3 s before its limit. */
const call = (options: Options, request = partial): Promise<unknown> =>
  createHandler(optionsWith(options)[0])(httpAPIEvent(request), lambdaContext(3000));

/** The answer at the deadline, and what was logged. */
async function lateAnswer(t: TestContext, given: Options = {}, request = partial): Promise<PlainResponse & { lines: LogLine[] }> {
  const turn = stopTheClock(t);
  const [options, lines] = optionsWith(given);
  const answer = createHandler(options)(httpAPIEvent(request), lambdaContext(3000));
  await turn(2500);
  return { ...(await httpAPI.read(await answer)), lines };
}

const name = post({ query: '{ name }' });
/** Resolvers whose field `slow` has this value. */
const slowIs = (slow: unknown): Options => ({ resolvers: { Query: { name: () => 'x', slow } } as never });

/** Whether there is an answer yet. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  let answered = false;
  void answer.then(() => (answered = true));
  await quiet();
  return answered;
}

/** A call whose deadline comes `at` milliseconds after its start. */
interface TimedCall {
  readonly at: number;
  readonly event: unknown;
  /** The limit that Lambda reports. */
  readonly lambda?: number;
  /** The context of Netlify. */
  readonly deploy?: string;
  readonly deadline?: ServerOptions['deadline'];
}

describe('the deadline comes', () => {
  const deadline = { ms: 120_000 };
  const calls: Readonly<Record<string, TimedCall>> = {
    'at the time that Lambda reports, minus 500 ms': { at: 2500, event: httpAPIEvent(partial), lambda: 3000 },
    'at half of the time, if the reserve is longer than that': { at: 150, event: httpAPIEvent(partial), lambda: 300 },
    '30 s behind an HTTP API': { at: 29_500, event: httpAPIEvent(partial), lambda: 900_000 },
    '29 s behind a REST API': { at: 28_500, event: restEvent(partial), lambda: 900_000 },
    'as late as Lambda allows behind a function URL': { at: 899_500, event: functionURLEvent(partial), lambda: 900_000 },
    '60 s in the older functions of Netlify': { at: 59_500, event: netlifyEvent(partial) },
    '60 s on Netlify': { at: 59_500, event: webRequest(partial), deploy: 'production' },
    '30 s in the local runtimes of Netlify': { at: 29_500, event: webRequest(partial), deploy: 'dev' },
    'when the option says so, instead of the assumed limit of a platform': {
      at: 119_500,
      event: restEvent(partial),
      lambda: 900_000,
      deadline,
    },
    'no later than Lambda reports, whatever the option says': { at: 2500, event: httpAPIEvent(partial), lambda: 3000, deadline },
  };
  for (const [name, { at, event, lambda, deploy, deadline: option }] of Object.entries(calls))
    for (const create of lambda === undefined ? [createHandler] : [createHandler, createLambdaHandler])
      test(`${name}${create === createLambdaHandler ? ', with the entry for Lambda' : ''}`, async (t) => {
        const turn = stopTheClock(t);
        const context = lambda === undefined ? { deploy: { context: deploy }, site: {} } : lambdaContext(lambda);
        const answer: Promise<unknown> = create(optionsWith({ deadline: option })[0])(event as never, context as never);

        await turn(at - 1);
        assert.equal(await isAnswered(answer), false);
        await turn(1);
        assert.equal(await isAnswered(answer), true);
      });

  test('never without a known limit, as in a Node process', async (t) => {
    const turn = stopTheClock(t);
    const gate = deferred<string>();

    const answer = createFetchHandler(optionsWith(slowIs(() => gate.promise))[0]).fetch(webRequest(partial));
    await turn(3_600_000);
    gate.resolve('y');

    assert.deepEqual(json(await readWebResponse(await answer)), { data: { name: 'x', slow: 'y' } });
  });

  test('not at all with deadline: false', async (t) => {
    const turn = stopTheClock(t);
    const answer = call({ deadline: false });

    await turn(3000);

    assert.equal(await isAnswered(answer), false);
  });

  test('when the option says so, without a known limit, also in the first call of a server whose options are known late', async (t) => {
    const turn = stopTheClock(t);
    const [options] = optionsWith({ deadline: { ms: 1000 } });

    const answer = createFetchHandler(async () => options).fetch(webRequest(partial));
    await turn(500);

    assert.equal(await isAnswered(answer), true);
  });
});

describe('at the deadline', () => {
  test('finished parts are answered with status 200, and the signal of the operation fires, with the reason', async (t) => {
    let signal: AbortSignal | undefined;

    const response = await lateAnswer(t, { context: (argument) => ((signal = argument.signal), {}) });

    assert.equal(response.status, 200);
    assert.deepEqual(json(response), partialAnswer);
    assert.deepEqual([signal?.aborted, signal?.reason.extensions.code], [true, 'DEADLINE_EXCEEDED']);
  });

  test('each operation of a batch answers with what it has', async (t) => {
    const response = await lateAnswer(t, {}, post([{ query: '{ name }' }, { query: '{ name slow }' }, { query: '{ slow }' }]));

    const [first, second, third] = json(response);
    assert.deepEqual([first, second, third.data], [{ data: { name: 'x' } }, partialAnswer, { slow: null }]);
  });

  test('an operation that graphql-js executes has no answer: 504, and the signal fires', async (t) => {
    let signal: AbortSignal | undefined;
    const response = await lateAnswer(t, { executor: graphqlJSExecutor(), context: (argument) => ((signal = argument.signal), {}) });

    const { code } = json(response).errors[0].extensions;
    assert.deepEqual([response.status, code, signal?.aborted], [504, 'DEADLINE_EXCEEDED', true]);
  });

  test('a mutation that has not started does not start', async (t) => {
    let began = false;
    const Mutation = { first: never, second: () => ((began = true), 'x') };

    const response = await lateAnswer(t, { resolvers: { Mutation } }, post({ query: 'mutation { first second }' }));

    assert.deepEqual(json(response).data, { first: null, second: null });
    assert.equal(began, false);
  });

  test('plugins see the errors, and may change the answer', async (t) => {
    const seen: unknown[] = [];

    const response = await lateAnswer(t, {
      plugins: hooks({
        didEncounterErrors: ({ errors }) => void seen.push(errors.map(({ path }) => path)),
        willSendResponse: ({ response }) => response.http.headers.set('x-late', 'yes'),
      }),
    });

    assert.deepEqual(seen, [[['slow']]]);
    assert.equal(response.headers.get('x-late'), 'yes');
  });

  test('later rejections are handled', async (t) => {
    const late = deferred<string>();

    const count = await unhandledRejections(async () => {
      await lateAnswer(
        t,
        slowIs(() => late.promise),
      );
      late.reject(new Error('the connection is gone'));
      await new Promise((resolve) => setImmediate(resolve));
    });

    assert.equal(count, 0);
  });
});

describe('at the deadline, a data source', () => {
  class Upstream extends RESTDataSource {
    override baseURL = 'http://upstream.test/';
    read = (): Promise<string> => this.get('slow');
  }

  test('aborts its requests', async (t) => {
    const aborted = deferred<any>();
    const httpFetch = ({ signal }: Request): Promise<Response> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => (aborted.resolve(signal.reason), reject(signal.reason)));
      });

    const answer = await lateAnswer(t, {
      dataSources: () => ({ upstream: new Upstream({ httpFetch }) }),
      ...slowIs((_: unknown, __: unknown, { dataSources }: any) => dataSources.upstream.read()),
    });

    assert.deepEqual(json(answer), partialAnswer);
    assert.equal((await aborted.promise).extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(
      answer.lines.map(({ message }) => message),
      ['The deadline passed before this finished: slow.'],
    );
  });

  test('is logged with at most five places', async (t) => {
    const query = `{ name ${Array.from({ length: 7 }, (_, at) => `a${at}: slow`).join(' ')} }`;

    const { lines } = await lateAnswer(t, {}, post({ query }));

    assert.equal(lines[0]?.message, 'The deadline passed before this finished: a0, a1, a2, a3, a4 and 2 more.');
  });

  test('is not logged for an error of a resolver with the same message', async () => {
    const [options, lines] = optionsWith(
      slowIs(() => Promise.reject(new GraphQLError(missing.message, { extensions: missing.extensions }))),
    );

    const answer = await createHandler(options)(httpAPIEvent(partial), lambdaContext(3000));

    assert.deepEqual(json(await httpAPI.read(answer)), partialAnswer);
    assert.deepEqual(lines, []);
  });
});

describe('what hangs before an operation runs is answered with status 504', () => {
  for (const [what, options] of [
    ['context', { context: never }],
    ["a data source's initialize", { dataSources: () => ({ slow: { initialize: never } }) }],
    ['requestDidStart', { plugins: [{ requestDidStart: never }] }],
    ...['didResolveSource', 'parsingDidStart', 'didResolveOperation', 'responseForOperation', 'executionDidStart'].map(
      (hook) => [hook, { plugins: hooks({ [hook]: never }) }] as const,
    ),
  ] as const)
    test(what, async (t) => {
      const response = await lateAnswer(t, options as Options, name);

      assert.equal(response.status, 504);
      assert.deepEqual(json(response).errors[0].extensions, { code: 'DEADLINE_EXCEEDED' });
    });

  test('a body that does not arrive, with the common headers, so that browsers can read the answer', async (t) => {
    const turn = stopTheClock(t);
    const body = new ReadableStream({ pull: never });
    const headers = { 'content-type': 'application/json', origin: 'https://app.example.com' };
    const request = new Request('https://example.com/', { method: 'POST', body, duplex: 'half', headers } as RequestInit);
    const [options] = optionsWith({ deadline: { ms: 3000 }, cors: { origin: 'https://app.example.com' } });
    const answering = createFetchHandler(options).fetch(request);

    await turn(2500);
    await turn(250);
    await turn(20);

    const answer = await answering;
    const fields = ['access-control-allow-origin', 'cache-control'].map((field) => answer.headers.get(field));
    assert.deepEqual([answer.status, fields], [504, ['https://app.example.com', 'private, no-store']]);
  });

  test('and a server that starts too late runs nothing', async (t) => {
    const turn = stopTheClock(t);
    // The options, which contain the logger, have not been loaded yet.
    t.mock.method(console, 'warn', () => {});
    const start = deferred<ServerOptions>();
    let began = false;
    const [options] = optionsWith({ context: () => ((began = true), {}) });
    const answer = createHandler(() => start.promise)(httpAPIEvent(name), lambdaContext(3000));

    await turn(2500);
    await turn(250);
    await turn(20);
    await answer;
    start.resolve(options);
    await quiet();

    assert.equal(began, false);
  });

  test('and a context that resolves too late starts nothing', async (t) => {
    const context = deferred<object>();
    let began = false;

    await lateAnswer(t, { context: () => context.promise, resolvers: { Query: { name: () => ((began = true), 'x') } } }, name);
    context.resolve({});
    await quiet();

    assert.equal(began, false);
  });
});

describe('a hook that hangs after the execution is awaited for at most half of the reserve', () => {
  for (const [hook, onlyWatches] of [
    ['executionDidEnd', true],
    ['executionDidEnd', false],
    ['didEncounterErrors', false],
    ['willSendResponse', true],
    ['willSendResponse', false],
  ] as const) {
    test(`${hook}${onlyWatches ? ' of a plugin that only watches' : ''}`, async (t) => {
      const turn = stopTheClock(t);
      const listener = hook === 'executionDidEnd' ? { executionDidStart: () => never } : { [hook]: never };
      const answer = call({ plugins: hooks(listener as GraphQLRequestListener, onlyWatches) });

      await turn(2500);
      assert.equal(await isAnswered(answer), false);
      await turn(250);

      const response = await httpAPI.read(await answer);
      // An answer is not sent before a hook that must see it has seen it.
      if (onlyWatches || hook === 'didEncounterErrors') assert.deepEqual(json(response), partialAnswer);
      else assert.deepEqual([response.status, json(response).data], [504, undefined]);
    });
  }
});

test('work passed to waitUntil is awaited after the deadline for at most half of the reserve', async (t) => {
  const turn = stopTheClock(t);
  const [options, lines] = optionsWith({ context: ({ waitUntil }) => (waitUntil(never()), {}) });
  const answer = createHandler(options)(httpAPIEvent(partial), lambdaContext(3000));

  await turn(2500);
  assert.equal(await isAnswered(answer), false);
  await turn(250);

  assert.deepEqual(json(await httpAPI.read(await answer)), partialAnswer);
  assert.match(lines.at(-1)?.message ?? '', /did not finish within 250 ms of the answer/);
});

describe('a deadline that is too far away for a timer', () => {
  const longest = 2 ** 31 - 1;

  for (const [ms, timers] of [
    [longest, [longest]],
    [longest + 1, []],
  ] as const) {
    test(`sets ${timers.length === 0 ? 'no timer' : 'a timer'} for ${ms} ms: a longer one would fire at once`, async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20) });
      const setTimer = t.mock.method(globalThis, 'setTimeout');
      const gate = deferred<string>();
      const [options] = optionsWith({ deadline: { ms, reserveMs: 0 }, ...slowIs(() => gate.promise) });

      const answer = createFetchHandler(options).fetch(webRequest(partial));
      await quiet();
      const set = setTimer.mock.calls.map(({ arguments: [, delay] }) => delay);
      gate.resolve('y');

      assert.deepEqual(json(await readWebResponse(await answer)), { data: { name: 'x', slow: 'y' } });
      assert.deepEqual(set, timers);
    });
  }
});

describe('deadlineLeft', () => {
  test('counts down to the deadline', async (t) => {
    const left: (number | undefined)[] = [];
    const initialize = ({ operation }: any): void => void left.push(operation.deadlineLeft());

    await lateAnswer(t, { dataSources: () => ({ clock: { initialize } }) }, name);

    assert.deepEqual(left, [2500]);
  });
});
