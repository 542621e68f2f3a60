import type { IncomingMessage, ServerResponse } from 'node:http';

import { createUnobservedHandler, nodeHTTP } from '../../server/index.ts';
import type { CORSOptions } from '../http/cors.ts';
import { isBelow, isHealthCheck } from '../http/respond.ts';
import type { GetMiddlewareOptions } from '../http/respond.ts';
import type { GraphQLServerOptions } from '../options.ts';
import { ApolloServerBase } from '../server/apollo-server-base.ts';
import type { CreateHandlerOptions } from '../server/apollo-server-base.ts';
import type { Config } from '../server/config.ts';

/** The argument of the context function: request and response of the host. */
export interface ExpressContext {
  // Any: hosts and middleware add properties, such as `req.user` and `res.cookie`.
  req: any;
  res: any;
}

/** The options of this server. */
export type ApolloServerExpressConfig = Config<ExpressContext>;

/** The options of the `cors` package. */
export type CorsOptions = CORSOptions;

/** Middleware of Express and Connect. */
export type Middleware = (req: any, res: any, next?: (error?: unknown) => void) => void;

/** Answers a request of node:http, or of a host with such requests. Resolves when the answer has been sent. */
export type NodeHandler = (req: any, res: any) => Promise<void>;

/** The options of `applyMiddleware`: the app, and those of `getMiddleware`. */
export interface ServerRegistration extends GetMiddlewareOptions {
  // Any: Express is not a dependency.
  readonly app: { use(...handlers: any[]): unknown };
}

/**
 * The server of apollo-server-express 3 and apollo-server-cloud-functions 3: for an Express app behind serverless-http, Google
 * Cloud Functions, Firebase, Vercel, Next.js, and everything else that calls with `(req, res)`.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/express';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export const graphql = server.createHandler();
 * ```
 */
export class ApolloServer<ContextFunctionParams = ExpressContext> extends ApolloServerBase<ContextFunctionParams> {
  override graphqlPath = '/graphql';

  /** Creates the handler of a cloud function, which answers all paths. */
  createHandler(options: CreateHandlerOptions = {}): NodeHandler {
    this.startIfNeeded();
    return this.#handler(options);
  }

  /** Middleware that answers requests to `path` (default: "/graphql") and below it, and passes on all others. */
  getMiddleware({ path = '/graphql', ...options }: GetMiddlewareOptions = {}): Middleware {
    this.startIfNeeded();
    this.graphqlPath = path;
    const handler = this.#handler({ expressGetMiddlewareOptions: options });
    return (req, res, next) => {
      if (takes({ ...options, path }, req as IncomingMessage) || next === undefined) void handler(req, res);
      else next();
    };
  }

  /** Adds {@link getMiddleware} to an app. */
  applyMiddleware({ app, ...options }: ServerRegistration): void {
    app.use(this.getMiddleware(options));
  }

  /** The settings for one request. To override: change what `super` returns. `req` and `res` are those of the host. */
  async createGraphQLServerOptions(req: IncomingMessage, res: ServerResponse): Promise<GraphQLServerOptions> {
    return this.graphQLServerOptions({ req, res } as ContextFunctionParams);
  }

  #handler(options: CreateHandlerOptions): NodeHandler {
    const settings = this.serverOptions(options, ({ apiGateway: { event } }) =>
      this.createGraphQLServerOptions(event.request, event.response),
    );
    const serve = createUnobservedHandler({ adapters: [nodeHTTP] }, settings);
    return async (request: IncomingMessage, response: ServerResponse) => {
      const work: Promise<unknown>[] = [];
      try {
        await serve({ request, response }, { waitUntil: (one: Promise<unknown>) => work.push(one) });
      } catch (error) {
        // No answer can be sent. An uncaught error would end the process, and all other requests with it.
        settings.logger!.error('A response could not be sent. Its connection is closed.', error);
        response.destroy();
      }
      // Some hosts freeze the process when the handler has returned.
      await Promise.allSettled(work);
    };
  }
}

/**
 * True when the middleware answers a request. Then the path is moved from the URL to `baseUrl`, as in
 * routers of Express.
 */
function takes(options: GetMiddlewareOptions, request: IncomingMessage & { baseUrl?: string; originalUrl?: string }): boolean {
  const { path: mounted = '/', disableHealthCheck } = options;
  const { url = '/', baseUrl = '', originalUrl } = request;
  const path = url.split('?', 1)[0]!;
  if (disableHealthCheck !== true && isHealthCheck({ path })) return true;
  if (!isBelow(mounted, path, true)) return false;
  const { length } = mounted.replace(/\/+$/, '');
  // Only Express tells the whole URL; a request without it counts as one to the path of the middleware.
  if (length === 0 || originalUrl === undefined) return true;
  request.baseUrl = baseUrl + url.slice(0, length);
  request.url = url.slice(length).startsWith('/') ? url.slice(length) : `/${url.slice(length)}`;
  return true;
}
