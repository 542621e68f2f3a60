import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { createHandler, RESTDataSource } from '../../../../src/entries/index.ts';
import type { OperationOutcome, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { quiet, stopTheClock } from '../../../support/clock.ts';
import { deferred } from '../../../support/deferred.ts';
import { webRequest as webRequestFor } from '../../../support/events.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { readWebResponse } from '../../../support/results.ts';
import { httpAPI } from '../../../support/sources.ts';
import { after } from '../../../support/stages.ts';

type Options = ServerOptions<any, any, any, any>;
type AroundExecution = NonNullable<ServerPlugin['execution']>;

const typeDefs = 'type Query { echo(text: String = "x"): String fail: String } type Mutation { first: String second: String }';

function optionsWith(options: Partial<Options>): Options {
  const fail = (): Promise<never> => Promise.reject(new Error('the password is hunter2'));
  const resolvers = { Query: { echo: (_: unknown, { text }: { text: string }) => text, fail } };
  return { nodeEnv: 'production', csrfPrevention: true, typeDefs, resolvers, logger: recordingLogger()[0], ...options } as Options;
}

function serving(options: Partial<Options>): (request: PlainRequest) => Promise<PlainResponse> {
  const handler = createHandler(optionsWith(options));
  return async (request) => httpAPI.read(await handler(httpAPI.build(request)));
}

const wrapping = (execution: AroundExecution): ServerPlugin => ({ execution });

/** Hooks that record their names. */
const noting = (notes: unknown[], ...hooks: string[]): ServerPlugin => ({
  requestDidStart: () => Object.fromEntries(hooks.map((hook) => [hook, () => void notes.push(hook)])),
});

describe('execution', () => {
  test('may answer from a cache, and nothing is executed', async () => {
    const kept = new Map<string, OperationOutcome>();
    let executed = 0;
    const replay = wrapping(async ({ source: text, variableValues, response }, next) => {
      const key = JSON.stringify([text, variableValues]);
      const known = kept.get(key);
      if (known !== undefined) return { ...known, head: response };
      const outcome = await next();
      kept.set(key, outcome);
      return outcome;
    });
    const resolvers = { Query: { echo: (_: unknown, { text }: { text: string }) => `${text} ${++executed}` } };
    const context = ({ response }: { response: OperationOutcome['head'] }) => (response.headers.set('x-context', 'ran'), {});
    const send = serving({ plugins: [replay], resolvers, context });
    const query = 'query ($text: String = "default") { echo(text: $text) }';

    const answers: PlainResponse[] = [];
    for (const text of [undefined, 'default', 'other']) answers.push(await send(post({ query, variables: { text } })));

    assert.deepEqual(
      answers.map((answer) => [json(answer).data.echo, answer.headers.get('x-context')]),
      ['default 1', 'default 1', 'other 2'].map((echo) => [echo, 'ran']),
    );
  });

  test('gets the coerced variables, the operation and its context', async () => {
    let seen: unknown;
    const plugin = wrapping(async ({ request, variableValues, operation, contextValue, schema, document, call }, next) => {
      const own = [schema.getType('Query')?.name, document.kind, operation.operation, call.request.method];
      seen = [request.variables, { ...variableValues }, contextValue, ...own];
      return next();
    });
    const query = 'query ($text: String = "default") { echo(text: $text) }';

    await serving({ plugins: [plugin], context: () => ({ user: 'ada' }) })(post({ query, variables: {} }));

    assert.deepEqual(seen, [{}, { text: 'default' }, { user: 'ada' }, 'Query', 'Document', 'query', 'POST']);
  });

  const unexecuted: readonly [reason: string, body: object, status: number, calls: number][] = [
    ['does not parse', { query: '{' }, 400, 0],
    ['does not validate', { query: '{ nothing }' }, 422, 0],
    ['has wrong variables', { query: 'mutation ($not: Boolean!) { first @skip(if: $not) }', variables: { not: 1 } }, 422, 0],
    ['lacks a variable', { query: 'mutation ($not: Boolean!) { first @skip(if: $not) }' }, 422, 0],
    ['has no such operation name', { query: '{ echo }', operationName: 'other' }, 422, 0],
    ['costs too much', { query: '{ a: echo b: echo c: echo d: echo }' }, 422, 0],
    ['is answered by responseForOperation', { query: 'query answered { echo }' }, 200, 0],
    ['is answered in place of an execution', { query: 'query replaced { echo }' }, 200, 1],
  ];
  for (const [reason, body, status, entered] of unexecuted)
    test(`of an operation that ${reason} is entered ${entered} times, and the outcome is not executed`, async () => {
      let calls = 0;
      const executed: unknown[] = [];
      const responseForOperation = ({ operationName }: any) => (operationName === 'answered' ? { data: { echo: 'kept' } } : null);
      const plugin: ServerPlugin = {
        operation: after((_call, outcome) => void executed.push(outcome.executed ?? false)),
        requestDidStart: () => ({ responseForOperation }),
        execution: async ({ response, operation, document, source }, next) => {
          calls++;
          return operation.name?.value === 'replaced'
            ? { result: { data: {} }, errors: [], head: response, operation, document, source }
            : next();
        },
      };

      const answer = await serving({ plugins: [plugin, limits({ maxCost: 3 })] })(post(body));

      assert.deepEqual([answer.status, calls, executed], [status, entered, [false]]);
    });

  test('sees the outcome as the client gets it, after the last hooks, with the errors as they were thrown', async () => {
    const notes: unknown[] = [];
    const hooks = ['executionDidStart', 'didEncounterErrors', 'willSendResponse'];
    const replacing = wrapping(async (_execution, next) => {
      const outcome = await next();
      const { result, errors } = outcome;
      notes.push(result.errors?.[0]?.message, errors[0]?.message);
      return { ...outcome, result: { ...result, data: { fail: 'replaced' } } };
    });

    const answer = await serving({ plugins: [replacing, noting(notes, ...hooks)] })(post({ query: '{ fail }' }));

    assert.deepEqual(notes, [...hooks, 'Internal server error', 'the password is hunter2']);
    assert.deepEqual(json(answer).data, { fail: 'replaced' });
  });
});

/** The response to a request after the last moment of the mocked clock, and a few milliseconds. */
async function respondingAtDeadline(t: TestContext, plugins: ServerPlugin[], options: Partial<Options> = {}): Promise<PlainResponse> {
  const turn = stopTheClock(t);
  const send = serving({ deadline: { ms: 1000 }, plugins, ...options });
  const answering = send(post({ query: '{ echo }' }, { headers: [['origin', 'https://app.example']] }));
  await turn(2000);
  for (let passed = 0; passed < 20; passed++) await turn(1);
  return answering;
}

describe('at the deadline', () => {
  test('an execution that hangs before next() is an error, and starts nothing when it continues', async (t) => {
    const notes: string[] = [];
    const gate = deferred();
    const hanging = wrapping(async (_execution, next) => {
      await gate.promise;
      const { result } = await next();
      notes.push(String(result.errors?.[0]?.extensions?.['code']));
      throw new Error('not read');
    });

    const answer = await respondingAtDeadline(t, [hanging, noting(notes, 'executionDidStart', 'willSendResponse')]);
    gate.resolve();
    await quiet();

    assert.equal(json(answer).errors[0].extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(notes, ['willSendResponse', 'DEADLINE_EXCEEDED']);
  });

  for (const hook of ['request', 'operation', 'execution'] as const) {
    type Next = (call: unknown, next: () => Promise<any>) => Promise<unknown>;
    const around = (run: Next, rest: ServerPlugin = {}): ServerPlugin => ({ ...rest, [hook]: run });
    const seeing = (seen: unknown[], name: string): ServerPlugin =>
      around(async (_call, next) => {
        const answer = await next();
        const { errors, data } = JSON.parse(hook === 'request' ? String(answer.body) : JSON.stringify(answer.result));
        seen.push([name, errors?.[0].extensions.code ?? data]);
        (answer.headers ?? answer.head.headers).set(`x-${name}`, 'seen');
        return answer;
      });
    const hanging: Next = async (_call, next) => next().then(() => new Promise(() => {}));

    test(`each ${hook} around two that hang after next() sees the late answer, and may change it`, async (t) => {
      const seen: unknown[] = [];
      const plugins = [seeing(seen, 'one'), seeing(seen, 'two'), around(hanging), around(hanging), seeing(seen, 'three')];

      const answer = await respondingAtDeadline(t, plugins);

      assert.deepEqual(seen, [
        ['three', { echo: 'x' }],
        ['two', 'DEADLINE_EXCEEDED'],
        ['one', 'DEADLINE_EXCEEDED'],
      ]);
      assert.deepEqual(
        [answer.status, json(answer).data, answer.headers.get('x-one'), answer.headers.get('x-two')],
        [504, undefined, 'seen', 'seen'],
      );
    });

    test(`an ${hook} that refuses the answer, around one that hangs and only watches, is not skipped`, async (t) => {
      const refusing = around(async (_call, next) => next().then(() => Promise.reject(new GraphQLError('refused'))));

      const answer = await respondingAtDeadline(t, [refusing, around(hanging, { onlyWatches: true })]);

      assert.deepEqual([json(answer).data, json(answer).errors[0].message], [undefined, 'refused']);
    });
  }

  test('a request stage sees the late answer even if the operations took all of their time', async (t) => {
    const seen: number[] = [];
    const seeing: ServerPlugin = { request: after((_call, { status }) => seen.push(status)) };
    const cors = { origin: () => new Promise<boolean>(() => {}) };

    const answer = await respondingAtDeadline(t, [seeing], { cors });

    assert.deepEqual([seen, answer.status], [[504], 504]);
  });

  test('a stage around one that hangs gets its answer, and what has run', async (t) => {
    let ended: OperationOutcome | undefined;
    const watching: ServerPlugin = { position: 'first', operation: after((_call, outcome) => (ended = outcome)) };
    const hanging: ServerPlugin = { operation: async (_call, next) => next().then(() => new Promise(() => {})) };

    await respondingAtDeadline(t, [hanging, watching]);

    const { errors, executed, operation } = ended!;
    assert.deepEqual([errors[0]?.extensions['code'], executed, operation?.operation], ['DEADLINE_EXCEEDED', true, 'query']);
  });
});

/** A mutation whose first field waits until the test releases it. */
function slowMutation(): { options: Options; started: Promise<void>; finish: () => void; ran: string[]; ended: Promise<void> } {
  const [started, gate, ended] = [deferred(), deferred(), deferred()];
  const ran: string[] = [];
  const first = (): Promise<string> => (ran.push('first'), started.resolve(), gate.promise.then(() => 'a'));
  const resolvers = { Mutation: { first, second: () => (ran.push('second'), 'b') } };
  const plugins: ServerPlugin[] = [{ operation: after(() => ended.resolve()) }];
  return { options: optionsWith({ resolvers, plugins }), started: started.promise, finish: gate.resolve, ran, ended: ended.promise };
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
      const handler = createFetchHandler(optionsWith({ dataSources: () => ({ api: new API({ httpFetch }) }), resolvers, plugins }));

      const answering = handler(byClient(client, 'mutation { first }'));
      await called.promise;
      client.abort();
      await quiet();
      answered.resolve(new Response('"done"', { headers: { 'content-type': 'application/json' } }));

      assert.deepEqual(json(await readWebResponse(await answering)).data, { first: plugins.length > 0 ? 'done' : null });
    });
  }
});

