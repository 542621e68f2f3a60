import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { buildSchema } from 'graphql';
import { Keyv } from 'keyv';

import { budget, memoryStore, redisStore } from '../../../src/entries/budget.ts';
import { compression } from '../../../src/entries/compression.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import {
  d1Store,
  durableObjectStore,
  dynamoDBStore,
  idempotency,
  netlifyBlobsStore,
  postgresStore,
} from '../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { landingPage } from '../../../src/entries/landing-page.ts';
import { limits } from '../../../src/entries/limits.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { rest } from '../../../src/entries/rest.ts';
import { inlineTraces, subgraph } from '../../../src/entries/subgraph.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { linkTo } from './subgraph/serving.ts';

const extensions: Readonly<Record<string, (options?: any) => any>> = {
  budget,
  compression,
  costLine,
  edge,
  idempotency,
  incrementalDelivery,
  inlineTraces,
  landingPage,
  limits,
  mcp,
  memoryStore,
  openTelemetry,
  rest,
  subgraph,
};

const method = (): void => {};
const everyone = (): string => 'everyone';
const typeDefs =
  'type Query { books(first: Int): [Book!]! single(first: Int): Book } interface Named { books(first: Int): [Book] } type Book { title: String }';
const key = 'type User @key(fields: "id") { id: ID! }';

/** Options that an extension accepts. */
const right: Readonly<Record<string, object>> = {
  budget: { store: memoryStore(), identity: everyone, capacity: 10, refillPerSecond: 1 },
  edge: { cdn: 'varnish' },
  idempotency: { store: memoryStore(), identity: everyone },
  mcp: { name: 'shop', version: '1' },
  subgraph: { typeDefs },
};

const pages = { default: 20, max: 100 };
const pageLimits = (more: object): object => ({ pageLimits: { ...pages, ...more } });
const plan = { capacity: 1, refillPerSecond: 1 };
const authorization = { resource: 'https://shop.example/mcp', authorizationServers: ['https://login.example'] };
const router = (routerSecret: unknown): object => ({ routerSecret });

