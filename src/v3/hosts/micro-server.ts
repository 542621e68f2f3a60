import type { IncomingMessage } from 'node:http';

import type { CORSOptionsOfVersion2 } from '../http/cors.ts';
import type { HealthCheckOptions } from '../http/serve.ts';
import { NodeServer } from './node-handler.ts';
import type { NodeContextFunctionParams, NodeHandler } from './node-handler.ts';

/** A request as micro passes it. */
export interface MicroRequest extends IncomingMessage {
  filePayload?: object;
}

/** The options of `createHandler` in apollo-server-micro, with `cors` of the servers for Vercel. */
export interface CreateHandlerOptions extends HealthCheckOptions {
  /** Only requests to this path and below are served. Default: all. */
  readonly path?: string;
  /** Default: no CORS field is set, so that those of the host stay. */
  readonly cors?: CORSOptionsOfVersion2 | boolean;
}

/**
 * The server of apollo-server-micro 3: for API routes of Next.js, functions of Vercel, and micro.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/micro';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export default server.createHandler({ path: '/api/graphql' });
 * ```
 */
export class ApolloServer<ContextFunctionParams = NodeContextFunctionParams> extends NodeServer<ContextFunctionParams> {
  #made: { readonly settings: readonly unknown[]; readonly handler: NodeHandler } | undefined = undefined;

  /**
   * Creates the handler, and starts the server if `start` was not called, as in version 2. Called again with the same options, as
   * some projects do in every request, it returns the same handler.
   */
  createHandler({ path, cors = false, onHealthCheck, disableHealthCheck = false }: CreateHandlerOptions = {}): NodeHandler {
    this.startIfNeeded();
    this.graphqlPath = path ?? '/graphql';
    const settings = [path, cors, onHealthCheck, disableHealthCheck];
    if (this.#made === undefined || settings.some((one, at) => one !== this.#made!.settings[at])) {
      const options = { ...(path !== undefined && { path }), ...(onHealthCheck && { onHealthCheck }), disableHealthCheck };
      this.#made = { settings, handler: this.nodeHandler({ cors, expressGetMiddlewareOptions: options }) };
    }
    return this.#made.handler;
  }
}