describe('runOperation', () => {
  /** A plugin that answers with the result of this operation. */
  const running = (request: Parameters<Parameters<NonNullable<ServerPlugin['request']>>[0]['runOperation']>[0]): ServerPlugin => ({
    request: async ({ runOperation }) => {
      const { result, head } = await runOperation(request);
      head.headers.set('content-type', 'application/json');
      return { status: 200, headers: head.headers, body: JSON.stringify(result) };
    },
  });

  test('runs an operation with its context, data sources and the hooks of all plugins', async () => {
    const notes: unknown[] = [];
    const noting: ServerPlugin = {
      operation: async ({ request, call }, next) => (notes.push(request.query, call.request.method), next()),
      requestDidStart: ({ contextValue }) => void notes.push(contextValue),
    };
    const context = ({ response }: { response: OperationOutcome['head'] }) => (response.headers.set('x-context', 'ran'), { user: 'ada' });
    const query = 'query ($text: String) { echo(text: $text) }';
    const send = serving({ plugins: [running({ query, variables: { text: 'own' } }), noting], context });

    const answer = await send(post({ query: 'something else entirely' }));

    assert.deepEqual(json(answer), { data: { echo: 'own' } });
    assert.equal(answer.headers.get('x-context'), 'ran');
    assert.deepEqual(notes, [query, 'POST', { user: 'ada' }]);
  });

  const refused: readonly [what: string, request: PlainRequest, query: string, code: string][] = [
    ['a mutation from a GET request', get({}), 'mutation { first }', 'BAD_REQUEST'],
    ['a subscription', post({}), 'subscription { count }', 'OPERATION_RESOLUTION_FAILURE'],
    ['an invalid document', post({}), '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an operation above the limits', post({}), '{ a: echo b: echo c: echo d: echo }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an empty document', post({}), '', 'GRAPHQL_PARSE_FAILED'],
  ];
  for (const [what, request, query, code] of refused) {
    test(`refuses ${what}, without rejecting`, async () => {
      const ran: string[] = [];
      const resolvers = { Mutation: { first: () => (ran.push('first'), 'a') } };
      const plugins = [running({ query }), limits({ maxCost: 3 })];

      const answer = json(await serving({ plugins, typeDefs: `${typeDefs} type Subscription { count: Int }`, resolvers })(request));

      assert.equal(answer.errors[0].extensions.code, code, JSON.stringify(answer));
      assert.deepEqual([answer.data, ran], [undefined, []]);
    });
  }

  test('ends in time', async (t) => {
    const resolvers = { Query: { echo: () => new Promise<string>(() => {}) } };

    const answer = json(await respondingAtDeadline(t, [running({ query: '{ echo }' })], { resolvers }));

    assert.equal(answer.errors[0].extensions.code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(answer.data, { echo: null });
  });
});
