import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as graphql from 'graphql';
import { GraphQLEnumType, GraphQLInputObjectType, GraphQLInterfaceType, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLScalarType, GraphQLSchema, GraphQLString } from 'graphql'; // prettier-ignore

import { InMemoryLRUCache } from '../../../../src/entries/cache.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { RESTDataSource } from '../../../../src/entries/datasource.ts';
import { edge } from '../../../../src/entries/edge.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { cases } from '../../../support/long-form.ts';
import { newUsers, sendTogether } from '../../../support/many-users.ts';
import { plainRequest } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { reachableFrom } from '../../../support/reachable.ts';
import { frontDoors } from '../../../support/sources.ts';
import { callers, spoil, Witness } from '../../../support/witness.ts';
import { after } from '../../../support/stages.ts';

const rounds = cases({ short: 1, long: 12 });
const seed = Number(process.env['SEED'] ?? 3);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const caller = (): string => callers.getStore() ?? 'nobody';

/** Default values in the schema. Resolvers must get copies. */
const defaults = [
  { list: ['a'], any: { deep: [{ x: 1 }] }, inner: { list: ['i'], any: [] } },
  ['one', 'two'],
  { free: { form: [1, { two: 2 }] } },
  [{ list: [] }, { list: ['l'], any: {} }],
];

/** The responses of a public resource, and of a resource of each user. */
const respond = async (input: unknown, init?: RequestInit): Promise<Response> => {
  const request = input instanceof Request ? input : new Request(input as string, { ...init, signal: null });
  await turn();
  const { pathname } = new URL(request.url);
  const user = request.headers.get('authorization') ?? 'nobody';
  if (pathname === '/broken') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
  if (pathname === '/refused') return Response.json({ for: ['all'] }, { status: 403, headers: { 'x-of': 'all' } });
  const isPublic = pathname === '/public';
  const headers = { 'cache-control': isPublic ? 'public, max-age=60' : 'max-age=60', etag: '"1"' };
  return request.headers.has('if-none-match') ? new Response(null, { status: 304, headers }) : Response.json(isPublic ? { items: [{ tags: ['t'] }] } : { items: [{ tags: [user] }] }, { headers }); // prettier-ignore
};

