/** Typical handler files of the version-3 generation, by file name. Each answers `{ hello }` with "world". */
export const handlers: Readonly<Record<string, string>> = {
  ...variants('plain', ['mjs', 'ts'], {
    named: `import { ApolloServer, gql } from 'apollo-server-lambda';
const typeDefs = gql\`type Query { hello: String }\`;
const server = new ApolloServer({ typeDefs, resolvers: { Query: { hello: () => 'world' } } });
export const handler = server.createHandler();
`,
    plugins: `import { ApolloServer, AuthenticationError } from 'apollo-server-lambda';
import { ApolloServerPluginLandingPageGraphQLPlayground, ApolloServerPluginCacheControl } from 'apollo-server-core';
const server = new ApolloServer({
  typeDefs: 'type Query { hello: String }',
  resolvers: { Query: { hello: () => 'world' } },
  plugins: [ApolloServerPluginLandingPageGraphQLPlayground(), ApolloServerPluginCacheControl({ defaultMaxAge: 5 })],
  context: ({ event }) => {
    if (event.headers.authorization === 'none') throw new AuthenticationError('Sign in');
    return {};
  },
});
export const handler = server.createHandler({ expressGetMiddlewareOptions: { cors: { origin: true, credentials: true } } });
`,
    dataSource: `import { ApolloServer } from 'apollo-server-lambda';
import { RESTDataSource } from 'apollo-datasource-rest';
import { InMemoryLRUCache } from 'apollo-server-caching';
class Things extends RESTDataSource {
  baseURL = 'https://example.com/';
  hello() {
    return 'world';
  }
}
const server = new ApolloServer({
  typeDefs: 'type Query { hello: String }',
  cache: new InMemoryLRUCache(),
  dataSources: () => ({ things: new Things() }),
  resolvers: { Query: { hello: (_, __, { dataSources }) => dataSources.things.hello() } },
});
export const handler = server.createHandler();
`.replace('(_, __, { dataSources })', '(_/*:any*/, __/*:any*/, { dataSources }/*:any*/)'),
    version2: `import { ApolloServer, gql } from 'apollo-server-lambda';
const server = new ApolloServer({
  typeDefs: gql\`type Query { hello: String }\`,
  resolvers: { Query: { hello: () => 'world' } },
  context: ({ event, context }) => ({ headers: event.headers, name: context.functionName }),
  playground: { endpoint: '/dev/graphql' },
  introspection: true,
  subscriptions: false,
});
export const handler = server.createHandler({ cors: { origin: '*', credentials: true } });
`,
  }),
  ...variants('required', ['cjs'], {
    member: `const ApolloServer = require('apollo-server-lambda').ApolloServer;
exports.graphqlHandler = exports.handler = new ApolloServer({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } }).createHandler();
`,
    several: `const { ApolloServer } = require('apollo-server-lambda'), { ApolloServerPluginCacheControlDisabled } = require('apollo-server-core');
const server = new ApolloServer({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } }, plugins: [ApolloServerPluginCacheControlDisabled] });
module.exports.handler = server.createHandler();
`,
  }),
  ...variants('typed', ['ts'], {
    config: `import { ApolloServer, type Config, type CreateHandlerOptions } from 'apollo-server-lambda';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
const config: Config = { typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } };
const options: CreateHandlerOptions = { expressGetMiddlewareOptions: { cors: false } };
export const handler = new ApolloServer(config).createHandler<APIGatewayProxyEvent, APIGatewayProxyResult>(options);
`,
    deepPath: `import { ApolloServer } from 'apollo-server-lambda';
import type { LambdaContextFunctionParams } from 'apollo-server-lambda/dist/ApolloServer';
const context = async ({ event, express }: LambdaContextFunctionParams) => ({ user: event.headers['x-user'] as string, ip: express.req.ip });
export const handler = new ApolloServer({ typeDefs: 'type Query { hello: String }', context, resolvers: { Query: { hello: () => 'world' } } }).createHandler();
`,
    plugin: `import { ApolloServer } from 'apollo-server-lambda';
import type { ApolloServerPlugin, GraphQLRequestListener } from 'apollo-server-plugin-base';
import type { GraphQLRequestContext } from 'apollo-server-types';
const plugin: ApolloServerPlugin = {
  async requestDidStart(started: GraphQLRequestContext): Promise<GraphQLRequestListener> {
    const name = started.request.operationName;
    return {
      async didEncounterErrors({ errors, logger }) {
        logger.error(errors.map((error) => error.message), name);
      },
      async willSendResponse({ response }) {
        response.http?.headers.set('x-name', name ?? '');
      },
    };
  },
};
export const handler = new ApolloServer({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } }, plugins: [plugin] }).createHandler();
`,
    dataSource: `import { ApolloServer } from 'apollo-server-lambda';
import { RESTDataSource, type RequestOptions } from 'apollo-datasource-rest';
interface Context {
  token: string;
  dataSources: { things: Things };
}
class Things extends RESTDataSource<Context> {
  constructor() {
    super();
    this.baseURL = 'https://example.com/';
  }
  protected override willSendRequest(request: RequestOptions) {
    request.headers.set('Authorization', this.context.token);
    request.params.set('k', 'v');
  }
  async thing(id: string): Promise<{ id: string }> {
    return this.get<{ id: string }>(\`things/\${encodeURIComponent(id)}\`, { full: true }, { cacheOptions: { ttl: 60 } });
  }
  hello() {
    return 'world';
  }
}
export const handler = new ApolloServer({
  typeDefs: 'type Query { hello: String }',
  context: () => ({ token: 't' }),
  dataSources: () => ({ things: new Things() }),
  resolvers: { Query: { hello: (_: unknown, __: unknown, { dataSources }: Context) => dataSources.things.hello() } },
}).createHandler();
`,
    subclass: `import { ApolloServer, ApolloError } from 'apollo-server-lambda';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
class Mine extends ApolloServer {
  override createHandler(...options: Parameters<ApolloServer['createHandler']>) {
    return super.createHandler(...options);
  }
}
class NotFound extends ApolloError {
  constructor(message: string) {
    super(message, 'NOT_FOUND');
    Object.defineProperty(this, 'name', { value: 'NotFound' });
  }
}
const formatError = (error: GraphQLError): GraphQLFormattedError => {
  if (error.originalError instanceof NotFound) return { message: 'gone' };
  return { message: error.message, extensions: error.extensions };
};
export const handler = new Mine({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } }, formatError }).createHandler();
`,
  }),
};

function variants(group: string, endings: readonly string[], files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    endings.flatMap((ending) =>
      Object.entries(files).map(([name, text]) => [`functions/${group}-${name}.${ending}`, ending === 'ts' ? typed(text) : text]),
    ),
  );
}

/** The types that are inserted into the texts. */
function typed(text: string): string {
  return text.replaceAll('/*:any*/', ': any');
}
