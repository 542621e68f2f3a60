import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError, GraphQLScalarType } from 'graphql';

import { AuthenticationError, DataSource } from '../../../../src/entries/datasource.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { cases } from '../../../support/long-form.ts';
import { newUsers, sendTogether } from '../../../support/many-users.ts';
import { callers } from '../../../support/witness.ts';

/** Extensions of an error constant, with nested values that hooks can write to, too. */
const extensions = (): Record<string, unknown> => ({
  code: 'ODD',
  details: { list: ['a'], of: {} },
  http: { headers: { 'x-odd': '1' } },
  response: { body: { list: [] } },
});

/** Errors that are created once and thrown for every user. */
const kinds: Readonly<Record<string, () => Error>> = {
  'a GraphQLError': () => new GraphQLError('same', { extensions: extensions() }),
  'one with a path': () => new GraphQLError('same', { path: ['some', 'where'], extensions: extensions() }),
  'one around another': () => new GraphQLError('same', { originalError: new Error('other'), extensions: extensions() }),
  'one with the extensions of another': () =>
    new GraphQLError('same', { originalError: new GraphQLError('other', { extensions: extensions() }) }),
  'one with path and original': () => new GraphQLError('same', { path: ['p'], originalError: new GraphQLError('other', { path: ['p'], extensions: extensions() }) }), // prettier-ignore
  'a subclass': () => new AuthenticationError('same', { extensions: extensions() }),
  'an Error with extensions': () => Object.assign(new Error('same'), { extensions: extensions() }),
  'a GraphQLError of another copy': () => Object.assign(new Error('same'), { name: 'GraphQLError', extensions: extensions() }),
};

const places = 'context|context, later|dataSources|initialize|requestDidStart|didResolveSource|parsingDidStart|validationDidStart'
  .concat('|didResolveOperation|responseForOperation|an answer of a plugin|executionDidStart|executionDidEnd|willSendResponse')
  .concat('|operation|request|cors|a rule|parseValue|parseLiteral|serialize|resolveType')
  .concat('|a resolver|a resolver, later|a returned error|items|a field that is not null|a deferred field')
  .concat('|subscribe|the events|a resolver of events|a form of formatError|an Error of formatError')
  .split('|');
type Place = string;

const documents = ['{ me boom items u { __typename } s }', '{ strict }', '{ in(s: 1) }', 'query ($s: S) { in(s: $s) }', '{ me later { ... @defer { me boom } } }', 'subscription { t }']; // prettier-ignore

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const caller = (): string => callers.getStore() ?? 'nobody';

/** Writes the caller to every part of an error, as code does for its log or its client. */
function note(error: any): void {
  const of = error?.extensions;
  if (typeof of !== 'object' || of === null) return;
  of[`by ${caller()}`] = caller();
  of.details?.list.push(caller());
  if (of.details) of.details.of[caller()] = caller();
  if (of.http) of.http.headers[`x-by-${caller()}`] = caller();
  of.response?.body.list.push(caller());
}

