import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';

import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { budget, memoryStore } from '../../../../src/entries/budget.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { quiet, stopTheClock } from '../../../support/clock.ts';
import { executors } from '../../../support/executors.ts';
import type { Facts } from '../../../../src/shared/index.ts';
import { webRequest } from '../../../support/events.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

type Options = ServerOptions<any, any, any, any>;

const typeDefs = `
  scalar Any
  input Filter { tags: [String!] = ["a"], any: Any }
  input Point { any: Any }
  type Query { echo(text: String = "x", any: Any, filter: Filter, list: [Filter]): String }
  type Mutation { write: String }
  type Subscription { ticks(any: Any): String }
`;
const given = (value: unknown): unknown => value;
const ofLiteral = (node: ValueNode): unknown => valueFromASTUntyped(node);
const any = new GraphQLScalarType({ name: 'Any', coerceInputValue: given, parseValue: given, coerceInputLiteral: ofLiteral } as never);

/** Sends operations to a server in production whose resolvers note what they get. */
function serve(plugins: readonly ServerPlugin[], options: Partial<Options> = {}): (body: object) => Promise<PlainResponse> {
  const echo = (_: unknown, values: object): string => JSON.stringify(values);
  const ticks = {
    async *subscribe() {
      yield 1;
      yield 2;
    },
    resolve: echo,
  };
  const resolvers = { Any: any, Query: { echo }, Mutation: { write: () => 'written' }, Subscription: { ticks } };
  const [logger] = recordingLogger();
  const handler = createHandler({
    nodeEnv: 'production',
    csrfPrevention: true,
    typeDefs,
    resolvers,
    logger,
    plugins,
    ...options,
  } as Options);
  return async (body) => httpAPI.read(await handler(httpAPI.build(post(body))));
}

const forbidden = (): GraphQLError => new GraphQLError('Not you.', { extensions: { code: 'FORBIDDEN' } });

/** A plugin that notes every step of an operation. */
const noting = (notes: string[], admit?: ServerPlugin['admit']): ServerPlugin => ({
  requestDidStart: () => ({
    didResolveOperation: () => void notes.push('didResolveOperation'),
    responseForOperation: () => void notes.push('responseForOperation'),
    executionDidStart: () => void notes.push('executionDidStart'),
  }),
  execution: (_execution, next) => (notes.push('execution'), next()),
  ...(admit !== undefined && { admit: (execution) => (notes.push('admit'), admit(execution)) }),
});

