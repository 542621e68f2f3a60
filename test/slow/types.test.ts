import { deepEqual, doesNotMatch, match } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import type { GraphQLAbstractType, GraphQLResolveInfo } from 'graphql';
import type {
  ALBEvent,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context as LambdaContext,
} from 'aws-lambda';
import type { HandlerContext, HandlerEvent, Context as NetlifyContext, Handler as NetlifyV1Handler } from '@netlify/functions';

import { createHandler as createLambdaHandler } from '../../src/entries/aws-lambda.ts';
import { createHandler as createFetchHandler } from '../../src/entries/fetch.ts';
import type { FetchContext } from '../../src/entries/fetch.ts';
import { batch, byKey, createHandler, DataSource, groupByKey, RESTDataSource } from '../../src/entries/index.ts';
import type {
  ContextFits,
  ContextValue,
  Handler,
  HTTPRequest,
  ResponseHead,
  ResolverMap,
  ServerOptions,
  ServerPlugin,
} from '../../src/entries/index.ts';
import { createHandler as createNetlifyHandler } from '../../src/entries/netlify.ts';
import type * as Netlify from '../../src/entries/netlify.ts';
import { serve } from '../../src/entries/node.ts';
import { subgraph } from '../../src/entries/subgraph.ts';
import type { NodeExchange } from '../../src/entries/node.ts';
import { complaintsAbout, runTypeScript } from '../support/run-typescript.ts';

test('valid code of users is typed, and invalid code is refused', async () => {
  // The imported sources are checked with one version of graphql, this file with each.
  const complaints = await runTypeScript(join(import.meta.dirname, 'types.tsconfig.json'));

  deepEqual(
    complaints.filter((line) => line.startsWith('test/slow/types.test.ts')),
    [],
  );
});

