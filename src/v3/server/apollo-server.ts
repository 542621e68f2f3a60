import type { Handler } from 'aws-lambda';

import { createUnobservedHandler, fetchAPI, lambdaAdapters, netlifyV1 } from '../../server/index.ts';
import type { ExpressContext, ExpressRequest, ExpressResponse } from '../http/express.ts';
import type { GraphQLServerOptions } from '../options.ts';
import { ApolloServerBase } from './apollo-server-base.ts';
import type { CreateHandlerOptions } from './apollo-server-base.ts';

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
    const settings = this.serverOptions(options, (request, response) => this.createGraphQLServerOptions(request, response));
    const serve = createUnobservedHandler({ adapters: [fetchAPI, ...lambdaAdapters, netlifyV1] }, settings);
    // Rest parameters, because AWS's newest runtime refuses a handler that declares three.
    return (...[event, context, callback]: any[]): any => {
      const result = serve(event, context);
      return typeof callback === 'function' ? answer(result, callback as Callback) : result;
    };
  }

  /** The settings for one request. To override: change what `super` returns. */
  async createGraphQLServerOptions(req: ExpressRequest, res: ExpressResponse): Promise<GraphQLServerOptions> {
    const { event, context } = req.apiGateway;
    return this.graphQLServerOptions({ event, context, express: { req, res } });
  }

  /** The server starts by itself, because a function platform offers no step before the first request. */
  protected override serverlessFramework(): boolean {
    return true;
  }
}

type Callback = (error: unknown, result?: unknown) => void;

/**
 * Answers by promise and by callback. Lambda's callback is called only if the promise is not awaited: a function that awaits the
 * result and changes it may have passed that callback on, and the platform takes whatever comes first. A callback that reads
 * the result is called before the promise resolves.
 */
function answer(result: Promise<unknown>, callback: Callback): Promise<unknown> {
  const settle = async (): Promise<unknown> => {
    // Two microtasks, for a caller's `await` calls `then` one microtask after the call.
    const [outcome] = await Promise.allSettled([result]);
    const hasFailed = outcome.status === 'rejected';
    // Lambda's callback declares no parameters.
    if (callback.length >= 2 || !promise.isAwaited) callback(hasFailed ? outcome.reason : null, hasFailed ? undefined : outcome.value);
    // If the promise is not awaited, only the callback gets the error.
    return hasFailed && !promise.isAwaited ? undefined : result;
  };
  const promise = new WatchedPromise((resolve) => resolve(settle()));
  return promise;
}

/** A promise that records whether it is awaited: `await` calls `then` of a subclass of Promise. */
class WatchedPromise extends Promise<unknown> {
  isAwaited = false;

  // Any: the types of both callbacks.
  // oxlint-disable-next-line unicorn/no-thenable
  override then(...callbacks: [any?, any?]): Promise<any> {
    this.isAwaited = true;
    return super.then(...callbacks);
  }
}
