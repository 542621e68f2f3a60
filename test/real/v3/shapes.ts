/** The exports that a handler is created with: those of apollo-server-lambda and apollo-server-core, or ours. */
// Any: the same code runs with two packages that have different types.
export type Library = any;
type Handler = (event: unknown, context: unknown, callback?: unknown) => Promise<unknown>;

const typeDefs = `
  enum CacheControlScope { PUBLIC PRIVATE }
  directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum Colour { RED GREEN }
  input Filter { name: String!, colour: Colour, limit: Int = 3 }
  interface Node { id: ID! }
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String! author: Author colour: Colour broken: String secret: String @cacheControl(scope: PRIVATE) }
  type Author implements Node { id: ID! name: String books(limit: Int): [Book!] }
  union Thing = Book | Author
  type Query {
    hello(name: String = "world"): String
    add(a: Int!, b: Int!): Int
    book(id: ID!): Book
    books(filter: Filter): [Book!] @cacheControl(maxAge: 30)
    node(id: ID!): Node
    things: [Thing]
    boom: String
    mustBoom: String!
    auth: String
    forbidden: String
    input: String
    coded: String
    plain: String
    late: String
    dynamic: String
    inherited: Book @cacheControl(inheritMaxAge: true)
    context: String
    thrown: String
    nulls: [String!]
  }
  type Mutation { set(value: String): String fail: String }
`;

const books = [
  { id: '1', title: 'Emma', authorId: 'a', colour: 'RED' },
  { id: '2', title: 'Persuasion', authorId: 'a', colour: 'GREEN' },
  { id: '3', title: 'Ulysses', authorId: 'j', colour: 'RED' },
];
const authors = [
  { id: 'a', name: 'Austen' },
  { id: 'j', name: null },
];

function resolversOf({ ApolloError, AuthenticationError, ForbiddenError, UserInputError }: Library): Record<string, any> {
  return {
    Query: {
      hello: (_: unknown, { name }: any) => `Hello, ${name}!`,
      add: (_: unknown, { a, b }: any) => a + b,
      book: async (_: unknown, { id }: any) => books.find((book) => book.id === id),
      books: (_: unknown, { filter }: any) => books.slice(0, filter?.limit ?? 10),
      node: (_: unknown, { id }: any) => books.find((book) => book.id === id) ?? authors.find((author) => author.id === id),
      things: () => [...books, ...authors, null],
      boom() {
        throw new Error('It went off');
      },
      mustBoom() {
        throw Object.assign(new Error('It had to'), { status: 418, code: 'E_TEAPOT' });
      },
      auth() {
        throw new AuthenticationError('Who are you?', { realm: 'books' });
      },
      forbidden() {
        throw new ForbiddenError('Not yours');
      },
      input() {
        throw new UserInputError('Wrong form', { fields: { name: 'too short' } });
      },
      coded() {
        throw new ApolloError('Coded', '404', { hint: 'elsewhere' });
      },
      plain() {
        throw new ApolloError('Plain');
      },
      late: () => new Promise((resolve) => setImmediate(() => resolve('late'))),
      dynamic: (_: unknown, __: unknown, ___: unknown, info: any) => {
        info.cacheControl.setCacheHint({ maxAge: 10, scope: 'PRIVATE' });
        return 'dynamic';
      },
      inherited: () => books[0],
      context: (_: unknown, __: unknown, context: any) => JSON.stringify(context.user ?? null),
      thrown() {
        throw { message: 'No error', extensions: { code: 'ODD' } };
      },
      nulls: () => ['a', null],
    },
    Mutation: {
      set: (_: unknown, { value }: any) => value,
      fail() {
        throw new Error('Not set');
      },
    },
    Node: { __resolveType: (node: any) => ('title' in node ? 'Book' : 'Author') },
    Thing: { __resolveType: (thing: any) => ('title' in thing ? 'Book' : 'Author') },
    Book: {
      author: async ({ authorId }: any) => authors.find(({ id }) => id === authorId),
      broken() {
        throw new TypeError('Broken book');
      },
      secret: () => 'secret',
    },
    Author: { books: ({ id }: any, { limit }: any) => books.filter(({ authorId }) => authorId === id).slice(0, limit ?? 10) },
  };
}