test('the error of generated resolver types with another context ends with the property that is missing', async (t) => {
  const generated = `import { createHandler } from '../../src/entries/index.ts';
    interface Context { readonly user: string; readonly dataSources: { readonly books: object } }
    type Resolve<T, C> = (parent: {}, args: {}, context: C, info: import('graphql').GraphQLResolveInfo) => Promise<T> | T;
    type Resolver<T, C> = Resolve<T, C> | { resolve: Resolve<T, C> };
    type Resolvers<C = Context> = { Query?: { hello?: Resolver<string, C> } };
    const resolvers: Resolvers = {};`;
  const calls = [
    "context: () => ({ user: 'a' }), dataSources: () => ({ boks: {} })",
    "context: () => ({ usr: 'a' }), dataSources: () => ({ books: {} })",
  ];
  const lines = calls.map((options) => `createHandler({ typeDefs: '', ${options}, resolvers });`);

  const complaints = (await complaintsAbout(t, [generated, ...lines].join('\n'))).join('\n');

  match(complaints, /Property 'books' is missing in type '\{ boks: \{\}; \}'/);
  match(complaints, /Property 'user' is missing in type '\{ usr: string; \}/);
  doesNotMatch(complaints, /isBatched/);
});

test('the error of a misspelled option suggests the right one, in every function that takes options', async (t) => {
  const calls = [
    ['index', 'createHandler'],
    ['aws-lambda', 'createHandler'],
    ['aws-lambda', 'createStreamingHandler'],
    ['netlify', 'createHandler'],
    ['fetch', 'createHandler'],
    ['node', 'serve'],
    ['node', 'createListener'],
    ['testing', 'createTester'],
  ] as const;
  const lines = calls.map(
    ([entry, name], at) =>
      `import { ${name} as f${at} } from '../../src/entries/${entry}.ts'; void f${at}({ typeDefs: '', context: () => ({ user: 1 }), resolver: {} });`,
  );

  const messages = await complaintsAbout(t, lines.join('\n'));

  deepEqual(
    messages.map((message) => /Did you mean to write '(\w+)'\?\s*$/.exec(message)?.[1]),
    calls.map(() => 'resolvers'),
  );
});

// The functions below are compiled by the test above and never run.

class BooksAPI extends RESTDataSource {
  book(id: string): Promise<{ title: string }> {
    return this.get(`books/${id}`);
  }
}

class Counter extends DataSource<{ user: string }> {
  next(): number {
    return this.context.user.length;
  }
}

class AccountsAPI extends RESTDataSource<{ token: string }> {}

export function contextAndDataSources(): void {
  createHandler({
    typeDefs,
    context: async ({ request }) => ({ user: request.headers.get('x-user') ?? 'nobody', admin: false as boolean }),
    dataSources: () => ({ books: new BooksAPI(), counter: new Counter() }),
    resolvers: {
      Query: {
        book: async (_, { id }, { user, dataSources }) => {
          is<string>(user);
          is<BooksAPI>(dataSources.books);
          is<number>(dataSources.counter.next());
          const { title } = await dataSources.books.book(id);
          is<string>(title);
          // @ts-expect-error: not a number.
          is<number>(title);
        },
        missing: (_parent, _args, context) => {
          is<boolean>(context.admin);
          // @ts-expect-error: context returned no such thing.
          void context.administrator;
          // @ts-expect-error: dataSources returned no such property either.
          void context.dataSources.authors;
          // @ts-expect-error: a data source has no such method.
          void context.dataSources.books.author('1');
        },
      },
      Subscription: {
        added: {
          subscribe: (_, _args, { user, dataSources }) => {
            is<string>(user);
            is<BooksAPI>(dataSources.books);
            // @ts-expect-error: neither here.
            void dataSources.authors;
          },
        },
      },
    },
  });
}

export function withoutOne(): void {
  createHandler({
    typeDefs,
    context: () => ({ user: 'ada' }),
    resolvers: {
      Query: {
        me: (_, _args, { user }) => is<string>(user),
        // @ts-expect-error: there are no data sources.
        books: (_, _args, { dataSources }) => dataSources.books,
      },
    },
  });
  // A list of maps is typed as one map is.
  createHandler({ typeDefs, context: () => ({ user: 'ada' }), resolvers: [{ Query: { me: (_, _args, { user }) => is<string>(user) } }] });
  createHandler({
    typeDefs,
    dataSources: () => ({ books: new BooksAPI() }),
    resolvers: {
      Query: {
        book: (_, { id }, { dataSources }) => is<Promise<{ title: string }>>(dataSources.books.book(id)),
        // @ts-expect-error: there is no context function.
        me: (_, _args, { user }) => is<string>(user),
      },
    },
  });
}

interface Loaders {
  readonly books: BooksAPI;
  readonly counter: Counter;
}

/** Resolvers in separate files, each with the part of the context that it reads. */
export function resolversOfOtherFiles(): void {
  const whole: ResolverMap<ContextValue<{ user: string; admin: boolean }, Loaders>> = {
    Query: {
      book: (_, { id }, { dataSources }) => dataSources.books.book(id),
      me: (_, _args, { user, admin }) => [is<string>(user), is<boolean>(admin)],
    },
  };
  const me = { Query: { me: (_: unknown, _args: unknown, { user }: { user?: string }) => user } };
  const books = {
    Query: {
      book: (_: unknown, { id }: { id: string }, { dataSources }: { dataSources: Pick<Loaders, 'books'> }) => dataSources.books.book(id),
    },
    Node: { __resolveType: (value: { title?: string }, { user }: { user: string }) => value.title ?? user },
    Book: { title: { resolve: (_: unknown, _args: unknown, { user }: { user: string }) => user } },
  };
  // Resolvers as in JavaScript, without types.
  const loose = {
    Query: {
      book: (_: any, { id }: any, { dataSources }: { dataSources: any }) => dataSources.books.book(id),
      me: (_: any, _args: any, { user }: { user: any }) => user,
    },
  };
  const plugin: ServerPlugin<{ user: string }> = { requestDidStart: async ({ contextValue }) => is<string>(contextValue.user) };
  const dataSources = (): Loaders => ({ books: new BooksAPI(), counter: new Counter() });

  for (const resolvers of [whole, [whole, me], me, books, { ...me, ...books }, [me, books], loose, [loose, me]]) {
    createHandler({ typeDefs, context: ({ request }) => ({ user: request.path, admin: true }), dataSources, resolvers, plugins: [plugin] });
    createLambdaHandler({ typeDefs, context: async ({ event }) => ({ user: String(event), admin: true }), dataSources, resolvers });
  }
  // @ts-expect-error: they read a user that is a string.
  createHandler({ typeDefs, context: ({ request }) => ({ user: request.path.length }), resolvers: me });
  // @ts-expect-error: they read a data source that is not there.
  createHandler({ typeDefs, context: () => ({ user: 'ada' }), dataSources: () => ({ counter: new Counter() }), resolvers: books });
}

export function typeFunctions(): void {
  createHandler({
    typeDefs,
    context: () => ({ user: 'ada' }),
    resolvers: {
      Node: {
        __resolveType: (value, context, info, abstractType) => {
          exactly<string>()(context.user);
          exactly<GraphQLResolveInfo>()(info);
          exactly<GraphQLAbstractType>()(abstractType);
          // @ts-expect-error: there is no such thing in the context.
          void context.admin;
          return (value as { type: string }).type;
        },
      },
      Book: { __isTypeOf: (_value, { user }) => user === 'ada' },
    },
  });
}

/** Refuses a data source that reads a property that context does not return: it would be undefined. */
export function fitting(): void {
  // @ts-expect-error: the data source's user is a string.
  createHandler({ typeDefs, context: () => ({ user: 5 }), dataSources: () => ({ counter: new Counter(), books: new BooksAPI() }) });
  createLambdaHandler({
    typeDefs,
    context: async ({ context }) => ({ requestId: context.awsRequestId }),
    // @ts-expect-error: from what a platform's own entry makes.
    dataSources: () => ({ books: new BooksAPI(), accounts: new AccountsAPI() }),
  });
  // @ts-expect-error: from a function, too.
  createHandler(async () => ({ typeDefs, context: () => ({ admin: true }), dataSources: () => ({ counter: new Counter() }) }));
  createHandler({
    typeDefs,
    // The context may have more than the data source reads, and the order of the options does not matter.
    dataSources: () => ({ counter: new Counter(), books: new BooksAPI(), plain: { anything: 1 } }),
    context: async ({ request }) => ({ user: request.path, admin: true }),
    resolvers: { Query: { book: (_, _args, { dataSources }) => is<Counter>(dataSources.counter) } },
  });
}

/** A generic function around createHandler leaves this check to its callers. */
export function wrapper<T extends object, D extends object>(options: ServerOptions<T, D> & ContextFits<T, D>): Handler {
  return createHandler(options);
}

/** Options may be undefined, also with exactOptionalPropertyTypes. */
export function undefinedOptions(): void {
  createHandler({ typeDefs, context: undefined, dataSources: undefined, logger: undefined, cors: undefined, plugins: undefined });
  // @ts-expect-error: a class in place of an instance.
  createHandler({ typeDefs, dataSources: () => ({ books: BooksAPI }) });
}

/** Options that a function of options prepares keep what `context` and `dataSources` infer; it also accepts a promise or a function. */
export function preparedOptions(): void {
  const options = subgraph({
    context: () => ({ user: 'ada' }),
    dataSources: () => ({ books: new BooksAPI() }),
    typeDefs,
    resolvers: { Query: { id: (_, _args, { user, dataSources }) => [is<string>(user), is<BooksAPI>(dataSources.books)] } },
  });
  is<ServerOptions<{ user: string }, { books: BooksAPI }>>(options);
  createHandler(options);
  createHandler(async () => subgraph({ typeDefs, context: () => ({ user: 'ada' }) }));
  // @ts-expect-error: a misspelled option.
  createHandler(subgraph({ typeDef: typeDefs }));
}

/** The event and the context in `context({ event, context })` are those of the platform. */
export function platforms(): void {
  createLambdaHandler({
    typeDefs,
    context: ({ event, context }) => {
      exactly<APIGatewayProxyEventV2 | APIGatewayProxyEvent | ALBEvent>()(event);
      exactly<LambdaContext>()(context);
      // @ts-expect-error: the version of the event is unknown without a check.
      void event.rawPath;
      return { requestId: context.awsRequestId };
    },
  });
  createNetlifyHandler({
    typeDefs,
    context: ({ event, context }) => {
      exactly<Request | Netlify.NetlifyHandlerEvent>()(event);
      exactly<Netlify.NetlifyContext | Netlify.NetlifyHandlerContext>()(context);
      // @ts-expect-error: only a Request has a location.
      void context.geo;
      return { country: 'geo' in context ? context.geo.country?.code : undefined };
    },
  });
  // Netlify's types and ours are compatible.
  const same = (theirs: NetlifyContext, ours: Netlify.NetlifyContext, context: HandlerContext): void => {
    is<Netlify.NetlifyContext>(theirs);
    is<NetlifyContext>(ours);
    is<Netlify.NetlifyHandlerContext>(context);
  };
  void same;
  is<NetlifyV1Handler>(createNetlifyHandler({ typeDefs }));
  createFetchHandler({
    typeDefs,
    context: ({ event }) => (exactly<Request>()(event), { url: event.url }),
    resolvers: { Query: { url: (_, _args, { url }) => is<string>(url) } },
  });
  void serve({
    typeDefs,
    context: ({ event }) => (exactly<NodeExchange>()(event), { address: event.request.socket.remoteAddress }),
    resolvers: { Query: { address: (_, _args, { address }) => is<string | undefined>(address) } },
  });
  createHandler({
    typeDefs,
    context: ({ event, request, response }) => {
      exactly<HTTPRequest>()(request);
      exactly<ResponseHead>()(response);
      response.headers.set('cache-control', 'max-age=60');
      // @ts-expect-error: the platform of the event is unknown.
      void event.headers;
      return {};
    },
  });
}

export async function results(): Promise<void> {
  const lambda = createLambdaHandler({ typeDefs });
  exactly<APIGatewayProxyStructuredResultV2>()(await lambda({} as APIGatewayProxyEventV2, {} as LambdaContext));
  // @ts-expect-error: a Lambda handler has no fetch.
  void lambda.fetch;

  const fetchHandler = createFetchHandler({ typeDefs });
  exactly<Response>()(await fetchHandler(new Request('https://example.com/')));
  exactly<Response>()(await fetchHandler.fetch(new Request('https://example.com/'), {}, {}));

  const handler: Handler = createHandler({ typeDefs });
  exactly<Response>()(await handler(new Request('https://example.com/')));

  const netlify = createNetlifyHandler({ typeDefs });
  is<{ statusCode: number }>(await netlify({} as HandlerEvent));
}

export function batches(): void {
  createHandler({
    typeDefs,
    context: () => ({ user: 'ada' }),
    resolvers: {
      Book: {
        // Parents and arguments need no annotation, the context has its type, and promises, null and errors are values.
        // @ts-expect-error -- the context has no such property
        label: batch((books, _args, { users }) => [users, books]),
        author: batch((books, { first }, { user, dataSources }) => books.map((book) => [book.id, first, user.toUpperCase(), dataSources])),
        title: batch({ maxSize: 100 }, async (books: readonly { id: string }[]) =>
          books.map(({ id }) => (id === '' ? new Error(id) : null)),
        ),
      },
    },
  });
  const rows: ({ readonly id: number } | null)[] = byKey(['1', 2, null], [{ id: 1 }], 'id');
  const lists: { readonly id: number }[][] = groupByKey(['1'], new Set([{ id: 1 }]), ({ id }) => id);
  void [rows, lists];
  // @ts-expect-error -- a list, one value for each parent
  batch(() => 1);
  // @ts-expect-error -- rows have no such property
  byKey([1], [{ id: 1 }], 'name');
}

export function wrong(): void {
  // @ts-expect-error: options are needed.
  createHandler();
  // @ts-expect-error: the function does not return options.
  createHandler(() => 'type Query { a: Int }');
  // @ts-expect-error: not schema text.
  createHandler({ typeDefs: 1 });
  // @ts-expect-error: no such option.
  createHandler({ typeDefs, playground: true });
  // @ts-expect-error: one word, not any.
  createHandler({ typeDefs, cache: 'unbounded' });
  // @ts-expect-error: dataSources is a function, so that every operation gets new ones.
  createHandler({ typeDefs, dataSources: { books: new BooksAPI() } });
  // @ts-expect-error: a context is an object.
  createHandler({ typeDefs, context: () => 'ada' });
  // @ts-expect-error: a resolver is a function.
  createHandler({ typeDefs, resolvers: { Query: { a: 1 } } as { Query: { a: { resolve: number } } } });
  // @ts-expect-error: formatError returns an error.
  createHandler({ typeDefs, formatError: () => 'oops' });

  const plugin: ServerPlugin = { requestDidStart: async () => ({ willSendResponse: async ({ response }) => void response }) };
  createHandler({ typeDefs, context: () => ({ user: 'ada' }), plugins: [plugin] });
  // @ts-expect-error: no such hook.
  const typo: ServerPlugin = { requestDidstart: async () => undefined };
  void typo;
}

const typeDefs = 'type Query { book(id: ID!): String }';

function is<T>(value: T): void {
  void value;
}

/** Accepts only values of exactly type T: nothing narrower, nothing wider, and not any. */
function exactly<T>(): <U>(value: [T] extends [U] ? ([U] extends [T] ? (0 extends 1 & U ? never : U) : never) : never) => void {
  return () => {};
}

/** The bindings of a Worker, and the context created from them. */
export function bindings(): void {
  interface Env {
    readonly DB: { readonly name: string };
  }
  createFetchHandler({
    typeDefs,
    context: ({ env, context, request }: FetchContext<Env, { readonly region: string }>) => ({
      user: request.headers.get('x-user') ?? 'nobody',
      database: env.DB.name,
      region: context.region,
    }),
    resolvers: { Query: { book: (_parent, _args, { database, region }) => [is<string>(database), is<string>(region)] } },
  });
  createFetchHandler(({ env }: { readonly env: Env }) => ({ typeDefs, context: () => ({ name: is<string>(env.DB.name) }) }));
  createHandler(({ env }: { readonly env: Env }) => ({ typeDefs, context: () => ({ name: is<string>(env.DB.name) }) }));
  createLambdaHandler(({ env }) => ({ typeDefs, context: () => ({ name: is<string | undefined>(env['NAME']) }) }));
  // @ts-expect-error: Lambda has variables, no bindings.
  createLambdaHandler(({ env }: { readonly env: Env }) => ({ typeDefs, context: () => ({ name: env.DB.name }) }));
  // @ts-expect-error: the environment is unknown unless it is typed.
  createFetchHandler({ typeDefs, context: ({ env }) => ({ database: env.DB }) });
}