for (const [executor, executing] of executors)
  describe(`admit, with ${executor}`, () => {
    test('is called after didResolveOperation, and before responseForOperation and every stage execution', async () => {
      const notes: string[] = [];

      await serve([noting(notes), noting(notes, () => {})], executing)({ query: '{ echo }' });

      const twice = (step: string): string[] => [step, step];
      assert.deepEqual(notes, [
        ...twice('didResolveOperation'),
        'admit',
        ...twice('responseForOperation'),
        ...twice('execution'),
        ...twice('executionDidStart'),
      ]);
    });

    const refusals: readonly [way: string, admit: NonNullable<ServerPlugin['admit']>, status: number, code: string][] = [
      ['throws a code', () => { throw forbidden(); }, 403, 'FORBIDDEN'], // prettier-ignore
      ['rejects with a code', async () => Promise.reject(forbidden()), 403, 'FORBIDDEN'],
      ['throws a GraphQLError without a code', () => { throw new GraphQLError('No.'); }, 422, 'OPERATION_RESOLUTION_FAILURE'], // prettier-ignore
      ['throws anything else', () => { throw new TypeError('secret'); }, 500, 'INTERNAL_SERVER_ERROR'], // prettier-ignore
    ];
    for (const [way, admit, status, code] of refusals)
      test(`that ${way} refuses the operation, of which nothing runs`, async () => {
        const notes: string[] = [];
        const executed: unknown[] = [];
        const watch: ServerPlugin = {
          operation: async (_call, next) => {
            const outcome = await next();
            executed.push(outcome.executed);
            return outcome;
          },
        };

        const answer = await serve([noting(notes), watch, { admit }], executing)({ query: 'mutation { write }' });

        assert.deepEqual([answer.status, json(answer).data, json(answer).errors[0].extensions.code], [status, undefined, code]);
        assert.deepEqual([notes, executed], [['didResolveOperation'], [false]]);
        assert.doesNotMatch(answer.body, /secret/);
      });

    test('gets the coerced variables; if they have errors, these are the answer and no plugin answers in their place', async () => {
      const notes: string[] = [];
      const seen: unknown[] = [];
      const send = serve([noting(notes, ({ variableValues }) => void seen.push({ ...variableValues }))], executing);
      const query = 'query ($text: String = "d", $filter: Filter) { echo(text: $text, filter: $filter) }';

      await send({ query, variables: { filter: {} } });
      const refused = await send({ query, variables: { text: 1 } });

      assert.deepEqual(JSON.parse(JSON.stringify(seen)), [{ text: 'd', filter: { tags: ['a'] } }]);
      assert.deepEqual([refused.status, json(refused).errors[0].extensions.code], [422, 'BAD_USER_INPUT']);
      assert.deepEqual(
        notes.filter((note) => note === 'admit' || note === 'responseForOperation'),
        ['admit', 'responseForOperation'],
      );
    });

    test('has seen what runs: a hook, a stage or another plugin that changes variables later changes nothing', async () => {
      const spoil = ({ variables }: any): void => {
        const { any, filter, list, at } = variables;
        for (const value of [any, filter.any, list[0].any, at.any]) value.type = 'Spoiled';
        variables.text = 'spoiled';
      };
      const hooks = ['responseForOperation', 'executionDidStart'];
      const spoilAll = ({ request, variableValues }: any): void => (spoil(request), spoil({ variables: variableValues }));
      let decided = '';
      const plugins: ServerPlugin[] = [
        { requestDidStart: () => Object.fromEntries(hooks.map((hook) => [hook, ({ request }: any) => spoil(request)])) },
        { execution: (execution, next) => (spoilAll(execution), next()) },
        { position: { admit: 'first' }, admit: ({ variableValues }) => void (decided = JSON.stringify(variableValues)) },
        { admit: spoilAll },
      ];
      const { any, filter, list, at } = { any: { type: 'a' }, filter: { tags: [], any: { type: 'b' } }, list: [{ tags: [], any: { type: 'c' } }], at: { any: { type: 'd' } } }; // prettier-ignore
      const variables = { text: 'sent', any, filter, list, at };
      const expected = JSON.stringify([
        { text: 'sent', any, filter },
        { text: 'x', list },
        { text: 'x', any: { any, at, list } },
      ]);
      // graphql-js coerces the variables of the second query.
      for (const [more, used] of [
        ['', ''],
        [', $__proto__: Any', ' ... @skip(if: true) { unused: echo(any: $__proto__) }'],
      ]) {
        // prettier-ignore
        const query = `query ($text: String, $any: Any, $filter: Filter, $list: [Filter], $at: Point${more}) {
          echo(text: $text, any: $any, filter: $filter) list: echo(list: $list) literal: echo(any: { any: $any, at: $at, list: $list })${used}
        }`;

        const { data, errors } = json(await serve(plugins, executing)({ query, variables }));

        assert.deepEqual([errors, JSON.parse(decided)], [undefined, variables]);
        assert.equal(`[${Object.values(data).join()}]`, expected);
      }
    });

    test('members are called one after the other, in the order of stages, until one refuses', async () => {
      const notes: string[] = [];
      const named = (name: string, rest: ServerPlugin = {}): ServerPlugin => ({
        admit: async () => {
          notes.push(name);
          await quiet();
          notes.push(`${name} ended`);
          if (name === 'second') throw forbidden();
        },
        ...rest,
      });

      await serve([named('last', { position: 'last' }), named('third'), named('second', { onlyWatches: true }), named('first', { position: { admit: 'first' }, onlyWatches: true })], executing)({ query: '{ echo }' }); // prettier-ignore

      assert.deepEqual(notes, ['first', 'first ended', 'second', 'second ended']);
    });

    test('decides for each element of a batch', async () => {
      const admit: ServerPlugin['admit'] = ({ batchIndex }) => {
        if (batchIndex === 1) throw forbidden();
      };

      const answer = await serve([{ admit }], executing)([{ query: '{ echo }' }, { query: '{ echo }' }, { query: '{ echo }' }]);

      assert.deepEqual(
        json(answer).map(({ data, errors }: any) => (data === undefined ? errors[0].extensions.code : 'answered')),
        ['answered', 'FORBIDDEN', 'answered'],
      );
    });
  });

