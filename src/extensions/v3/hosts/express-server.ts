import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { CORSOptions } from '../http/cors.ts';
import type { ExpressRequest } from '../http/express.ts';
import type { GetMiddlewareOptions } from '../http/serve.ts';
import { ApolloServerBase } from '../server/apollo-server-base.ts';
import type { GraphQLOptions } from '../server/apollo-server-base.ts';
import type { Config } from '../server/config.ts';
import { servingOf } from '../server/serving.ts';
import type { CreateHandlerOptions } from '../server/serving.ts';
import { assertApp, takes } from './express-app.ts';
import type { NodeApp } from './express-app.ts';
import { createNodeHandler } from './node-handler.ts';
import type { NodeContextFunctionParams, NodeHandler } from './node-handler.ts';

/** The argument of the context function: request and response of the host. */
export type ExpressContext = NodeContextFunctionParams;

/** The options of this server. */
export type ApolloServerExpressConfig = Config<ExpressContext>;

/** The options of the `cors` package. */
export type CorsOptions = CORSOptions;

/** Middleware of Express and Connect. */
export type Middleware = (req: any, res: any, next?: (error?: unknown) => void) => void;

/** The options of `applyMiddleware`: those of `getMiddleware`, and the app that it is put into. */
export interface ServerRegistration extends GetMiddlewareOptions {
  // Any: Express is no dependency.
  readonly app: { use(...handlers: any[]): unknown };
}

/** Where `listen` listens: the options of node:http's own `listen`. */
export interface ListenOptions {
  readonly port?: number | string;
  readonly host?: string;
}

/** The running server, in the words of apollo-server 3. */
export interface ServerInfo {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
}

/**
 * The server of apollo-server-express 3 and apollo-server-cloud-functions 3, on this package's line: for an Express app behind
 * serverless-http, Google Cloud Functions, Firebase, and everything else that calls with `(req, res)`.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/express';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export const graphql = server.createHandler();
 * ```
 */
export class ApolloServer<ContextFunctionParams = NodeContextFunctionParams> extends ApolloServerBase<ContextFunctionParams> {
  override graphqlPath = '/graphql';

  /** Makes the handler of a cloud function: it answers whatever path it is called with. */
  createHandler(options: CreateHandlerOptions = {}): NodeHandler {
    this.startIfNeeded();
    const { expressAppFromMiddleware: makeApp, expressGetMiddlewareOptions } = options;
    if (makeApp === undefined) return this.#handler(options);
    let app: NodeApp | undefined;
    return async (req, res) => {
      // With the first request, as in version 3: the whole module has been evaluated then.
      app ??= assertApp(makeApp(this.getMiddleware({ path: '/', ...expressGetMiddlewareOptions })));
      await app(req, res);
    };
  }

  /** Middleware that answers requests to `path` (default: "/graphql") and below it, and hands on all others. */
  getMiddleware({ path = '/graphql', ...options }: GetMiddlewareOptions = {}): Middleware {
    this.startIfNeeded();
    this.graphqlPath = path;
    const handler = this.#handler({ expressGetMiddlewareOptions: options });
    return (req, res, next) => {
      if (takes({ ...options, path }, req as IncomingMessage) || next === undefined) void handler(req, res);
      else next();
    };
  }

  /** Puts {@link getMiddleware} into an app. */
  applyMiddleware({ app, ...options }: ServerRegistration): void {
    app.use(this.getMiddleware(options));
  }

  /** Serves on a port of its own, as apollo-server does. Default: 4000. Any path is answered. */
  async listen({ port = 4000, host }: ListenOptions = {}): Promise<ServerInfo> {
    this.graphqlPath = '/';
    const handler = this.createHandler();
    const server = process.getBuiltinModule('node:http').createServer((request, response) => void handler(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: Number(port), ...(host !== undefined && { host }) }, () => resolve());
    });
    const address = server.address() as { readonly port: number };
    return { url: `http://${host ?? 'localhost'}:${address.port}/`, port: address.port, server };
  }

  /** The settings for one request. To override: change what `super` returns. `req` and `res` are the host's own. */
  async createGraphQLServerOptions(req: IncomingMessage, res: ServerResponse): Promise<GraphQLOptions> {
    return this.graphQLServerOptions({ req, res } as ContextFunctionParams);
  }

  #handler(options: CreateHandlerOptions): NodeHandler {
    const settings = this.handlerSettings();
    return createNodeHandler(
      settings,
      servingOf(options, {
        ...settings,
        ready: () => this.ensureStarted(),
        options: ({ apiGateway }: ExpressRequest) => this.createGraphQLServerOptions(apiGateway.event.request, apiGateway.event.response),
      }),
    );
  }
}
