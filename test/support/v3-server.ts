import { ApolloServer } from '../../src/entries/v3.ts';
import type { ApolloServerPlugin, Config, CreateHandlerOptions, GraphQLRequestListener } from '../../src/entries/v3.ts';

/** A result of API Gateway's HTTP API, with a parsed body if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: any;
}

/** The differences from the default request, a POST of JSON to "/". */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates an event of API Gateway's HTTP API. */
export function eventOf({ method = 'POST', path = '/', query = '', headers = {}, body }: Sent): object {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: query,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    requestContext: { http: { method, path, sourceIp: '192.0.2.1' }, domainName: 'api.example.com' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

type Handler = (event: any, context?: any, callback?: any) => any;

/** Returns a function that sends requests to a handler. */
export function sender(handler: Handler): (sent: Sent) => Promise<Answer> {
  return async (sent) => toAnswer(await handler(eventOf(sent), {}));
}

/** Creates a server of version 3 with two fields, and returns a function that sends requests to its handler. */
export function serve(config: Config = {}, options?: CreateHandlerOptions): (sent: Sent) => Promise<Answer> {
  return sender(
    new ApolloServer({ typeDefs: 'type Query { hello: String boom: String }', resolvers, logger: silent, ...config }).createHandler(
      options,
    ),
  );
}

const resolvers = {
  Query: {
    hello: () => 'world',
    boom() {
      throw new Error('It went off');
    },
  },
};

function toAnswer(result: any): Answer {
  const text: string = result.body ?? '';
  const isJSON = /json/.test(result.headers?.['content-type'] ?? '');
  return {
    status: result.statusCode,
    headers: result.headers ?? {},
    cookies: result.cookies ?? [],
    body: isJSON ? JSON.parse(text) : text,
  };
}

/** A plugin that has only the hooks of an operation. */
export function listening(hooks: GraphQLRequestListener): ApolloServerPlugin {
  return { requestDidStart: async () => hooks };
}