/** A server in which one function throws, and every function that receives the error writes to it. */
function serverThatThrows(same: Error, place: Place, executor: ServerOptions['executor']): ServerOptions {
  const throwAt = (here: Place): undefined => {
    if (here === place) throw same;
  };
  const answer = { data: { me: 'all' }, extensions: { shared: { list: [] } }, errors: [same] };
  const form = { message: 'same', extensions: extensions() };
  class Source extends DataSource {
    override initialize(): void {
      throwAt('initialize');
    }
  }
  const listener = {
    didResolveSource: () => throwAt('didResolveSource'),
    parsingDidStart: () => (throwAt('parsingDidStart'), (thrown: unknown) => note(thrown)),
    validationDidStart: () => (throwAt('validationDidStart'), (thrown: unknown[] = []) => thrown.forEach(note)),
    didResolveOperation: () => throwAt('didResolveOperation'),
    responseForOperation: () => (place === 'an answer of a plugin' ? answer : throwAt('responseForOperation')),
    executionDidStart: () => (
      throwAt('executionDidStart'),
      { executionDidEnd: (thrown: unknown) => (note(thrown), throwAt('executionDidEnd')) }
    ),
    didEncounterErrors: async ({ errors }: any) => (errors.forEach(note), turn()),
    didEncounterSubsequentErrors: (_context: unknown, errors: any) => errors.forEach(note),
    willSendSubsequentPayload: (_context: unknown, payload: any) => payload.errors?.forEach(note),
    willSendResponse: ({ response: { result } }: any) => {
      throwAt('willSendResponse');
      result.errors?.forEach(note);
      result.extensions ??= {};
      result.extensions[`by ${caller()}`] = caller();
      result.extensions.shared?.list.push(caller());
      Object.assign(result.data ?? {}, { [`by ${caller()}`]: 1 });
    },
  };
  return {
    nodeEnv: 'production',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    executor,
    incrementalDelivery: incrementalDelivery(),
    ...(place === 'cors' && { cors: { origin: () => throwAt('cors') } }),
    validationRules: [(context: any) => ({ Field: () => (place === 'a rule' ? context.reportError(same as GraphQLError) : undefined) })],
    context: async () => (throwAt('context'), await turn(), throwAt('context, later'), {}),
    dataSources: () => (throwAt('dataSources'), { source: new Source() }),
    formatError: (formatted: any, thrown: any) => (
      note(thrown),
      note(formatted),
      place === 'a form of formatError' ? form : place === 'an Error of formatError' ? same : formatted
    ),
    typeDefs: `
      scalar S  union U = A | B  type A { a: String }  type B { b: String }  type Later { me: String boom: String }
      type Query { me: String boom: String strict: String! items: [String] u: U s: S in(s: S): String later: Later }
      type Subscription { t: String }`,
    resolvers: {
      S: new GraphQLScalarType({ name: 'S', serialize: () => throwAt('serialize') ?? 1, parseValue: (v) => throwAt('parseValue') ?? v, parseLiteral: () => throwAt('parseLiteral') ?? 1 }), // prettier-ignore
      U: { __resolveType: () => throwAt('resolveType') ?? 'A' },
      Query: {
        me: async () => (await turn(), caller()),
        boom: () =>
          throwAt('a resolver') ??
          (place === 'a returned error' || place.endsWith(' of formatError') ? same : turn().then(() => throwAt('a resolver, later'))),
        strict: () => throwAt('a field that is not null') ?? 'x',
        items: () => (place === 'items' ? [same, Promise.reject(same), 'x'] : []),
        u: () => ({ a: 'a' }),
        s: () => 1,
        later: () => ({}),
      },
      Later: { me: caller, boom: async () => (await turn(), throwAt('a deferred field')) },
      Subscription: {
        t: {
          subscribe: () => (throwAt('subscribe'), (async function* () { yield { t: 1 }; throwAt('the events'); })()), // prettier-ignore
          resolve: () => throwAt('a resolver of events') ?? caller(),
        },
      },
    },
    plugins: [
      {
        request: async (_call: unknown, next: () => unknown) => (throwAt('request'), next()),
        operation: async (_call: unknown, next: () => unknown) => (throwAt('operation'), next()),
        contextCreationDidFail: ({ error: failure }: any) => note(failure),
        invalidRequestWasReceived: ({ error: failure }: any) => note(failure),
        requestDidStart: () => (throwAt('requestDidStart'), listener),
      } as never,
    ],
  } as unknown as ServerOptions;
}

/** Sends requests of one user, and then of two users concurrently. Fails if a response names another user. */
async function assertApart(send: (query: string) => Promise<string>): Promise<void> {
  const sendAll = async (queries: readonly string[]): Promise<string> => {
    let texts = '';
    for (const query of queries) texts += await send(query);
    return texts;
  };
  for (const users of [newUsers(1), newUsers(2)]) {
    const { mixed } = await sendTogether(
      users.map((user) => ({ user, request: documents })),
      sendAll,
    );
    assert.deepEqual(mixed, []);
  }
}

describe('changes by hooks and formatError to a reused error object reach only one user', () => {
  for (const [at, place] of places.entries()) {
    it(`thrown by, or in: ${place}`, async () => {
      const names = Object.keys(kinds);
      const chosen = cases({ short: 3, long: names.length });
      for (let next = 0; next < chosen; next++) {
        const name = names[(at + 3 * next) % names.length]!;
        for (const executor of [undefined, graphqlJSExecutor()]) {
          const handler = createHandler({
            ...serverThatThrows(kinds[name]!(), place, executor),
            ...(executor && { incrementalDelivery: undefined as never }),
          });
          await assertApart(async (query) => {
            const accept = query.startsWith('subscription') ? 'text/event-stream' : 'multipart/mixed, application/json';
            const headers = { 'content-type': 'application/json', origin: 'http://o.test', accept };
            const body = JSON.stringify({ query, ...(query.includes('$') && { variables: { s: 1 } }) });
            const answer = await handler(new Request('http://a.test/', { method: 'POST', headers, body }));
            return JSON.stringify([...answer.headers]) + (await answer.text());
          });
        }
      }
    });
  }
});