/** The handlers of the comparison, by name. */
export function createShapes(library: Library): Readonly<Record<string, Handler>> {
  const { ApolloServer, AuthenticationError, ApolloError, gql } = library;
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const base = { typeDefs, resolvers: resolversOf(library), logger: silent, cache: 'bounded', nodeEnv: 'test' };
  const make = (options: object = {}, handlerOptions?: object): Handler =>
    new ApolloServer({ ...base, ...options }).createHandler(handlerOptions);
  const express = (expressGetMiddlewareOptions: object, options: object = {}): Handler => make(options, { expressGetMiddlewareOptions });
  return {
    plain: make(),
    parsed: make({
      typeDefs: gql`
        ${typeDefs}
      `,
    }),
    lists: make({ typeDefs: [typeDefs, 'extend type Query { more: Int }'], resolvers: [base.resolvers, { Query: { more: () => 1 } }] }),
    context: make({
      context: async ({ event, context }: any) => ({ user: { id: event.headers['x-user'] ?? null, call: context.awsRequestId } }),
    }),
    contextObject: make({ context: { user: 'everybody' } }),
    contextExpress: make({
      context: ({ express: { req, res } }: any) => {
        res.cookie('seen', req.headers['x-user'] ?? 'nobody', { httpOnly: true, path: '/' });
        res.cookie('second', 'a b;c');
        res.setHeader('x-trace', req.method);
        return { user: [req.method, req.path, req.headers['x-user'] ?? null, req.body?.operationName ?? null] };
      },
    }),
    contextFails: make({
      context: () => {
        throw new Error('No database');
      },
    }),
    contextRefuses: make({
      context: async ({ event }: any) => {
        if (!event.headers['x-user']) throw new AuthenticationError('Sign in');
        return {};
      },
    }),
    contextCode: make({
      context: () => {
        throw new ApolloError('Busy', 'BUSY', { retryAfter: 3 });
      },
    }),
    formatError: make({
      formatError: (error: any) => ({
        message: error.message.toUpperCase(),
        extensions: { was: error.originalError?.name ?? null, code: error.extensions.code },
      }),
    }),
    formatErrorClass: make({
      formatError: (error: any) => (error.originalError instanceof AuthenticationError ? new Error('Hidden') : error),
    }),
    formatErrorFails: make({
      formatError: () => {
        throw new Error('Formatter');
      },
    }),
    formatResponse: make({
      formatResponse: (response: any, { request }: any) => ({ ...response, extensions: { named: request.operationName ?? null } }),
    }),
    noIntrospection: make({ introspection: false }),
    production: make({ nodeEnv: 'production' }),
    csrf: make({ csrfPrevention: true }),
    csrfHeaders: make({ csrfPrevention: { requestHeaders: ['x-mine'] } }),
    noBatches: make({ allowBatchedHttpRequests: false }),
    noPersisted: make({ persistedQueries: false }),
    plugins: make({
      plugins: [
        () => ({
          async requestDidStart({ request }: any) {
            const seen: string[] = [];
            return {
              didResolveSource: () => void seen.push('source'),
              didResolveOperation: async ({ operationName }: any) => void seen.push(`operation ${operationName}`),
              didEncounterErrors: async ({ errors }: any) => void seen.push(`errors ${errors.length}`),
              willSendResponse: async ({ response }: any) => {
                response.http.headers.set('x-seen', seen.join(','));
                if (request.operationName === 'Teapot') response.http.status = 418;
                response.extensions = { ...response.extensions, seen: seen.length };
              },
            };
          },
        }),
      ],
    }),
    fields: make({
      plugins: [
        {
          async requestDidStart() {
            const fields: string[] = [];
            return {
              executionDidStart: async () => ({
                willResolveField: ({ info }: any) => {
                  const started = info.fieldName;
                  return (error: any) => void fields.push(`${started}${error ? '!' : ''}`);
                },
              }),
              willSendResponse: async ({ response }: any) => {
                response.extensions = { fields: fields.toSorted() };
              },
            };
          },
        },
      ],
    }),
    responder: make({
      plugins: [
        {
          requestDidStart: async () => ({
            responseForOperation: async ({ operationName }: any) => (operationName === 'Kept' ? { data: { hello: 'kept' } } : null),
          }),
        },
      ],
    }),
    refuser: make({
      plugins: [
        {
          requestDidStart: async () => ({
            didResolveOperation: async ({ operationName }: any) => {
              if (operationName === 'Refused') throw new ApolloError('Refused by a plugin', 'REFUSED');
            },
          }),
        },
      ],
    }),
    cors: express({ cors: { origin: 'https://shop.example', credentials: true, maxAge: 600 } }),
    corsList: express({
      cors: {
        origin: ['https://shop.example', /\.dev$/],
        methods: ['GET', 'POST'],
        allowedHeaders: 'content-type,x-user',
        exposedHeaders: ['x-a', 'x-b'],
      },
    }),
    corsTrue: express({ cors: { origin: true, credentials: true } }),
    corsCallback: express({ cors: { origin: (origin: string, back: any) => back(null, origin === 'https://shop.example') } }),
    corsOff: express({ cors: false }),
    path: express({ path: '/graphql' }),
    healthOff: express({ disableHealthCheck: true }),
    healthFails: express({ onHealthCheck: () => Promise.reject(new Error('down')) }),
    validationRules: make({
      validationRules: [
        (context: any) => ({
          Field(node: any) {
            if (node.name.value === 'boom') context.reportError(new library.GraphQLError('boom is closed', [node]));
          },
        }),
      ],
    }),
    rootValue: make({
      typeDefs: 'type Query { hello: String, context: String }',
      resolvers: undefined,
      rootValue: () => ({ hello: 'root' }),
    }),
    fieldResolver: make({
      typeDefs: 'type Query { hello: String, boom: String }',
      resolvers: {},
      fieldResolver: (_: unknown, __: unknown, ___: unknown, { fieldName }: any) => fieldName,
    }),
    cacheControl: make({ plugins: [library.ApolloServerPluginCacheControl({ defaultMaxAge: 5 })] }),
    noCacheControl: make({ plugins: [library.ApolloServerPluginCacheControlDisabled()] }),
    modules: make({
      typeDefs: undefined,
      resolvers: undefined,
      modules: [
        {
          typeDefs: gql`
            type Query {
              hello: String
            }
          `,
          resolvers: { Query: { hello: () => 'first' } },
        },
        {
          typeDefs: gql`
            extend type Query {
              boom: String
            }
          `,
          resolvers: { Query: { boom: () => 'second' } },
        },
      ],
    }),
    executor: make({ executor: async ({ operationName }: any) => ({ data: { hello: `executed ${operationName}` } }) }),
    dataSources: make({
      typeDefs: 'type Query { hello: String, context: String }',
      dataSources: () => ({
        things: {
          initialize({ context, cache }: any) {
            (this as any).state = [typeof cache.get, Object.keys(context)];
          },
          read() {
            return JSON.stringify((this as any).state);
          },
        },
      }),
      resolvers: { Query: { hello: (_: unknown, __: unknown, { dataSources }: any) => dataSources.things.read() } },
    }),
  };
}
