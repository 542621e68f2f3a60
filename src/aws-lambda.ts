import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';

import { createHandlerFor } from './handler/handler.ts';
import type { ContextFits, ServerOptions } from './server/options.ts';
import type { ResponseStream } from './platform/lambda-stream.ts';
import { lambdaAdapters } from './platform/lambda.ts';
import type { OptionsSource } from './server/start.ts';
import { createUntypedStreamingHandler } from './handler/lambda-stream-handler.ts';

export type { ResponseStream } from './platform/lambda-stream.ts';

/** The events that carry HTTP to AWS Lambda: HTTP API and function URL, REST API, load balancer; others arrive as unknown. */
export type LambdaEvent = APIGatewayProxyEventV2 | APIGatewayProxyEvent | ALBEvent;

/** A handler for AWS Lambda. Each source gets the result object of its own contract. */
export interface LambdaHandler {
  (event: APIGatewayProxyEventV2, context?: Context): Promise<APIGatewayProxyStructuredResultV2>;
  (event: APIGatewayProxyEvent, context?: Context): Promise<APIGatewayProxyResult>;
  (event: ALBEvent, context?: Context): Promise<ALBResult>;
  (event: unknown, context?: unknown): Promise<unknown>;
}

/**
 * Makes a handler for AWS Lambda alone: API Gateway (REST API; HTTP API 1.0 and 2.0), function URL, Application Load
 * Balancer, VPC Lattice, direct invocation, warm-up pings. Throws for wrong options and wrong schema text.
 */
export function createHandler<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, LambdaEvent, Context>> & ContextFits<TContext, TDataSources>,
): LambdaHandler {
  // Inside, the user's types are of no use: they flow from option to option, and end here.
  return createHandlerFor(lambdaAdapters, options as OptionsSource<ServerOptions>) as LambdaHandler;
}

/** A handler that writes its answer into the stream that Lambda's runtime hands it. It is told apart by a mark that the runtime looks for. */
export type LambdaStreamingHandler = (
  event: APIGatewayProxyEventV2 | APIGatewayProxyEvent,
  responseStream: ResponseStream,
  context?: Context,
) => Promise<void>;

/**
 * Makes a handler for a Lambda function that streams: behind a function URL with `InvokeMode: RESPONSE_STREAM`, or a
 * REST API whose integration streams. Subscriptions are answered as they come, and large answers pass the 6 MB at which
 * others end. Throws for wrong options and wrong schema text; the handler rejects events of other sources.
 *
 * @example
 * ```ts
 * import { createStreamingHandler } from 'graphql-functions/aws-lambda';
 *
 * export default createStreamingHandler({ csrfPrevention: true, typeDefs, resolvers });
 * ```
 */
export function createStreamingHandler<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, APIGatewayProxyEventV2 | APIGatewayProxyEvent, Context>> &
    ContextFits<TContext, TDataSources>,
): LambdaStreamingHandler {
  return createUntypedStreamingHandler(options as OptionsSource<ServerOptions>) as LambdaStreamingHandler;
}
