import { createUnobservedHandler, readHeaders, splitURL } from '../../server/for-v3.ts';
import type { PlatformAdapter } from '../../server/for-v3.ts';
import type { HTTPRequestBody, HTTPResponse } from '../../shared/index.ts';
import type { CORSOptionsOfVersion2 } from '../http/cors.ts';
import type { HealthCheckOptions } from '../http/serve.ts';
import { ApolloServerBase } from '../server/apollo-server-base.ts';
import type { GraphQLServerOptions } from '../server/query-options.ts';
import { servingOf, toServerOptions } from '../server/serving.ts';

/** The argument of the context function: Azure's request and context. */
export interface AzureContextFunctionParams {
  // Any: @azure/functions is not a dependency.
  request: any;
  context: any;
}

/** The options of `createHandler` in apollo-server-azure-functions. */
export interface CreateHandlerOptions extends HealthCheckOptions {
  /** Default: every origin, without credentials. */
  readonly cors?: CORSOptionsOfVersion2 | false;
}

/** A function of Azure's programming model 1 to 3. It answers by `context.done`, so function.json stays as it is. */
export type AzureFunction = (context: any, request: any) => void;

/** The part of Azure's context that this server uses. */
export interface AzureContext {
  done(error?: unknown, result?: unknown): void;
}

/** The part of Azure's request that this server reads. */
export interface AzureRequest {
  readonly method?: string | null;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * The server of apollo-server-azure-functions 3.
 *
 * @example
 * ```ts
 * import { ApolloServer, gql } from 'graphql-functions/v3/azure-functions';
 *
 * const server = new ApolloServer({ typeDefs: gql`type Query { hello: String }`, resolvers: { Query: { hello: () => 'world' } } });
 * export default server.createHandler();
 * ```
 */
export class ApolloServer<ContextFunctionParams = AzureContextFunctionParams> extends ApolloServerBase<ContextFunctionParams> {
  /** Creates the function. */
  createHandler({ cors, ...options }: CreateHandlerOptions = {}): AzureFunction {
    const settings = this.handlerSettings(({ apiGateway }) => {
      const { request, context } = apiGateway.event as AzureCall;
      return this.createGraphQLServerOptions(request, context);
    });
    const serving = servingOf({ ...(cors !== undefined && { cors }), expressGetMiddlewareOptions: options }, settings);
    const serve = createUnobservedHandler({ adapters: [azure] }, toServerOptions(settings, serving));
    // Not async: a function of this model either calls done or returns a promise, never both.
    return (context: AzureContext, request) => {
      serve({ context, request }).then(
        (result) => context.done(null, result),
        (error: unknown) => context.done(error),
      );
    };
  }

  /** The settings for one request. To override: change what `super` returns. */
  async createGraphQLServerOptions(request: AzureRequest, context: AzureContext): Promise<GraphQLServerOptions> {
    return this.graphQLServerOptions({ request, context } as ContextFunctionParams);
  }

  /** It starts by itself, because a function platform offers no step before the first request. */
  protected override serverlessFramework(): boolean {
    return true;
  }
}

/** One call of a function. */
interface AzureCall {
  readonly context: AzureContext;
  readonly request: AzureRequest;
}

/** Azure's HTTP trigger, its request parsed by the host. */
const azure: PlatformAdapter<AzureCall> = {
  name: 'Azure Functions',
  recognizes: (event) => 'context' in event && 'request' in event,
  toRequest({ request }) {
    const { method, url = '/', headers = {}, query } = request;
    const { path, queryString } = splitURL(url);
    return {
      method: method?.toUpperCase() ?? '',
      path,
      queryString: queryString === '' ? String(new URLSearchParams(query)) : queryString,
      headers: readHeaders(headers),
      body: bodyOf(request),
    };
  },
  toResult: ({ status, headers, body }: HTTPResponse) => ({ status, headers: headers.toRecord(), body: body ?? '' }),
};

function bodyOf({ body, rawBody }: AzureRequest): HTTPRequestBody {
  if (typeof rawBody === 'string') return { kind: 'text', text: rawBody };
  if (body === undefined || body === null) return { kind: 'none' };
  return typeof body === 'string' ? { kind: 'text', text: body } : { kind: 'value', value: body };
}
