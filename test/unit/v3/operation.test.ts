import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, parse, versionInfo } from 'graphql';
import type { DocumentNode } from 'graphql';

import { cacheControlDefinitions } from '../../../src/entries/edge.ts';
import * as core from '../../../src/entries/v3/core.ts';
import { ApolloServerBase, ApolloServerPluginCacheControl } from '../../../src/entries/v3/core.ts';
import type {
  ApolloServerPlugin,
  CacheHint,
  GraphQLRequestListenerExecutionDidEnd,
  GraphQLRequestListenerParsingDidEnd,
  GraphQLRequestListenerValidationDidEnd,
} from '../../../src/entries/v3/core.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';
import type { GraphQLOptions } from '../../../src/entries/v3.ts';
import { listening, sender, serve, silent } from '../../support/v3-server.ts';

const typeDefs = 'type Query { hello: String boom: String list: [Item] } type Item { id: ID }';
const resolvers = {
  Query: {
    hello: () => 'world',
    boom() {
      throw new Error('It went off');
    },
    list: async () => [{ id: 1 }, { id: 2 }],
  },
};

function serverWith(config: object = {}): ApolloServerBase {
  return new ApolloServerBase({ typeDefs, resolvers, logger: silent, ...config });
}

test('executeOperation starts the server, and accepts strings and documents', async () => {
  const server = serverWith({ context: (argument: object) => argument });

  const text = await server.executeOperation({ query: '{ hello }' });
  const document = await server.executeOperation({ query: parse('{ hello }') });

  deepEqual([text.data?.['hello'], document.data?.['hello']], ['world', 'world']);
  ok(text.http?.headers);
});

test('executeOperation rejects when the context function fails', async () => {
  const server = serverWith({ context: () => Promise.reject(new Error('No context')) });

  await rejects(server.executeOperation({ query: '{ hello }' }), /^Error: No context$/);
});

test('start and stop run once each, and call the plugins', async () => {
  const told: string[] = [];
  const server = serverWith({
    plugins: [
      {
        serverWillStart: async () => ({
          schemaDidLoadOrUpdate: () => told.push('schema'),
          drainServer: async () => void told.push('drain'),
          serverWillStop: async () => void told.push('stop'),
        }),
      },
    ],
  });

  await rejects(async () => server.stop(), /should only be called after/);
  await server.start();
  await rejects(server.start(), /surprising state started/);
  await server.stop();

  deepEqual(told, ['schema', 'drain', 'stop']);
  await rejects(server.executeOperation({ query: '{ hello }' }), /after the server has stopped/);
});

for (const [nodeEnv, debug, isShown] of [
  ['development', undefined, false],
  ['development', true, true],
  ['test', true, true],
  ['production', true, false],
] as const) {
  test(`executeOperation shows a stack only with debug: ${nodeEnv}, ${debug}`, async () => {
    const server = serverWith({ nodeEnv, ...(debug !== undefined && { debug }) });

    const { errors } = await server.executeOperation({ query: '{ boom }' });

    equal(JSON.stringify(errors).includes('stacktrace'), isShown);
  });
}

test('a formatError that returns nothing turns the error into null', async () => {
  const server = serverWith({ formatError: () => undefined as never });

  const { errors } = await server.executeOperation({ query: '{ boom }' });

  deepEqual(JSON.parse(JSON.stringify(errors)), [null]);
});

test('an invalid cache and a missing plugin are refused by name', () => {
  throws(
    () => serverWith({ cache: 'unbounded' as never }),
    /^TypeError: The option cache takes "bounded" or an object .*, not "unbounded"/,
  );
  throws(() => serverWith({ plugins: [{}, undefined as never] }), /^TypeError: plugins\[1\] is undefined, not a plugin/);
});

