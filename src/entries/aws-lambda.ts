import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';

import { createHandlerFor, createUntypedStreamingHandler, lambdaAdapters } from '../server/index.ts';
import type { Closable, CreateHandler, OptionsSource, ResponseStream, ServerOptions } from '../server/index.ts';

export type { Closable, CreateHandler, ResponseStream } from '../server/index.ts';

/** Events that carry HTTP requests to AWS Lambda: HTTP API and function URL, REST API, load balancer. Others have the type unknown. */
export type LambdaEvent = APIGatewayProxyEventV2 | APIGatewayProxyEvent | ALBEvent;

/** A handler for AWS Lambda. Each event source gets the type of result that it expects. */
export interface LambdaHandler extends Closable {
  (event: APIGatewayProxyEventV2, context?: Context): Promise<APIGatewayProxyStructuredResultV2>;
  (event: APIGatewayProxyEvent, context?: Context): Promise<APIGatewayProxyResult>;
  (event: ALBEvent, context?: Context): Promise<ALBResult>;
  (event: unknown, context?: unknown): Promise<unknown>;
}

/**
 * Makes a handler for AWS Lambda alone: API Gateway (REST API; HTTP API 1.0 and 2.0), function URL, Application Load
 * Balancer, VPC Lattice, direct invocation, warm-up pings. Throws for wrong options and wrong schema text.
 */
export const createHandler: CreateHandler<LambdaHandler, LambdaEvent, Context> = (options) =>
  createHandlerFor({ adapters: lambdaAdapters }, options) as LambdaHandler;

/** A handler that writes its answer into a stream of Lambda's runtime. A property of the handler asks the runtime for that stream. */
export interface LambdaStreamingHandler extends Closable {
  (event: APIGatewayProxyEventV2 | APIGatewayProxyEvent, responseStream: ResponseStream, context?: Context): Promise<void>;
}

/**
 * Makes a handler for a Lambda function that streams: behind a function URL with `InvokeMode: RESPONSE_STREAM`, or a
 * REST API whose integration streams. Subscription events are sent as they come, and answers may be larger than Lambda's usual
 * 6 MB. Throws for wrong options and wrong schema text; the handler rejects events of other sources.
 *
 * @example
 * ```ts
 * import { createStreamingHandler } from 'graphql-functions/aws-lambda';
 *
 * export default createStreamingHandler({ csrfPrevention: true, typeDefs, resolvers });
 * ```
 */
export const createStreamingHandler: CreateHandler<LambdaStreamingHandler, APIGatewayProxyEventV2 | APIGatewayProxyEvent, Context> = (
  options,
) => createUntypedStreamingHandler(options as OptionsSource<ServerOptions>) as LambdaStreamingHandler;