test('the facts of a server say which plugins it has, when its requests come', async () => {
  const points = budget({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'ada', capacity: 9, refillPerSecond: 1 });
  const lists: readonly [plugins: readonly ServerPlugin[], maxCost: unknown, budget: unknown][] = [
    [[limits({ maxCost: 5 })], 5, undefined],
    [[points], undefined, true],
    [[], undefined, undefined],
  ];
  for (const [plugins, ...expected] of lists) {
    let facts: Facts | undefined;
    const first: ServerPlugin = { start: (context) => void (facts = context.facts) };
    await serve([first, ...plugins])({ query: '{ echo }' });

    assert.deepEqual([(facts!.get('limits') as { maxCost?: number } | undefined)?.maxCost, facts!.get('budget')], expected);
  }
});

describe('admit', () => {
  test('that hangs ends at the deadline, with 504, and what it throws later is handled', async (t) => {
    const pass = stopTheClock(t);
    let refuse!: (error: unknown) => void;
    const hanging = new Promise<never>((_, reject) => (refuse = reject));
    const notes: string[] = [];
    const send = serve([noting(notes, () => hanging)], { deadline: { ms: 1000 } });
    let answer!: PlainResponse;

    const unhandled = await unhandledRejections(async () => {
      const answering = send({ query: '{ echo }' });
      await pass(1000);
      answer = await answering;
      refuse(forbidden());
      await quiet();
    });

    assert.deepEqual([answer.status, notes.at(-1), unhandled], [504, 'admit', 0]);
  });

  test('of a subscription is asked once, when it starts, and its events have the variables of then', async () => {
    let admitted = 0;
    let sent: any;
    const plugins: ServerPlugin[] = [
      { admit: ({ request }) => void (admitted++, (sent = request.variables)) },
      { payload: (_execution, next) => ((sent.any.type = 'Spoiled'), next()) },
    ];
    const ticks = { subscribe: async function* () { yield 1; yield 2; }, resolve: (_: unknown, values: object) => JSON.stringify(values) }; // prettier-ignore
    const resolvers = { Any: any, Subscription: { ticks } };
    const handler = createFetchHandler({ nodeEnv: 'production', csrfPrevention: true, typeDefs, resolvers, plugins } as Options);
    const body = { query: 'subscription ($any: Any) { ticks(any: $any) }', variables: { any: { type: 'Sent' } } };

    const response = await handler(webRequest(post(body, { headers: [['accept', 'text/event-stream']] })) as never);
    const text = await (response as Response).text();

    assert.deepEqual([admitted, text.match(/Sent|Spoiled/g)], [1, ['Sent', 'Sent']]);
  });

  test('of limits() refuses before every other member and stage, wherever it is listed', async () => {
    for (const place of [0, 1, 2]) {
      const notes: string[] = [];
      const plugins = [
        noting(notes, () => {}),
        budget({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'ada', capacity: 1, refillPerSecond: 1 }),
      ];
      plugins.splice(place, 0, limits({ maxCost: 1 }));

      const answer = await serve(plugins)({ query: '{ a: echo b: echo }' });

      assert.deepEqual([answer.status, notes, answer.headers.has('ratelimit')], [422, ['didResolveOperation'], false]);
    }
  });
});