test('the hooks of an operation run in order, and see what is known by then', async () => {
  const seen: string[] = [];
  const end =
    (name: string) =>
    (error?: unknown): void =>
      void seen.push(`/${name}${error ? ' failed' : ''}`);
  const executed: GraphQLRequestListenerExecutionDidEnd = end('execution');
  const parsed: GraphQLRequestListenerParsingDidEnd = end('parsing');
  const validated: GraphQLRequestListenerValidationDidEnd = end('validation');
  const plugin = (): ApolloServerPlugin => ({
    async requestDidStart({ request, cache, schemaHash }) {
      seen.push(`request ${request.operationName} ${typeof cache.get} ${schemaHash.length}`);
      return {
        didResolveSource: async ({ source, queryHash }) => void seen.push(`source ${source.length} ${queryHash.length}`),
        parsingDidStart: async () => (seen.push('parsing'), parsed),
        validationDidStart: async ({ document }) => (seen.push(`validation ${document.kind}`), validated),
        didResolveOperation: async ({ operationName, operation }) => void seen.push(`operation ${operationName} ${operation.operation}`),
        responseForOperation: async () => null,
        executionDidStart: async () => ({
          willResolveField: ({ info }) => (seen.push(`field ${info.fieldName}`), end(info.fieldName)),
          executionDidEnd: executed,
        }),
        didEncounterErrors: async ({ errors }) => void seen.push(`errors ${errors.length}`),
        willSendResponse: async ({ response }) => void seen.push(`send ${Object.keys(response.data ?? {})}`),
      };
    },
  });

  await serverWith({ plugins: [plugin] }).executeOperation({ query: 'query Q { hello boom }', operationName: 'Q' });

  deepEqual(seen, [
    'request Q function 128',
    'source 22 64',
    'parsing',
    '/parsing',
    'validation Document',
    '/validation',
    'operation Q query',
    'field hello',
    '/hello',
    'field boom',
    '/boom failed',
    'errors 1',
    '/execution',
    'send hello,boom',
  ]);
});

test('willResolveField sees every field, of lists and of abstract types too, also after an operation ran without it', async () => {
  const fields: string[] = [];
  let isWatching = false;
  const plugin = listening({
    executionDidStart: async () =>
      isWatching ? { willResolveField: ({ info }) => void fields.push(`${info.parentType.name}.${info.fieldName}`) } : undefined,
  });
  const server = serverWith({
    typeDefs: 'interface Node { id: ID } type A implements Node { id: ID } type B implements Node { id: ID } type Query { nodes: [Node] }',
    resolvers: { Query: { nodes: () => ['A', 'B'].map((__typename) => ({ __typename, id: 1 })) } },
    plugins: [plugin],
  });

  await server.executeOperation({ query: '{ nodes { id } }' });
  isWatching = true;
  await server.executeOperation({ query: '{ nodes { id } }' });

  deepEqual(fields, ['Query.nodes', 'A.id', 'B.id']);
});

test('with willResolveField, a lazy thenable of a resolver is started once, alone and in a list', async () => {
  let inserts = 0;
  // As the queries of Drizzle: each call of `then` runs the query.
  // oxlint-disable-next-line unicorn/no-thenable -- the test needs a thenable
  const insert = () => ({ then: (resolve: (id: number) => void) => resolve(++inserts) });
  const ended: unknown[] = [];
  const plugin = listening({
    executionDidStart: async () => ({ willResolveField: () => (_error: unknown, result: unknown) => void ended.push(result) }),
  });
  const server = serverWith({
    typeDefs: 'type Query { one: Int all: [Int] }',
    resolvers: { Query: { one: insert, all: () => [insert(), insert()] } },
    plugins: [plugin],
  });

  const { data } = await server.executeOperation({ query: '{ one all }' });

  deepEqual([inserts, ended], [3, [1, [2, 3]]]);
  deepEqual({ ...data }, { one: 1, all: [2, 3] });
});

