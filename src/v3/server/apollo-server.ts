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
}

/**
 * The server of apollo-server-lambda 3: the same options, plugins, answers and errors. For migrating code;
 * new code should use `createHandler` of "graphql-functions".
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
  /** Creates the handler. It takes event and context and returns a promise; a callback may be the third argument. */
  createHandler<TEvent = any, TResult = any>(options?: CreateHandlerOptions): Handler<TEvent, TResult> {
    const settings = this.handlerSettings((request, response) => this.createGraphQLServerOptions(request, response));
    return createLambdaHandler(options, settings) as Handler<TEvent, TResult>;
  }

  /** The settings for one request. To override: change what `super` returns. */
  async createGraphQLServerOptions(req: ExpressRequest, res: ExpressResponse): Promise<GraphQLServerOptions> {
    const { event, context } = req.apiGateway;
    return this.graphQLServerOptions({ event, context, express: { req, res } });
  }

  /** It starts by itself, because a function platform offers no step before the first request. */
  protected override serverlessFramework(): boolean {
    return true;
  }
}
