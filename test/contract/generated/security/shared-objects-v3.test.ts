import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { GraphQLSchema } from 'graphql';

import { ApolloServer, AuthenticationError } from '../../../../src/entries/v3.ts';
import { constant, serverWith } from '../../../support/careless-server.ts';
import { cases } from '../../../support/long-form.ts';
import { newUsers, sendTogether } from '../../../support/many-users.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { callers, spoil, Witness } from '../../../support/witness.ts';
import { eventOf } from '../../../support/v3-server.ts';

const rounds = cases({ short: 2, long: 60 });
const seed = Number(process.env['SEED'] ?? 9);

const refusal = new AuthenticationError('Sign in', { realm: 'all' });

/** The same careless functions, with the API of version 3. */
function configWith(witness: Witness, random: Random): Record<string, any> {
  const { typeDefs, resolvers, rootValue, logger } = serverWith(witness, random) as Record<string, any>;
  const caller = (): string => callers.getStore() ?? 'nobody';
  const look =
    (place: string, answer: (...given: any[]) => unknown = () => undefined) =>
    async (...given: any[]): Promise<unknown> => {
      given.forEach((one, at) => witness.sees(place, one, `(${at})`));
      await new Promise((resolve) => setImmediate(resolve));
      return answer(...given);
    };
  const lookNow =
    (place: string, answer: (...given: any[]) => any) =>
    (...given: any[]): any => {
      given.forEach((one, at) => witness.sees(place, one, `(${at})`));
      return answer(...given);
    };
  const shared = random.pick<Record<string, unknown>>([
    { user: undefined },
    Object.freeze({ kept: 1 }),
    Object.create({ inherited: 1 }) as object,
  ] as never);
  const listener = {
    didResolveSource: look('didResolveSource'),
    parsingDidStart: look('parsingDidStart', () => look('parsingDidEnd')),
    validationDidStart: look('validationDidStart', () => look('validationDidEnd')),
    didResolveOperation: look('didResolveOperation', ({ context }) => void (context.user ??= caller())),
    responseForOperation: look('responseForOperation', () => null),
    executionDidStart: look('executionDidStart', () => ({
      executionDidEnd: look('executionDidEnd'),
      ...(random.chance(0.5) && { willResolveField: lookNow('willResolveField', () => lookNow('didResolveField', () => undefined)) }),
    })),
    didEncounterErrors: look('didEncounterErrors', ({ errors }) => {
      for (const error of errors) Object.assign(error.extensions ?? {}, { seenBy: caller() });
    }),
    willSendResponse: look('willSendResponse', ({ response }) => {
      response.http.headers.set('x-answer-for', caller());
      response.extensions = { ...response.extensions, for: caller() };
    }),
  };
  return {
    typeDefs,
    resolvers,
    rootValue,
    logger,
    nodeEnv: random.pick(['test', 'production', 'development']),
    cache: 'bounded',
    ...(random.chance(0.5) && { debug: true }),
    context: look('context', ({ express: { res } }) => {
      if (callers.getStore() !== undefined && random.chance(0.1)) throw refusal;
      res.cookie('user', caller());
      return shared;
    }),
    dataSources: () => ({ session: { initialize: look('initialize'), who: async () => caller() } }),
    formatError: lookNow('formatError', (error) => (spoil(caller(), error.extensions), error)),
    formatResponse: lookNow(
      'formatResponse',
      (response) => (Object.assign(response, { extensions: { formattedFor: caller() } }), response),
    ),
    plugins: [{ requestDidStart: look('requestDidStart', () => listener) }],
  };
}

const queries = [
  '{ me session }',
  '{ items { id tags owner { name tags } } }',
  'query ($f: Filter = { tags: ["v"] }) { items(filter: $f) { id tags(filter: $f) fails } }',
  'query ($text: String, $any: Any) { echo(text: $text, any: $any, filter: {}) thing(any: [$any]) { __typename } }',
  '{ me fails refuses root }',
  'mutation ($text: String) { write(text: $text) }',
  '{ unknown }',
  '{ me ',
  'query ($n: Filter!) { items(filter: $n) { id } }',
];

/** An event of one user; its name is in the variables. */
function sentBy(user: string, random: Random): object {
  const operation = (): object => ({
    query: random.pick(queries),
    variables: { text: user, any: { of: [user] }, f: random.pick([undefined, {}]) },
  });
  const body = random.chance(0.3) ? [operation(), operation()] : operation();
  return eventOf({ headers: { 'x-user': user }, body });
}

test('version 3: functions of the user get no object or string from another call', async () => {
  for (let round = 0; round < rounds; round++) {
    const random = createRandom(seed * 1000 + round);
    const witness = new Witness();
    const config = configWith(witness, random);
    let schema: GraphQLSchema | undefined;
    let cache: unknown;
    let logger: unknown;
    config['plugins'].push({
      serverWillStart: async (start: any) => void ({ schema, logger } = start),
      requestDidStart: async (start: any) => void (cache = start.cache),
    });
    const handler = new ApolloServer(config).createHandler() as unknown as (event: unknown, context: unknown) => Promise<unknown>;
    await handler(eventOf({ body: { query: '{ __typename }' } }), {});
    witness.knows([schema, config, cache, logger, constant, refusal]);

    const sent = newUsers(40).map((user) => ({ user, request: { event: sentBy(user, random), context: { awsRequestId: user } } }));
    const { mixed } = await sendTogether(sent, ({ event, context }) => handler(event, context));

    assert.deepEqual([...witness.problems, ...mixed], [], `seed ${seed}, round ${round}`);
  }
});