test('end callbacks run in reverse order of the plugins, and are awaited before the next hook', async () => {
  const seen: string[] = [];
  const plugin = (name: string): ApolloServerPlugin =>
    listening({
      parsingDidStart: async () => async () => {
        seen.push(`${name} ends`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} has ended`);
      },
      validationDidStart: async () => void seen.push(`${name} validates`),
    });

  await serverWith({ plugins: [plugin('a'), plugin('b')] }).executeOperation({ query: '{ hello }' });

  deepEqual(seen, ['b ends', 'a ends', 'b has ended', 'a has ended', 'a validates', 'b validates']);
});

test('the first response of responseForOperation is used, and later changes do not affect the plugin’s copy', async () => {
  const kept = { data: { hello: 'kept', list: [{ id: 1 }] } };
  let later = 0;
  const answers = [() => null, () => kept, () => (later++, null)];
  const server = serverWith({ plugins: answers.map((answer) => listening({ responseForOperation: async () => answer() })) });

  const { data } = await server.executeOperation({ query: '{ hello }' });
  data!['list'][0].id = 2;

  deepEqual([(await server.executeOperation({ query: '{ hello }' })).data, later], [kept.data, 0]);
  equal(kept.data.list[0]!.id, 1);
});

test('an error thrown by a validation rule is a server error, and is formatted once', async () => {
  let formatted = 0;
  const send = serve({
    validationRules: [
      () => {
        throw new Error('nope');
      },
    ],
    formatError: (error) => {
      formatted++;
      equal(error.constructor.name, 'Error');
      return error;
    },
  });

  const answer = await send({ body: { query: '{ hello }' } });

  deepEqual([answer.status, answer.body.errors[0].message, formatted], [500, 'nope', 1]);
});

test('formatError sees the stack as in version 3 if NODE_ENV is unset; clients do not', async () => {
  const seen: unknown[] = [];
  const formatError = (error: any): any => {
    seen.push(error.extensions.exception?.stacktrace?.[0]);
    return error;
  };

  const unset = await serve({ nodeEnv: 'staging', formatError })({ body: { query: '{ boom }' } });
  const production = await serve({ nodeEnv: 'production', formatError })({ body: { query: '{ boom }' } });

  deepEqual(seen, ['Error: It went off', undefined]);
  for (const { body } of [unset, production]) {
    const [error] = body.errors;
    deepEqual([error.message, error.path, error.extensions], ['It went off', ['boom'], { code: 'INTERNAL_SERVER_ERROR' }]);
  }
});

test('data sources are created for every operation, get context and cache, and must not be on the context already', async () => {
  const given: object[] = [];
  const dataSources = (): any => ({ things: { initialize: (config: object) => void given.push(config) } });
  const server = serverWith({ dataSources, context: () => ({ user: 'u' }) });

  await server.executeOperation({ query: '{ hello }' });
  await server.executeOperation({ query: '{ hello }' });

  equal(given.length, 2);
  deepEqual(Object.keys(given[0]!), ['context', 'cache']);
  await rejects(
    serverWith({ dataSources, context: () => ({ dataSources: {} }) }).executeOperation({ query: '{ hello }' }),
    /Please use the dataSources config option/,
  );
});

test('a custom document store is read by hash, with a prefix for the schema', async () => {
  const kept = new Map<string, DocumentNode>();
  const documentStore = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, document: DocumentNode) => void kept.set(key, document),
  };
  const server = serverWith({ documentStore });

  await server.executeOperation({ query: '{ hello }' });
  await server.executeOperation({ query: '{ hello }' });

  const [key = ''] = kept.keys();
  equal(kept.size, 1);
  match(key, /^[^:]+:[0-9a-f]{64}$/);
});

test('a stored document whose fragments have variables is refused', { skip: versionInfo.major < 17 }, async () => {
  const text = '{ ...F(a: 1) } fragment F($a: Int) on Query { echo(a: $a) }';
  const document = parse(text, { experimentalFragmentArguments: true });
  const documentStore = { get: async () => document, set: async () => {} };
  const echo = (_: unknown, { a }: { a: number }): number => a;
  const server = serverWith({ documentStore, typeDefs: 'type Query { echo(a: Int): Int }', resolvers: { Query: { echo } } });

  const { errors } = await server.executeOperation({ query: '{ echo }' });

  match(errors![0]!.message, /^Variables of fragments are not supported, and the fragment "F" has some\./);
});

test('the lifetime of a response is the shortest of its hints', async () => {
  const hints = new Map<string, CacheHint>();
  const send = serve({
    typeDefs: `${cacheControlDefinitions}
      type Query { book: Book @cacheControl(maxAge: 100) plain: String kept: String @cacheControl(maxAge: 50) }
      type Book @cacheControl(maxAge: 60) { title: String secret: String @cacheControl(scope: PRIVATE) author: Author near: Author @cacheControl(inheritMaxAge: true) }
      type Author { name: String }`,
    resolvers: {
      Query: {
        book: (_: unknown, __: unknown, ___: unknown, info: any) => {
          info.cacheControl.cacheHint.restrict({ maxAge: 70 });
          return { title: 't', secret: 's', author: { name: 'a' }, near: { name: 'n' } };
        },
      },
    },
    plugins: [ApolloServerPluginCacheControl({ __testing__cacheHints: hints })],
  });
  const lifetimeOf = async (query: string): Promise<string | undefined> => {
    hints.clear();
    return (await send({ body: { query } })).headers['cache-control'];
  };

  equal(await lifetimeOf('{ book { title } }'), 'max-age=70, public');
  equal(await lifetimeOf('{ book { title secret } kept }'), 'max-age=50, private');
  equal(await lifetimeOf('{ book { near { name } } }'), 'max-age=70, public');
  equal(await lifetimeOf('{ book { author { name } } }'), undefined);
  deepEqual(hints.get('book.author'), { maxAge: 0, scope: undefined });
  equal(await lifetimeOf('{ plain }'), undefined);
});

test('a gateway is refused', () => {
  throws(() => serverWith({ gateway: {}, typeDefs: undefined }), /The option gateway does not exist here\. Put a router in front/);
});

test('a subclass can change the options of a request, but not the schema and the rules, by which no document would be checked', async () => {
  const answerWith = async (change: object): Promise<unknown> => {
    class Mine extends ApolloServer {
      override async createGraphQLServerOptions(...args: Parameters<ApolloServer['createGraphQLServerOptions']>): Promise<GraphQLOptions> {
        return { ...(await super.createGraphQLServerOptions(...args)), ...change };
      }
    }
    return (await sender(new Mine({ typeDefs, logger: silent }).createHandler())({ body: { query: '{ hello }' } })).body;
  };
  const refused = { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] };

  deepEqual(await answerWith({ rootValue: { hello: 'mine' } }), { data: { hello: 'mine' } });
  deepEqual(await answerWith({ schema: buildSchema(typeDefs) }), refused);
  deepEqual(await answerWith({ validationRules: [] }), refused);
});

test('options that make no valid schema are refused immediately', () => {
  throws(() => new ApolloServerBase({ logger: silent }), /^Error: Apollo Server requires either an existing schema, modules or typeDefs$/);
  throws(() => serverWith({ typeDefs: undefined, schema: {} }), /Expected {} to be a GraphQL schema/);
  throws(() => new ApolloServerBase(undefined as never), /ApolloServer requires options/);
});

test('only one plugin can have a landing page', async () => {
  const page = { serverWillStart: async () => ({ renderLandingPage: async () => ({ html: '<p>Mine</p>' }) }) };

  const answer = await serve({ plugins: [page] })({ method: 'GET', headers: { accept: 'text/html' } });

  deepEqual([answer.status, answer.body], [200, '<p>Mine</p>']);
  await rejects(serverWith({ plugins: [page, page] }).start(), /Only one plugin can implement renderLandingPage/);
});

test('no landing page is served without a plugin that has one', async () => {
  for (const nodeEnv of ['development', 'production']) {
    const { status, body } = await serve({ nodeEnv })({ method: 'GET', headers: { accept: 'text/html,*/*' } });
    deepEqual([status, body], [400, 'GET query missing.']);
  }
});

test('each withdrawn plugin logs one line, and none throws', async () => {
  const withdrawn = Object.entries(core).filter(([name]) => /InlineTrace|LandingPage|Reporting/.test(name));
  const logged = async (plugins: readonly unknown[]): Promise<string[]> => {
    const lines: string[] = [];
    await serverWith({ logger: { ...silent, warn: (line: string) => lines.push(line) }, plugins }).start();
    return lines;
  };

  equal(withdrawn.length, 9);
  for (const [name, create] of withdrawn) {
    const lines = await logged([(create as (options: object) => unknown)({ any: 'option' })]);
    const expected = name.endsWith('Disabled') ? [] : [`${name} does nothing here`];
    const found = lines.map((line) => line.split(':')[0]);
    deepEqual(found, expected);
  }
});

test('an Apollo key is reported as unused once, unless ApolloServerPluginUsageReportingDisabled says that this is meant', async () => {
  const lines: string[] = [];
  const config = { logger: { ...silent, warn: (line: string) => lines.push(line) }, apollo: { key: 'service:shop:1' } };

  await serverWith({ ...config, plugins: [core.ApolloServerPluginUsageReportingDisabled()] }).start();
  deepEqual(lines, []);
  await serverWith(config).start();
  deepEqual(lines, ['ApolloServerPluginUsageReporting does nothing here: nothing is reported to Apollo.']);
});