/** A server with a schema of classes, whose functions inspect and modify all of their arguments. */
function serverWith(witness: Witness, random: Random): ServerOptions {
  const careless =
    <T>(place: string, answer: (...given: any[]) => T, writes = true) =>
    (...given: any[]): T => {
      for (const [at, one] of given.entries()) witness.sees(place, one, `(${at})`);
      const result = answer(...given);
      if (writes) spoil(caller(), ...given);
      return result;
    };
  class API extends RESTDataSource<{ user: string }> {
    override baseURL = 'http://api.test/';
    override memoizeGetRequests = random.chance(0.7);
    #see(place: string, ...given: unknown[]): void {
      for (const [at, one] of given.entries()) witness.sees(`API.${place}`, one, `(${at})`);
    }
    protected override willSendRequest(request: any): void {
      this.#see('willSendRequest', request);
      if (!request.path.startsWith('public')) request.headers.set('authorization', caller());
    }
    protected override resolveURL(request: any): any {
      this.#see('resolveURL', request);
      return super.resolveURL(request);
    }
    protected override cacheKeyFor(request: any): string {
      this.#see('cacheKeyFor', request);
      return super.cacheKeyFor(request);
    }
    protected override cacheOptionsFor(response?: any, request?: any): any {
      this.#see('cacheOptionsFor', response, request);
      response?.headers?.set?.('x-seen-by', caller());
      return undefined;
    }
    protected override async didReceiveResponse(response: any, request: any): Promise<any> {
      this.#see('didReceiveResponse', response, request);
      const body = await super.didReceiveResponse(response, request);
      this.#see('body', body);
      spoil(caller(), body);
      return body;
    }
    protected override didEncounterError(error: any, request: any): void {
      this.#see('didEncounterError', error, request);
      Object.assign(error.extensions, { for: caller() });
      throw error;
    }
    async read(path: string): Promise<unknown> {
      const [one, two] = await Promise.allSettled([this.get(path), this.get(path, undefined, { timeout: 1000 })]);
      for (const each of [one, two]) {
        const value = each.status === 'fulfilled' ? each.value : each.reason;
        this.#see('result', value);
        spoil(caller(), value);
      }
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    }
  }
  const Any = new GraphQLScalarType({
    name: 'Any',
    serialize: careless('serialize', (value) => value, false),
    ...('parseConstLiteral' in GraphQLScalarType.prototype && { coerceInputLiteral: careless('coerceInputLiteral', (node) => graphql.valueFromASTUntyped(node)) }), // prettier-ignore
    parseValue: careless('parseValue', (value) => value),
    parseLiteral: (node: any) => graphql.valueFromASTUntyped(node),
  } as never);
  const Level = new GraphQLEnumType({
    name: 'Level',
    values: { HIGH: { value: { level: ['high'] } }, LOW: { value: { level: ['low'] } } },
  });
  const Filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: 'Filter',
    fields: () => ({
      list: { type: new GraphQLList(GraphQLString), defaultValue: defaults[1] },
      any: { type: Any, defaultValue: defaults[2] },
      level: { type: Level, defaultValue: (Level.getValue('HIGH') as any).value },
      inner: { type: Filter },
    }),
  });
  const args: Record<string, any> = {
    filter: { type: Filter, defaultValue: defaults[0] },
    filters: { type: new GraphQLList(new GraphQLNonNull(Filter)), defaultValue: defaults[3] },
    any: { type: Any, defaultValue: defaults[2] },
    level: { type: Level },
  };
  const echo = careless('echo', async (_: unknown, values: object, __: unknown, info: any) => (await turn(), info.getAbortSignal?.(), JSON.stringify(values))); // prettier-ignore
  const extensions = { shared: { note: [] } };
  const Node = new GraphQLInterfaceType({
    name: 'Node',
    fields: { echo: { type: GraphQLString, args } },
    resolveType: random.chance(0.5) ? (careless('resolveType', async () => (await turn(), 'Item')) as never) : (undefined as never),
  });
  const Item: GraphQLObjectType = new GraphQLObjectType({
    name: 'Item',
    interfaces: [Node],
    isTypeOf: random.pick([undefined, careless('isTypeOf', () => true), careless('isTypeOf', async () => (await turn(), true))]) as never,
    extensions,
    fields: () => ({
      echo: { type: GraphQLString, args, resolve: echo },
      method: { type: GraphQLString, args },
      any: { type: Any, args, resolve: careless('any', (_, values) => values) },
      item: { type: Item, resolve: careless('item', () => row()) },
    }),
  });
  class Row {
    __typename = 'Item';
    method = careless('method', (values) => JSON.stringify(values));
  }
  const row = (): object => (random.chance(0.5) ? new Row() : { __typename: 'Item', method: careless('method', () => caller()) });
  const read =
    (path: string) =>
    async (_: unknown, __: unknown, { dataSources }: any) =>
      dataSources.api.read(path);
  const Query = new GraphQLObjectType({
    name: 'Query',
    fields: {
      me: { type: GraphQLString, resolve: async () => (await turn(), caller()) },
      echo: { type: GraphQLString, args, resolve: echo },
      root: { type: Any, args },
      nodes: { type: new GraphQLList(Node), args, resolve: careless('nodes', () => [row(), turn().then(row)]) as never },
      item: { type: Item, resolve: careless('item', () => row()) },
      public: { type: Any, resolve: read('public') },
      own: { type: Any, resolve: read('own') },
      broken: { type: Any, resolve: read('broken') },
      refused: { type: Any, resolve: read('refused') },
    },
  });
  const Subscription = new GraphQLObjectType({
    name: 'Subscription',
    fields: {
      ticks: {
        type: Any,
        args,
        subscribe: careless('subscribe', async function* (_: unknown, values: unknown) { yield { ticks: values }; await turn(); yield { ticks: caller() }; }), // prettier-ignore
        resolve: careless('ticks', (parent) => parent.ticks),
      },
    },
  });
  const rootMethod = careless('root', (values: unknown) => values);
  const cache = new InMemoryLRUCache();
  const isEdge = random.chance(0.5);
  return {
    schema: new GraphQLSchema({ query: Query, subscription: Subscription, types: [Item] }),
    nodeEnv: random.pick(['', 'development', 'test', 'production']),
    logger: Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, (...given: unknown[]) => witness.sees(`logger.${level}`, given)])), // prettier-ignore
    cache,
    incrementalDelivery: incrementalDelivery(),
    rootValue: random.pick<unknown>([{ root: rootMethod }, () => ({ root: rootMethod }), { root: { shared: 1 } }]),
    context: careless('context', async ({ event, signal }) => (witness.sees('event', event), witness.sees('signal', signal), { user: caller(), made: { list: [] } }), false), // prettier-ignore
    dataSources: () => ({ api: new API() }),
    formatError: careless('formatError', (formatted, error) => (Object.assign(error.extensions, { to: caller() }), Object.assign(formatted.extensions ?? {}, { of: caller() }), formatted), false), // prettier-ignore
    maskErrors: random.chance(0.5),
    plugins: [
      ...(random.chance(0.5) ? [openTelemetry()] : []),
      ...(random.chance(0.5) ? [costLine({ write: careless('costLine', () => undefined, false) as never })] : []),
      ...(isEdge ? [edge({ store: cache, deploy: '1', defaultMaxAge: 60 })] : []),
      {
        position: random.pick(['first', undefined]),
        operation: careless('operation', async (_call, next) => { const outcome = await next(); witness.sees('outcome', outcome); return outcome; }, false), // prettier-ignore
        request: after(careless('request', (call, response) => (witness.sees('sent', [call, response]), undefined), false)),
        sourceCall: careless('sourceCall', () => careless('dataSourceCallDidEnd', () => undefined, false) as never, false), // prettier-ignore
      } as never,
    ],
  } as unknown as ServerOptions;
}

