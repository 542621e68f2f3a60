import type { IncomingMessage, ServerResponse } from 'node:http';

import type { CORSOptionsOfVersion2 } from '../http/cors.ts';
import type { ExpressRequest } from '../http/express.ts';
import type { GetMiddlewareOptions } from '../http/serve.ts';
import { ApolloServerBase } from '../server/apollo-server-base.ts';
import type { GraphQLServerOptions } from '../server/query-options.ts';
import { servingOf } from '../server/serving.ts';
import { createNodeHandler } from './node-handler.ts';
import type { NodeContextFunctionParams, NodeHandler } from './node-handler.ts';

/** A request as micro passes it. */
export interface MicroRequest extends IncomingMessage {
  filePayload?: object;
}

/** The options of `createHandler` in apollo-server-micro, with `cors` of the servers for Vercel. */
export interface CreateHandlerOptions {
  /** Only requests to this path and below are served. Default: all. */
  readonly path?: string;
  /** The health check fails when its promise rejects. */
  readonly onHealthCheck?: (request: any) => Promise<any>;
  /** Default: false. */
  readonly disableHealthCheck?: boolean;
  /** Default: no field of CORS is set, so that those of the host stay. */
  readonly cors?: CORSOptionsOfVersion2 | boolean;
}

/**
 * The server of apollo-server-micro 3, on this package's line: for API routes of Next.js, functions of Vercel, and micro.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/micro';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export default server.createHandler({ path: '/api/graphql' });
 * ```
 */
export class ApolloServer<ContextFunctionParams = NodeContextFunctionParams> extends ApolloServerBase<ContextFunctionParams> {
  override graphqlPath = '/graphql';
  #made: { readonly settings: readonly unknown[]; readonly handler: NodeHandler } | undefined = undefined;

  /**
   * Makes the handler. It starts the server where `start` was not called, as in version 2. Called in every request, as many do,
   * it gives the handler that it made before.
   */
  createHandler({ path, cors = false, onHealthCheck, disableHealthCheck = false }: CreateHandlerOptions = {}): NodeHandler {
    this.startIfNeeded();
    this.graphqlPath = path ?? '/graphql';
    const asked = [path, cors, onHealthCheck, disableHealthCheck];
    if (this.#made === undefined || asked.some((one, at) => one !== this.#made!.settings[at])) {
      const options = { ...(path !== undefined && { path }), ...(onHealthCheck && { onHealthCheck }), disableHealthCheck };
      this.#made = { settings: asked, handler: this.#handler(cors, options) };
    }
    return this.#made.handler;
  }

  #handler(cors: CreateHandlerOptions['cors'], options: GetMiddlewareOptions): NodeHandler {
    const settings = this.handlerSettings();
    const served = servingOf(
      { ...(cors !== undefined && { cors }), expressGetMiddlewareOptions: options },
      {
        ...settings,
        ready: () => this.ensureStarted(),
        options: ({ apiGateway }: ExpressRequest) => this.createGraphQLServerOptions(apiGateway.event.request, apiGateway.event.response),
      },
    );
    return createNodeHandler(settings, served);
  }

  /** The settings for one request. To override: change what `super` returns. `req` and `res` are the host's own. */
  async createGraphQLServerOptions(req: IncomingMessage, res: ServerResponse): Promise<GraphQLServerOptions> {
    return this.graphQLServerOptions({ req, res } as ContextFunctionParams);
  }
}
