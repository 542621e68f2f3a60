import { GraphQLError } from 'graphql';
import type { ValidationRule } from 'graphql';

import { VariablesLimit } from '../../server/for-v3.ts';
import { HeaderMap, capacityOf } from '../../shared/index.ts';
import type { Capacity, Invocation } from '../../shared/index.ts';
import { formatApolloErrors } from '../errors/format-errors.ts';
import { createRequestContext, setFields } from '../operation/request-context.ts';
import { processGraphQLRequest } from '../operation/pipeline.ts';
import type { OperationCall, PipelineConfig } from '../operation/operation.ts';
import type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, HTTPRequestHead, SchemaHash } from '../types.ts';
import { HttpQueryError } from '../errors/apollo-error.ts';

/** The settings and the context value of a request. A function as context throws the error with which the context failed. */
export interface QueryOptions extends PipelineConfig {
  readonly validationRules?: readonly ValidationRule[] | undefined;
  readonly context: object | (() => never);
  readonly hashSchema: () => SchemaHash;
  readonly allowBatchedHttpRequests?: boolean | undefined;
}

/** An HTTP request with its body or query parameters parsed. */
export interface QueryRequest {
  readonly method: string;
  readonly query: unknown;
  readonly head: HTTPRequestHead;
  readonly options: () => Promise<QueryOptions>;
  readonly invocation: Invocation;
}

/** Status, header fields and body of an answer. */
export interface QueryResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: string;
}

/** The most operations of a batch. They share the limits of documents, answers and errors; this bounds everything else. */
const maxBatchSize = 100;

/** Runs the operation, or the batch, of a request. Throws an {@link HttpQueryError} for other answers than those of an operation. */
export async function runHttpQuery(request: QueryRequest): Promise<QueryResponse> {
  const options = await request.options();
  assertContext(options);
  const payload = payloadOf(request);
  // First, so that other plugins do not see an operation that must not run.
  const config = { ...options, plugins: [refuseMutationsByGET, ...options.plugins] };
  try {
    return Array.isArray(payload) ? await runBatch(config, payload, request) : await runOne(config, payload, request);
  } catch (error) {
    if (error instanceof HttpQueryError) throw error;
    throw graphqlError(500, [error as Error], options);
  }
}

/** A failed context is a client error only if the error has another code than INTERNAL_SERVER_ERROR. */
function assertContext(options: QueryOptions): void {
  if (typeof options.context !== 'function') return;
  try {
    options.context();
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(textOf(thrown));
    // The same error may be thrown for each request.
    const shown = error.message.startsWith(contextFailed) ? error : withMessage(error, `${contextFailed}${error.message}`);
    const code = (error as { readonly extensions?: { readonly code?: unknown } }).extensions?.code;
    throw graphqlError(code && code !== 'INTERNAL_SERVER_ERROR' ? 400 : 500, [shown], options);
  }
}

function textOf(thrown: unknown): string {
  return String((thrown as { readonly message?: unknown } | null | undefined)?.message ?? thrown);
}

const contextFailed = 'Context creation failed: ';

/** The error itself, as version 3 did; a copy where its message cannot be set. */
function withMessage(error: Error, message: string): Error {
  if (Reflect.set(error, 'message', message)) return error;
  return Object.create(error, { message: { value: message } }) as Error;
}

function payloadOf({ method, query }: QueryRequest): Record<string, any> | unknown[] {
  const isEmpty = typeof query !== 'object' || query === null || Object.keys(query).length === 0;
  if (method === 'POST' && isEmpty) throw new HttpQueryError(400, 'POST body missing, invalid Content-Type, or JSON object has no keys.');
  if (method === 'GET' && isEmpty) throw new HttpQueryError(400, 'GET query missing.');
  if (method !== 'POST' && method !== 'GET')
    throw new HttpQueryError(405, 'Apollo Server supports only GET/POST requests.', false, { allow: 'GET, POST' });
  return query as Record<string, any>;
}

async function runOne(config: QueryOptions, payload: Record<string, any>, { head, invocation }: QueryRequest): Promise<QueryResponse> {
  const context = createRequestContext(config, readParameters(head, payload, new VariablesLimit(maxBodyBytes)), false);
  const response = await processGraphQLRequest(config, context, { ...callOf(invocation), operations: 1 });
  const { http } = response;
  const headers = new HeaderMap(http?.headers);
  const isRefused = response.errors !== undefined && response.data === undefined;
  const { errors, data, extensions } = response;
  const body = isRefused ? { errors, ...(extensions && { extensions }) } : { errors, data, extensions };
  return { status: http?.status || (isRefused ? 400 : 200), headers, body: toText(body) };
}

