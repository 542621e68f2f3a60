import * as graphql from 'graphql';
import { GraphQLScalarType } from 'graphql';

import { DataSource } from '../../src/entries/datasource.ts';
import { InMemoryLRUCache } from '../../src/entries/cache.ts';
import { incrementalDelivery } from '../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../src/server/operation/plugin.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import type { Random } from './random.ts';
import { callers, spoil } from './witness.ts';
import type { Witness } from './witness.ts';

/** One error object that is thrown many times, as user code sometimes does. */
export let constant: graphql.GraphQLError | undefined;

class Session extends DataSource<{ user: string }> {
  who = async (): Promise<string> => (await turns(1), this.context.user);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const typeDefs = `
  scalar Any
  enum Order { UP DOWN }
  input Filter { tags: [String!]! = ["a", "b"], any: Any = { deep: { list: [1] } }, order: Order = UP, inner: Inner = { names: ["x"] } }
  input Odd { constructor: String, list: [String] = ["odd"], inner: Inner = {} }
  input Inner { names: [String] = ["none"], any: Any }
  interface Node { id: ID! tags(filter: Filter = { tags: ["node"] }): [String] }
  type Item implements Node { id: ID! tags(filter: Filter = { tags: ["node"] }, any: Any = [1, { two: 2 }]): [String] owner: Owner fails: String }
  type Owner implements Node { id: ID! tags(filter: Filter = { tags: ["node"] }): [String] name: String }
  union Thing = Item | Owner
  type Query {
    me: String!
    session: String!
    items(first: Int = 3, filter: Filter = {}, any: Any = { a: [] }, list: [Filter] = [{ tags: ["l"] }]): [Item!]!
    nodes(filters: [Filter!]): [Node]
    thing(any: Any): Thing
    echo(text: String, any: Any, filter: Filter): String
    fails: String
    refuses: String
    root: String
    odd(odd: Odd, odds: [Odd] = [{}]): [String]
  }
  type Mutation { write(filter: Filter = { tags: ["m"] }, text: String): String }
  type Subscription { ticks(filter: Filter = { tags: ["s"] }, any: Any = { s: [] }): String }
`;

/** The options of a server whose functions inspect and modify all of their arguments. */
export function serverWith(witness: Witness, random: Random): ServerOptions {
  const sharedContext = random.pick<() => Record<string, unknown>>([
    () => contexts.plain,
    () => contexts.frozen,
    () => contexts.bare,
    () => contexts.getter,
    () => ({ mark: {} }),
  ]);
  const contexts = {
    plain: { user: undefined } as Record<string, unknown>,
    frozen: Object.freeze({ kept: 1 }) as Record<string, unknown>,
    bare: Object.assign(Object.create(null) as Record<string, unknown>, { kept: 1, [Symbol('hidden')]: 2 }),
    getter: { get later() { return 1; } } as Record<string, unknown>, // prettier-ignore
  };
  const caller = (): string => callers.getStore() ?? 'nobody';
  /** A function of the user that inspects and then modifies all of its arguments. */
  const careless =
    <T>(place: string, answer: (...given: any[]) => T, harmless = false) =>
    (...given: any[]): T => {
      for (const [at, one] of given.entries()) witness.sees(place, one, `(${at})`);
      const result = answer(...given);
      if (!harmless) spoil(caller(), ...given);
      return result;
    };
  const any = new GraphQLScalarType({
    name: 'Any',
    coerceInputValue: (value: unknown) => value,
    parseValue: (value: unknown) => value,
  } as never);
  const hook = (name: string, answer: (...given: any[]) => unknown = () => undefined) => ({ [name]: careless(name, answer, true) });
  const listener = {
    ...hook('didResolveSource'),
    ...hook('parsingDidStart', () => hook('parsingDidEnd')['parsingDidEnd']),
    ...hook('validationDidStart', () => hook('validationDidEnd')['validationDidEnd']),
    ...hook('didResolveOperation', async () => turns(random.below(2))),
    ...hook('responseForOperation'),
    ...hook('executionDidStart', () => hook('executionDidEnd')),
    ...hook('didEncounterErrors', ({ errors }) => {
      for (const { extensions } of errors) Reflect.set(extensions, 'seenBy', caller());
    }),
    ...hook('willSendResponse', ({ response }) => {
      response.http.headers.append('set-cookie', `user=${caller()}`);
      response.http.headers.set('x-answer-for', caller());
      response.result.extensions = { ...response.result.extensions, for: caller() };
    }),
    ...hook('didEncounterSubsequentErrors'),
    ...hook('willSendSubsequentPayload', (_context, payload) => void (payload.extensions = { for: caller() })),
  };
  const plugin = {
    ...hook('requestDidStart', ({ contextValue, request }) => {
      contextValue.user ??= caller();
      Object.assign(request.variables ?? {}, { addedByPlugin: caller() });
      request.http?.headers.set('x-seen', caller());
      return random.chance(0.8) ? listener : undefined;
    }),
    ...hook('contextCreationDidFail'),
    ...hook('invalidRequestWasReceived'),
  } as ServerPlugin<any>;
  const around = {
    ...hook('request', async (_call, next) => {
      const response = await next();
      witness.sees('request', response, ' response');
      response.headers.append('x-around', caller());
      return response;
    }),
    ...hook('operation', async (_call, next) => {
      const outcome = await next();
      witness.sees('operation', outcome, ' outcome');
      return outcome;
    }),
    ...hook('document', (_operation, next) => next()),
    ...hook('admit'),
    ...hook('execution', (_execution, next) => next()),
    ...hook('payload', (_execution, next) => next()),
    ...hook('encode', () => (response: unknown) => response),
  } as ServerPlugin<any>;
  const item = (): object => ({ id: 'i', owner: { id: 'o', name: 'owner' } });
  const texts = (value: unknown): string[] => [JSON.stringify(value) ?? 'nothing', caller()];
  const resolver = (place: string, answer: (parent: any, values: any, context: any, info: any) => unknown) =>
    careless(place, async (...given: [any, any, any, any]) => {
      given[3].getAbortSignal?.();
      await turns(random.below(3));
      return answer(...given);
    });
  constant ??= new graphql.GraphQLError('the same for all', { extensions: { code: 'ODD', http: { headers: { 'x-odd': '1' } } } });
  return {
    nodeEnv: random.pick(['', 'development', 'test', 'production']),
    logger: Object.fromEntries(
      ['debug', 'info', 'warn', 'error'].map((level) => [level, (...given: unknown[]) => witness.sees(`logger.${level}`, given)]),
    ) as never,
    incrementalDelivery: incrementalDelivery(),
    ...(random.chance(0.5) && { cache: new InMemoryLRUCache() }),
    ...(random.chance(0.5) && { maskErrors: false }),
    ...(random.chance(0.5) && {
      formatError: careless(
        'formatError',
        (formatted, error) => (
          Reflect.set(error.extensions, 'formattedFor', caller()),
          Reflect.set(formatted.extensions, 'for', caller()),
          formatted
        ),
        true,
      ) as never,
    }),
    rootValue: random.pick<unknown>([undefined, { root: 'r', kept: {} }, () => ({ root: 'f' })]),
    ...(random.chance(0.8) && {
      context: careless(
        'context',
        async ({ response, request, waitUntil, event }) => {
          witness.sees('context', event, ' event');
          await turns(random.below(2));
          response.headers.set('x-user', request.headers.get('x-user') ?? 'nobody');
          waitUntil(turns(1).then(() => witness.sees('waitUntil', { of: caller() })));
          return sharedContext();
        },
        true,
      ) as never,
    }),
    ...(random.chance(0.5) && { dataSources: () => ({ session: new Session() }) }),
    plugins: [...(random.chance(0.7) ? [plugin] : []), ...(random.chance(0.4) ? [around] : [])],
    typeDefs,
    resolvers: {
      Any: any,
      Query: {
        me: resolver('me', () => caller()),
        session: resolver('session', (_parent, _values, { dataSources }) => dataSources?.session.who() ?? 'none'),
        items: careless(
          'items',
          (_parent, values) => (
            texts(values),
            random.chance(0.5) ? [item(), item()] : turns(1).then(() => [Promise.resolve(item()), item()])
          ),
        ),
        nodes: resolver('nodes', () => [item(), { id: 'o', name: 'owner' }]),
        odd: resolver('odd', (_parent, values) => texts(values)),
        thing: careless('thing', () => item()),
        echo: resolver('echo', (_parent, { text }) => text),
        fails: resolver('fails', () => Promise.reject(new Error(`the secret of ${caller()}`))),
        refuses: careless('refuses', () => { throw constant; }), // prettier-ignore
      },
      Node: { __resolveType: careless('Node', (value) => ('name' in value ? 'Owner' : 'Item')) },
      Thing: { __resolveType: careless('Thing', async () => 'Item') },
      Item: {
        tags: careless('Item.tags', (_parent, values) => texts(values)),
        fails: resolver('Item.fails', () => Promise.reject(new Error(caller()))),
      },
      Owner: { tags: resolver('Owner.tags', (_parent, values) => texts(values)) },
      Mutation: { write: resolver('write', (_parent, { text }, context) => (spoil(caller(), context), text)) },
      Subscription: {
        ticks: {
          subscribe: careless('subscribe', async function* (_parent, values) {
            yield { ticks: JSON.stringify(values) };
            await turns(1);
            yield { ticks: caller() };
          }),
          resolve: careless('ticks', (parent) => parent.ticks),
        },
      },
    },
  } as ServerOptions;
}
