import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';

import { createHandlerFor } from './handler.ts';
import type { ServerOptions } from './options.ts';
import { lambdaAdapters } from './platform/lambda.ts';
import type { OptionsSource } from './start.ts';

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
  options: OptionsSource<ServerOptions<TContext, TDataSources, LambdaEvent, Context>>,
): LambdaHandler {
  // Inside, the user's types are of no use: they flow from option to option, and end here.
  return createHandlerFor(lambdaAdapters, options as OptionsSource<ServerOptions>) as LambdaHandler;
}