const queries = [
  '{ me echo root nodes { echo } }',
  '{ echo(filter: {}, filters: [{}, { inner: {} }], level: HIGH) item { method any echo(filter: { any: { x: [1] } }) } }',
  'query ($f: Filter, $l: [Filter!], $a: Any) { echo(filter: $f, filters: $l, any: $a) nodes(filter: $f) { echo(any: $a) ... on Item { method(filter: $f) item { any(filters: $l) } } } }',
  'query ($f: Filter = { list: ["v"], inner: {} }, $a: Any = { v: [1] }, $level: Level = LOW) { echo(filter: $f, any: $a, level: $level) root(filter: $f, any: [$a]) item { any(filter: { level: $level, any: $a }) } }',
  '{ public own again: public }',
  '{ broken refused own }',
  '{ item { ... @defer { any echo item { ... @defer { method } } } } nodes @stream(initialCount: 1) { echo } }',
  'subscription ($f: Filter = { list: ["s"] }) { ticks(filter: $f, level: LOW) }',
  '{ echo(level: NONE) }',
  '{ nodes { echo(filter: 7) } }',
  'query ($f: Filter!) { echo(filter: $f) }',
];
const accepts = ['application/json', '*/*', 'text/event-stream', 'multipart/mixed, application/json'];

function requestOf(random: Random, user: string): PlainRequest {
  const operation = (): object => ({
    query: random.pick(queries),
    variables: random.pick<object | undefined>([undefined, {}, { f: {}, l: [{}], a: {} }, { f: { list: [user], any: { of: [user] } }, a: [user], level: 'HIGH' }, { f: 7 }]), // prettier-ignore
  });
  const headers: [string, string][] = [['x-user', user], ['accept', random.pick(accepts)], ['vendor-require-preflight', '1'], ['content-type', 'application/json']]; // prettier-ignore
  if (random.chance(0.25)) {
    const { query, variables } = operation() as { query: string; variables?: object };
    const parameters = { query, ...(variables && { variables: JSON.stringify(variables) }) };
    return plainRequest({ query: new URLSearchParams(parameters).toString(), headers: headers.slice(0, 3) });
  }
  return plainRequest({ method: 'POST', body: JSON.stringify(random.chance(0.25) ? [operation(), operation()] : operation()), headers });
}

for (const [place, door] of frontDoors.filter(({ name }) => name !== 'node:http').entries()) {
  test(`with a schema of classes, data sources and every extension, calls share no object and no string (${door.name})`, async (t) => {
    t.mock.method(globalThis, 'fetch', respond);
    for (let round = 0; round < rounds; round++) {
      const random = createRandom(seed * 10_000 + place * 100 + round);
      const witness = new Witness();
      let logger: unknown;
      const served = serverWith(witness, random);
      const tell = { serverWillStart: (start: { logger: unknown }) => void ({ logger } = start) };
      const options = { ...served, plugins: [...(served.plugins ?? []), tell] } as ServerOptions;
      const open = door.open(options);
      try {
        await open.send(plainRequest({ method: 'POST', body: '{"query":"{ __typename }"}', headers: [['content-type', 'application/json']] })); // prettier-ignore
        const ofSchema = reachableFrom(defaults, new Set([Object.prototype, Array.prototype]));
        witness.knows([options.schema, options, options.cache, logger], ofSchema);

        const sent = newUsers(30).map((user) => ({ user, request: requestOf(random, user) }));
        const { mixed } = await sendTogether(sent, (request) => open.send(request));

        assert.deepEqual([...witness.problems, ...mixed].slice(0, 5), [], `seed ${seed}, round ${round}`);
        assert.ok(!JSON.stringify(defaults).includes('user-'), 'a default of the schema was written into');
      } finally {
        await open.close();
      }
    }
  });
}
