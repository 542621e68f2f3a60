import type { IncomingMessage, Server } from 'node:http';

import type { CORSOptions } from '../http/cors.ts';
import type { GetMiddlewareOptions } from '../http/serve.ts';
import type { Config } from '../server/config.ts';
import { drainHttpServer } from '../plugins/reporting.ts';
import { isHealthCheck } from '../http/serve.ts';
import type { CreateHandlerOptions } from '../server/serving.ts';
import { assertApp, takes } from './express-app.ts';
import type { NodeApp } from './express-app.ts';
import { NodeServer } from './node-handler.ts';
import type { NodeContextFunctionParams, NodeHandler } from './node-handler.ts';

/** The argument of the context function: request and response of the host. */
export type ExpressContext = NodeContextFunctionParams;

/** The options of this server. */
export type ApolloServerExpressConfig = Config<ExpressContext>;

/** The options of the `cors` package. */
export type CorsOptions = CORSOptions;

/** Middleware of Express and Connect. */
export type Middleware = (req: any, res: any, next?: (error?: unknown) => void) => void;

/** The options of `applyMiddleware`: the app, and those of `getMiddleware`. */
export interface ServerRegistration extends GetMiddlewareOptions {
  // Any: Express is not a dependency.
  readonly app: { use(...handlers: any[]): unknown };
}

/** Additional options of apollo-server 3, for `listen`. */
export interface StandaloneConfig extends ApolloServerExpressConfig {
  /** Of `listen`. Default: every origin, without credentials. */
  cors?: CORSOptions | boolean;
  /** Of `listen`: the health check fails when its promise rejects. */
  onHealthCheck?: (request: any) => Promise<any>;
  /** null: no health check. */
  healthCheckPath?: string | null;
  /** Milliseconds that `stop` waits for requests under way. Default: 10,000. */
  stopGracePeriodMillis?: number;
}

/** The running server, as in apollo-server 3. */
export interface ServerInfo {
  readonly address: string;
  readonly family: string;
  readonly url: string;
  readonly port: number | string;
  readonly server: Server;
}

/**
 * The server of apollo-server-express 3 and apollo-server-cloud-functions 3: for an Express app behind serverless-http, Google
 * Cloud Functions, Firebase, and everything else that calls with `(req, res)`.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/express';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export const graphql = server.createHandler();
 * ```
 */
export class ApolloServer<ContextFunctionParams = NodeContextFunctionParams> extends NodeServer<ContextFunctionParams> {
  readonly #standalone: StandaloneConfig;
  #listening: Server | undefined = undefined;

  /** Throws for invalid options and for a schema that cannot be built. */
  constructor(config: Config<ContextFunctionParams> & Omit<StandaloneConfig, keyof Config>) {
    super(config);
    this.#standalone = config as StandaloneConfig;
    const { healthCheckPath } = config;
    if (typeof healthCheckPath === 'string' && !isHealthCheck({ path: healthCheckPath }) && !healthCheckPath.endsWith('/health'))
      throw new Error(
        `The option healthCheckPath takes null, a path that ends in /health or "/.well-known/apollo/server-health", not "${healthCheckPath}".`,
      );
  }

  /** Creates the handler of a cloud function, which answers all paths. */
  createHandler(options: CreateHandlerOptions = {}): NodeHandler {
    this.startIfNeeded();
    const { expressAppFromMiddleware: makeApp, expressGetMiddlewareOptions } = options;
    if (makeApp === undefined) return this.nodeHandler(options);
    let app: NodeApp | undefined;
    return async (req, res) => {
      // Created with the first request, as in version 3, when the module has been evaluated.
      app ??= assertApp(makeApp(this.getMiddleware({ path: '/', ...expressGetMiddlewareOptions })));
      await app(req, res);
    };
  }

  /** Middleware that answers requests to `path` (default: "/graphql") and below it, and passes on all others. */
  getMiddleware({ path = '/graphql', ...options }: GetMiddlewareOptions = {}): Middleware {
    this.startIfNeeded();
    this.graphqlPath = path;
    const handler = this.nodeHandler({ expressGetMiddlewareOptions: options });
    return (req, res, next) => {
      if (takes({ ...options, path }, req as IncomingMessage) || next === undefined) void handler(req, res);
      else next();
    };
  }

  /** Adds {@link getMiddleware} to an app. */
  applyMiddleware({ app, ...options }: ServerRegistration): void {
    app.use(this.getMiddleware(options));
  }

  /** Listens as apollo-server does; takes the arguments of node:http's `listen`. Default: port 4000. All paths are answered. */
  async listen(...where: any[]): Promise<ServerInfo> {
    await this.startOnce();
    const { cors = true, onHealthCheck, healthCheckPath } = this.#standalone;
    this.graphqlPath = '/';
    const handler = this.nodeHandler({
      expressGetMiddlewareOptions: {
        cors,
        bodyParserConfig: { limit: '50mb' },
        disableHealthCheck: healthCheckPath === null,
        ...(onHealthCheck && { onHealthCheck }),
      },
    });
    const server = process.getBuiltinModule('node:http').createServer((request, response) => void handler(request, response));
    this.#listening = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).once('listening', resolve);
      server.listen(...(where.length === 0 ? [4000] : where));
    });
    const { address, family, port } = server.address() as Exclude<ReturnType<Server['address']>, string | null>;
    const host = address === '::' ? 'localhost' : address.includes(':') ? `[${address}]` : address;
    return { address, family, port, server, url: `http://${host}:${port}/` };
  }

  /** Of version 2. Throws an error that says what to write instead. */
  installSubscriptionHandlers(): never {
    throw new Error(
      'installSubscriptionHandlers is of version 2: there are no WebSockets here. createHandler of "graphql-functions" streams ' +
        'subscriptions, see docs/streaming.md; for WebSockets put graphql-ws beside this server.',
    );
  }

  /** Stops listening, waits for running requests, and calls the plugins' hooks. */
  override async stop(): Promise<void> {
    const { stopGracePeriodMillis } = this.#standalone;
    const httpServer = this.#listening;
    this.#listening = undefined;
    if (httpServer !== undefined)
      await drainHttpServer({ httpServer, ...(stopGracePeriodMillis !== undefined && { stopGracePeriodMillis }) });
    return super.stop();
  }
}