async function runBatch(config: QueryOptions, payload: readonly unknown[], { head, invocation }: QueryRequest): Promise<QueryResponse> {
  if (config.allowBatchedHttpRequests === false) throw graphqlError(400, [new Error('Operation batching disabled.')], config);
  if (payload.length > maxBatchSize)
    throw graphqlError(400, [new Error(`Expected a batch of at most ${maxBatchSize} operations, got ${payload.length}.`)], config);
  const limit = new VariablesLimit(maxBodyBytes);
  const requests = payload.map((parameters) => readParameters(head, parameters, limit));
  const operations = requests.length;
  const responses = await Promise.all(
    requests.map(async (request): Promise<GraphQLResponse> => {
      try {
        return await processGraphQLRequest(config, createRequestContext(config, request, true), { ...callOf(invocation), operations });
      } catch (error) {
        return {
          errors: formatApolloErrors([error as Error], {
            formatter: config.formatError,
            debug: config.debug,
            showStacks: config.showStacks,
          }),
        };
      }
    }),
  );
  const headers = new HeaderMap();
  let status = 200;
  for (const { http } of responses) {
    setFields(headers, http?.headers ?? []);
    if (http?.status) status = http.status;
  }
  return {
    status,
    headers,
    body: toText(responses.map(({ errors, data, extensions }) => ({ errors, data, extensions }))),
  };
}

/** Limits objects and lists of variables. The size of the body itself is limited by `bodyParserConfig`. */
const maxBodyBytes = 1024 * 1024;

function callOf(invocation: Invocation): Pick<OperationCall, 'invocation' | 'capacity'> {
  return { invocation: invocation.clock.view({ until: 'disconnect' }), capacity: capacityFor(invocation) };
}

/** The platform's limit of an answer, else 32 MiB. */
function capacityFor(invocation: Invocation): Capacity {
  return capacityOf({ platform: invocation.resultLimit ?? { name: 'this host' }, maxBytes: 32 * 1024 * 1024 });
}

/** Body or query parameters → operation request. In a query string, variables and extensions are JSON text; some clients send text in bodies, too. */
function readParameters(head: HTTPRequestHead, parameters: unknown, limit: VariablesLimit): GraphQLRequest {
  if (parameters === null || parameters === undefined)
    throw new HttpQueryError(400, 'POST body missing, invalid Content-Type, or JSON object has no keys.');
  const { query, operationName, variables, extensions } = parameters as Record<string, any>;
  const parsedExtensions: unknown = parsed(extensions, 'Extensions are invalid JSON.');
  if (query && typeof query !== 'string')
    throw new HttpQueryError(400, query.kind === 'Document' ? documentAsQuery : 'GraphQL queries must be strings.');
  const parsedVariables = parsed(variables, 'Variables are invalid JSON.');
  const problem = typeof parsedVariables === 'object' && parsedVariables !== null ? limit.problemOf(parsedVariables) : undefined;
  if (problem !== undefined) throw new HttpQueryError(400, problem);
  return {
    query,
    operationName,
    variables: parsedVariables as Record<string, any>,
    extensions: parsedExtensions as Record<string, any>,
    http: head,
  };
}

function parsed(value: unknown, complaint: string): unknown {
  if (typeof value !== 'string' || value === '') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new HttpQueryError(400, complaint);
  }
}

const documentAsQuery =
  "GraphQL queries must be strings. It looks like you're sending the " +
  'internal graphql-js representation of a parsed query in your ' +
  'request instead of a request in the GraphQL query language. You ' +
  'can convert an AST to a string using the `print` function from ' +
  '`graphql`, or use a client like `apollo-client` which converts ' +
  'the internal representation to a string for you.';

/** Any link can send a GET, so it must not change anything. */
const refuseMutationsByGET: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ request, operation }) {
        if (request.http?.method !== 'GET') return;
        // With a custom executor, the document may have no matching operation.
        if ((operation as typeof operation | undefined) === undefined) throw noOperation(request.operationName);
        if (operation.operation !== 'query') throw new HttpQueryError(405, 'GET supports only query operation', false, { allow: 'POST' });
      },
    };
  },
};

/** The messages of graphql-js. */
function noOperation(name: string | null | undefined): GraphQLError {
  return new GraphQLError(
    name ? `Unknown operation named "${name}".` : 'Must provide operation name if query contains multiple operations.',
  );
}

/** The error for a refused request, with a GraphQL answer as its message. */
function graphqlError(
  status: number,
  errors: readonly Error[],
  { formatError, debug, showStacks }: Pick<QueryOptions, 'formatError' | 'debug' | 'showStacks'>,
): HttpQueryError {
  const body = toText({ errors: formatApolloErrors(errors, { formatter: formatError, debug, showStacks }) });
  return new HttpQueryError(status, body, true, { 'Content-Type': 'application/json' });
}

/** Ends with a newline, as in version 3. */
function toText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
