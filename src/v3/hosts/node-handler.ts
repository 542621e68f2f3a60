import type { IncomingMessage, ServerResponse } from 'node:http';

import { createUnobservedHandler, nodeHTTP } from '../../server/for-v3.ts';
import type { Serving } from '../http/serve.ts';
import { ApolloServerBase } from '../server/apollo-server-base.ts';
import type { GraphQLServerOptions } from '../server/query-options.ts';
import { servingOf, toServerOptions } from '../server/serving.ts';
import type { CreateHandlerOptions, HandlerSettings } from '../server/serving.ts';

/** The argument of the context function on hosts that call with a request and a response. */
export interface NodeContextFunctionParams {
  // Any: hosts and middleware add properties, such as `req.user` and `res.cookie`.
  req: any;
  res: any;
}

/** Answers a request of node:http, or of a host with such requests. Resolves when the answer has been sent. */
export type NodeHandler = (req: any, res: any) => Promise<void>;

/** A server for hosts that call with the request and the response of node:http. */
export class NodeServer<ContextFunctionParams = NodeContextFunctionParams> extends ApolloServerBase<ContextFunctionParams> {
  override graphqlPath = '/graphql';

  /** The settings for one request. To override: change what `super` returns. `req` and `res` are those of the host. */
  async createGraphQLServerOptions(req: IncomingMessage, res: ServerResponse): Promise<GraphQLServerOptions> {
    return this.graphQLServerOptions({ req, res } as ContextFunctionParams);
  }

  protected nodeHandler(options: CreateHandlerOptions): NodeHandler {
    const settings = this.handlerSettings(({ apiGateway: { event } }) => this.createGraphQLServerOptions(event.request, event.response));
    return createNodeHandler(settings, servingOf(options, settings));
  }
}

function createNodeHandler(settings: HandlerSettings, serving: Serving): NodeHandler {
  const serve = createUnobservedHandler({ adapters: [nodeHTTP] }, toServerOptions(settings, serving));
  return async (request: IncomingMessage, response: ServerResponse) => {
    const work: Promise<unknown>[] = [];
    try {
      await serve({ request, response }, { waitUntil: (one: Promise<unknown>) => work.push(one) });
    } catch (error) {
      // No answer can be sent. An uncaught error would end the process, and all other requests with it.
      settings.logger.error('A response could not be sent. Its connection is closed.', error);
      response.destroy();
    }
    // Some hosts freeze the process when the handler has returned.
    await Promise.allSettled(work);
  };
}
