import type { Handler } from 'aws-lambda';

import type { ExpressContext, ExpressRequest, ExpressResponse } from '../http/express.ts';
import { ApolloServerBase } from './apollo-server-base.ts';
import type { GraphQLServerOptions } from './query-options.ts';
import { createLambdaHandler } from './create-handler.ts';
import type { CreateHandlerOptions } from './serving.ts';

/** The argument of the context function of a Lambda handler. */
export interface LambdaContextFunctionParams {
  event: any;
  context: any;
  express: ExpressContext;
  /** As version 2's integrations for Express had them. */
  req: ExpressRequest;
  res: ExpressResponse;
}

/**
 * The server of apollo-server-lambda 3, on this package's line: the same options, plugins, answers and errors. For code
 * that moves; new code is better served by `createHandler` of "graphql-functions".
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export const handler = server.createHandler();
 * ```
 */
export class ApolloServer extends ApolloServerBase<LambdaContextFunctionParams> {
  /** Makes the handler. It takes event and context and returns a promise; a third argument is called back. */
  createHandler<TEvent = any, TResult = any>(options?: CreateHandlerOptions): Handler<TEvent, TResult> {
    const serving = {
      ...this.handlerSettings(),
      ready: () => this.ensureStarted(),
      options: (request: ExpressRequest, response: ExpressResponse) => this.createGraphQLServerOptions(request, response),
    };
    return createLambdaHandler(options, serving) as Handler<TEvent, TResult>;
  }

  /** The settings for one request. To override: change what `super` returns. */
  async createGraphQLServerOptions(req: ExpressRequest, res: ExpressResponse): Promise<GraphQLServerOptions> {
    const { event, context } = req.apiGateway;
    const params: LambdaContextFunctionParams = { event, context, express: { req, res }, req, res };
    return this.graphQLServerOptions(params);
  }

  /** It starts by itself: a function platform has no moment before the first request. */
  protected override serverlessFramework(): boolean {
    return true;
  }
}