/** What is changed in these options, and what the refusal says. */
const wrong: Readonly<Record<string, readonly (readonly [change: object, message: RegExp])[]>> = {
  budget: [
    [{ store: undefined }, /store of budget to have take, such as redisStore\(…\), got undefined/],
    [{ store: { getWithMetadata: method, setJSON: method } }, /got Netlify Blobs\. Use netlifyBlobsStore/],
    [{ store: netlifyBlobsStore({ getWithMetadata: method, setJSON: method } as never) }, /one that cannot take points/],
    [{ store: { limit: method } }, /binding ratelimit, which counts calls, not points\. Use durableObjectStore/],
    [{ identity: undefined }, /identity of budget to be a function such as .*, got undefined/],
    [{ capacity: undefined }, /capacity of budget to be a finite number above 0, or a function .*, got undefined/],
    [{ capacity: 0 }, /got 0/],
    [{ capacity: '10' }, /got "10"/],
    [{ refillPerSecond: 0 }, /refillPerSecond of budget to be a finite number above 0, or a function .*, got 0/],
    [{ capacity: 1e9 }, /refill within a year, got 1000000000 points at 1 per second/],
    [{ store: redisStore(async () => '') }, /whenStoreFails of budget to be 'allow' .* or 'refuse' .*, got undefined/],
    [{ whenStoreFails: 'ignore' }, /got "ignore"/],
    [{ anonymous: 5 }, /anonymous of budget to be \{ capacity, refillPerSecond \}, got/],
    [{ anonymous: { ...plan, capacity: () => 1 } }, /got a function/],
    [{ clientAddress: 'x-real-ip', anonymous: plan }, /clientAddress of budget to be a function, got "x-real-ip"/],
    [{ clientAddress: everyone }, /Expected anonymous of budget with clientAddress/],
    [{ storeTimeout: 0 }, /storeTimeout of budget to be milliseconds, at most 60000, got 0/],
    [{ cost: { listSize: 5 } }, /Unknown option "cost" of budget/],
  ],
  compression: [
    // Would turn off the protection against BREACH.
    [{ withCookies: 'no' }, /^Expected the option withCookies of compression to be true or false, got "no"\.$/],
    [{ restAPI: 'false' }, /^Expected the option restAPI of compression to be true or false, got "false"\.$/],
  ],
  costLine: [
    [{ format: 'xml' }, /^Expected the option format of costLine to be "json" or "emf", got "xml"\.$/],
    [{ namespace: 5 }, /^Expected the option namespace of costLine to be a string, got 5\.$/],
    [{ write: 'log' }, /^Expected the option write of costLine to be a function, got "log"\.$/],
    [{ formatt: 'emf' }, /^Unknown option "formatt" of costLine\. Did you mean "format"\?$/],
  ],
  edge: [
    [{ cdn: 'akamai' }, /cdn of edge to be one of netlify, .*, got "akamai"/],
    [{ varyHeaders: ['Authorization'] }, /varyHeaders of edge .* do not identify the user/],
    [{ varyHeaders: ['a b'] }, /varyHeaders of edge/],
    [{ ignoredHeaders: ['cookie'] }, /ignoredHeaders of edge .* do not identify the user/],
    [{ defaultMaxAge: -1 }, /defaultMaxAge of edge/],
    [{ deploy: 'a,b' }, /deploy of edge to be letters/],
    [{ cdn: 'rfc9213', purge: method }, /no purge option with cdn "rfc9213", which has no tags/],
    [{ cdn: undefined, store: new Map(), deploy: '1', purge: method }, /no purge option without a cdn/],
    [{ store: new Map() }, /edge with a store to have deploy/],
    [{ store: {}, deploy: '1' }, /store of edge to be an object with get, set and delete, such as new KeyvAdapter\(keyv\), got an object/],
    [{ store: new Keyv(), deploy: '1' }, /such as new KeyvAdapter\(keyv\), got a Keyv\.$/],
    [{ cdn: undefined }, /cdn of edge .*, got undefined\. Without a CDN, give it a store/],
  ],
  idempotency: [
    [{ store: undefined }, /claim, finish, release.*got undefined/],
    [{ store: new Map() }, /got a client, or a KeyValueCache, which is not atomic/],
    [{ store: { get: method, getWithMetadata: method } }, /got Workers KV.*conditional writes/],
    [{ store: { get: method, replace: method } }, /got memcached.*evicts/],
    [{ identity: undefined }, /identity .* 'everyone', got undefined/],
    [{ identity: 'everyone' }, /to be a function/],
    [{ afterCrash: 'rerun' }, /'refuse' or 'run again'/],
    [{ ttl: -1 }, /ttl .* above 0 and at most 31536000, got -1/],
    [{ ttl: Infinity }, /ttl .* at most 31536000, got Infinity/],
    [{ ttl: Number.NaN }, /ttl .* above 0/],
    [{ ttl: 60, lease: 60 }, /ttl of idempotency to be longer than lease, got 60 and 60 seconds/],
    [{ lease: 172_800 }, /lease .* at most 86400/],
    [{ storeTimeout: 3_600_000 }, /storeTimeout .* at most 60000/],
    [{ required: 'charge' }, /required .* true, false or a list of mutations, got "charge"/],
  ],
  incrementalDelivery: [[{ maxParts: '5' }, /^Expected the option maxParts of incrementalDelivery to be 0 or more, got "5"\.$/]],
  inlineTraces: [[{ includeErrors: {} }, /includeErrors of inlineTraces to be \{ masked: true \}/]],
  landingPage: [[{ embeded: false }, /^Unknown option "embeded" of landingPage\. Did you mean "embedded"\?$/]],
  limits: [
    ...[{ maxCost: 0 }, { maxCost: -1 }, { maxCost: 1.5 }, { maxCost: { limit: 5 } }, { maxDepth: Infinity }, { maxAliases: -1 }].map(
      (change) => [change, /^Expected the option max\w+ of limits to be a .*whole number/] as const,
    ),
    [{ listSize: 0 }, /listSize of limits/],
    [{ sizeArguments: 'first' }, /sizeArguments of limits to be a list/],
    [{ fields: { a: '1' } }, /fields of limits to be an object/],
    ...['Book.nothing', 'Nothing.title', 'title'].map(
      (name) => [{ fields: { [name]: 2 } }, /fields of limits to name fields of the schema/] as const,
    ),
    [{ maxcost: 5 }, /^Unknown option "maxcost" of limits\. Did you mean "maxCost"\?/],
    [pageLimits({ default: 200 }), /pageLimits to have a default of at most its max, 100, got 200/],
    [pageLimits({ default: '20' }), /pageLimits\.default of limits to be a positive whole number, got "20"/],
    [pageLimits({ max: Infinity }), /pageLimits\.max of limits to be a positive whole number, got Infinity/],
    [{ pageLimits: true }, /pageLimits of limits to be an object with default and max, like \{ default: .*, got true/],
    [pageLimits({ maximum: 5 }), /Unknown option "pageLimits\.maximum" of limits\. Known options: default, max, fields/],
    [pageLimits({ fields: { 'Query.books': 5 } }), /pageLimits\.fields\["Query\.books"\] of limits to be an object like /],
    [pageLimits({ fields: { 'Query.books': { max: 'all' } } }), /fields\["Query\.books"\]\.max .* whole number, got "all"/],
    [pageLimits({ fields: { 'Query.books': { max: 10 } } }), /fields\["Query\.books"\] to have a default of at most its max, 10, got 20/],
    ...['Query.bookz', 'Named.books', 'books'].map(
      (name) =>
        [pageLimits({ fields: { [name]: { max: 50 } } }), new RegExp(`"${name}", which is no field of an object of the schema`)] as const,
    ),
    [pageLimits({ fields: { 'Query.single': { max: 50 } } }), /"Query\.single", which returns no list/],
  ],
  mcp: [
    [{ maxBodyBytes: Number.NaN }, /maxBodyBytes of mcp to be a positive whole number, got NaN/],
    [{ instructions: 5 }, /^Expected the option instructions of mcp to be a string, got 5\.$/],
    [{ tools: ['x'] }, /^Expected the option tools of mcp to be an object like \{ find_books: \{ document: id \} \}, got \["x"\]\.$/],
    [{ tools: { x: {} } }, /^Expected the option tools\.x\.document of mcp to be the id of a trusted document, got undefined\.$/],
    [{ tools: { x: { document: 'a', readonly: true } } }, /^Unknown option "tools\.x\.readonly" of mcp\. Did you mean "readOnly"\?$/],
    [{ scalars: 'x' }, /^Expected the option scalars of mcp to be an object like \{ Date: \{ type: 'string' \} \}, got "x"\.$/],
    [{ scalars: { Date: 'string' } }, /^Expected the option scalars\.Date of mcp to be a JSON Schema, got "string"\.$/],
    [
      { origins: 'https://a.example' },
      /^Expected the option origins of mcp to be .*'https:\/\/app\.example\.com'.*, got "https:\/\/a\.example"\.$/,
    ],
    [{ authorization: true }, /^Expected the option authorization of mcp to be \{ resource, authorizationServers \}, got true\.$/],
    [{ authorization: { ...authorization, scope: ['a'] } }, /^Unknown option "authorization\.scope" of mcp\. Did you mean "scopes"\?$/],
    [{ hidden: { tenant: '2' } }, /hidden\.tenant of mcp to be a function/],
    [{ version: '' }, /version of mcp to be a string that is not empty/],
    [{ path: 'mcp' }, /path of mcp to be the end of a path/],
    [{ origins: ['https://app.example/'] }, /origins of mcp to be .*, got \["https:\/\/app\.example\/"\]/],
    [{ tools: { 'a.b': { document: 'a' } } }, /The tool of mcp needs a name of 1 to 64 letters/],
    [{ authorization: { ...authorization, resource: 'https://shop.example/?a' } }, /resource of mcp to be a URL without query/],
    [{ authorization: { ...authorization, authorizationServers: [] } }, /authorizationServers of mcp to be a list/],
    [{ authorization: { ...authorization, scopes: ['a b'] } }, /scopes of mcp to be a list of scope names/],
  ],
  openTelemetry: [
    [{ document: 'no' }, /^Expected the option document of openTelemetry to be true or false, got "no"\.$/],
    [{ tracerProvider: {} }, /^Expected the option tracerProvider of openTelemetry to be an object with getTracer, got an object\.$/],
  ],
  subgraph: [
    [{ typeDefs: `${linkTo('v2.9', '@key')}${linkTo('v2.8', '@tag')}${typeDefs} ${key}` }, /got ".*v2\.9" and ".*v2\.8"\. Remove one/],
    [{ typeDefs: `\n${linkTo('v2.16', '@key')}${typeDefs}` }, /got "https:\/\/specs\.apollo\.dev\/federation\/v2\.16"/],
    [{ typeDefs: `${linkTo('v2.15.0')}${typeDefs}` }, /got ".*v2\.15\.0"/],
    [{ typeDefs: `${linkTo('v3.0')}${typeDefs}` }, /got ".*v3\.0"/],
    [{ typeDefs: `${linkTo('v2.9', '@key')} ${typeDefs} type A @shareable { b: Int }` }, /Unknown directive "@shareable"/],
    [{ resolvers: { Book: { __resolveReference: 'x' } } }, /resolvers\.Book\.__resolveReference takes a function, got a string/],
    [{ schema: buildSchema(typeDefs) }, /expects `typeDefs` with `resolvers`, got a `schema`/],
    [{ typeDefs: undefined, resolvers: {} }, /got neither/],
    [{ traces: inlineTraces(), executor: graphqlJSExecutor() }, /without `executor`, or without `traces`/],
    [{ traces: true }, /traces of subgraph to be inlineTraces\(\), got true/],
    [router({ secrets: ['a'] }), /secrets to be a function that returns a list of secrets, got an array of 1/],
    [router({ secrets: () => 'secret' }), /got "string"/],
    [router({ secrets: () => [] }), /got an array of 0/],
    [router({ secrets: () => ['secret', ''] }), /to return secrets that are not empty, .* got an array of/],
    [router({ secrets: () => [undefined] }), /to return secrets that are not empty, .* got an array of 1\. Is the variable set\?$/],
    [
      router({ headers: 'x-secret', secrets: () => ['secret'] }),
      /Unknown option "routerSecret\.headers" of subgraph\. Did you mean "header"\?/,
    ],
    [router('secret'), /secrets to be a function that returns a list of secrets, got undefined/],
    [router({ header: 'a b', secrets: () => ['secret'] }), /routerSecret\.header of subgraph to be the name of a header field, got "a b"/],
  ],
};

function messageFrom(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'Nothing was refused.';
}

/** Starts a server with an extension. Some options are compared with its schema. */
function start(name: string, options: object): void {
  const extension = extensions[name]!(options);
  const server = { typeDefs, nodeEnv: 'test', logger: recordingLogger()[0] };
  if (name === 'subgraph') createHandler({ ...server, ...extension });
  if (name === 'limits') createHandler({ ...server, plugins: [extension] });
}

for (const [name, create] of Object.entries(extensions))
  describe(`${name} refuses options that would not do what they say:`, () => {
    for (const [change, message] of wrong[name] ?? [])
      test(inspect(change, { breakLength: Infinity }).slice(0, 150), () => {
        assert.throws(
          () => start(name, { ...right[name], ...change }),
          (error: Error) => {
            assert.match(error.message, message);
            // This message is logged.
            return !error.message.includes('"secret"');
          },
        );
      });

    if (name !== 'subgraph')
      test('an option that does not exist', () => {
        assert.throws(() => create({ colour: 1 }), new RegExp(`^TypeError: Unknown option "colour" of ${name}\\. Known options: `));
      });

    test('each option, if its value has no type that an option has', () => {
      const known = /Known options: (.*)\./.exec(messageFrom(() => create({ colour: 1 })))?.[1]?.split(', ') ?? ['routerSecret', 'traces'];

      for (const option of known) {
        const change = { [option]: Symbol(option) };
        assert.match(
          messageFrom(() => start(name, { ...right[name], ...change })),
          new RegExp(`${option}\\b.* got Symbol|routerSecret`),
        );
      }
    });

    test('options that are no object', () => {
      for (const options of ['x', null])
        assert.match(
          messageFrom(() => create(options)),
          new RegExp(`\\b${name}\\b`),
        );
    });

    if (name in right)
      test('no options, like {}', () => {
        assert.throws(
          () => create(),
          (error: Error) => {
            assert.match(error.message, new RegExp(`\\b${name}\\b`));
            assert.throws(() => create({}), { message: error.message });
            return true;
          },
        );
      });
  });

test('limits() without options names them', () => {
  const message = /^Expected the options of limits to be an object with maxDepth, .*, pageLimits, got undefined\.$/;

  assert.throws(() => (limits as () => unknown)(), { message });
});

describe('a server', () => {
  test('refuses options of limits, and names the extension', () => {
    const options = { typeDefs, maxCost: 5 } as object;

    assert.throws(() => createHandler(options), /Unknown option "maxCost"\. Write plugins: \[limits\(\{ maxCost \}\)\]/);
  });

  test('refuses pageLimits with graphql-js', () => {
    const options = { typeDefs, plugins: [limits({ pageLimits: pages })], executor: graphqlJSExecutor() };

    assert.throws(() => createHandler(options), /graphqlJSExecutor\(\) without the option `pageLimits` of limits\(\)/);
  });

  for (const name of ['budget', 'idempotency', 'mcp'])
    test(`refuses ${name}() twice, but not one for each of two servers`, () => {
      const plugin = (): never => extensions[name]!(right[name]) as never;
      const create = (...plugins: never[]): unknown => createHandler({ nodeEnv: 'test', typeDefs, plugins, logger: recordingLogger()[0] });

      assert.throws(() => create(plugin(), plugin()), { message: `Expected ${name}() once in plugins, got it twice.` });
      create(plugin());
      create(plugin());
    });

  /** The status of the first answer, and what is logged. */
  const startOf = async (plugin: unknown, nodeEnv: string): Promise<string> => {
    const [logger, lines] = recordingLogger();
    const handler = createHandler({ typeDefs, logger, nodeEnv, plugins: [plugin as never] });
    const { status } = await handler(new Request('https://a.example/?query={__typename}'));
    return `${status} ${lines.map(({ message, details }) => `${message} ${String(details[0])}`).join(' ')}`;
  };

  for (const name of ['budget', 'idempotency'])
    test(`with memoryStore() in ${name}() is refused by createHandler in production, unless there is only one process`, async () => {
      const only = { ...right[name], store: memoryStore({ isOnlyProcess: true }) };

      await assert.rejects(startOf(extensions[name]!(right[name]), 'production'), /a shared store in production, got memoryStore\(\)/);
      assert.match(await startOf(extensions[name]!(only), 'production'), /^200/);
    });

  for (const name of ['budget', 'edge'])
    test(`does not start with an instance of ${name}() that serves another handler`, async () => {
      const plugin = extensions[name]!(right[name]);

      assert.match(await startOf(plugin, 'test'), /^200/);
      assert.match(await startOf(plugin, 'test'), new RegExp(`^500 .*Expected a separate ${name}\\(\\) for each handler`));
    });
});

describe('stores refuse clients that they cannot use:', () => {
  const stores: Readonly<Record<string, [create: () => unknown, message: RegExp]>> = {
    redisStore: [() => redisStore({ eval: method } as never), /client\.eval/],
    postgresStore: [() => postgresStore('postgres://' as never), /method query/],
    d1Store: [() => d1Store(undefined as never), /method prepare/],
    dynamoDBStore: [() => dynamoDBStore({ client: { send: method }, table: 't' } as never), /class DynamoDB/],
    durableObjectStore: [() => durableObjectStore({} as never), /binding/],
    netlifyBlobsStore: [() => netlifyBlobsStore({ get: method, set: method } as never), /getStore/],
  };
  for (const [name, [create, message]] of Object.entries(stores)) test(name, () => assert.throws(create, message));
});
