import { GraphQLError } from 'graphql';

import { VariablesLimit, parseJSON } from '../../server/index.ts';
import { HeaderMap, capacityOf } from '../../shared/index.ts';
import type { HTTPResponse, Invocation } from '../../shared/index.ts';
import { HttpQueryError } from '../errors/apollo-error.ts';
import { formatApolloErrors } from '../errors/format-errors.ts';
import { runOperation } from '../operation/operation.ts';
import { setFields } from '../operation/request-context.ts';
import type { QueryOptions } from '../options.ts';
import type { ApolloServerPlugin, GraphQLRequest, GraphQLResponse, HTTPRequestHead } from '../types.ts';

/** The most operations of a batch. They share the limits of documents, answers and errors; this bounds everything else. */
const maxBatchSize = 100;
/** Limits objects and lists of variables. The size of the body itself is limited by `bodyParserConfig`. */
const maxBodyBytes = 2 ** 20;

/** Runs the operation or the batch of a request. Throws an {@link HttpQueryError} for an answer that is not the answer of an operation. */
export async function runQuery(
  options: QueryOptions,
  given: unknown,
  http: HTTPRequestHead,
  invocation: Invocation,
): Promise<HTTPResponse> {
  assertContext(options);
  const payload = payloadOf(http.method, given);
  const isBatched = Array.isArray(payload);
  if (isBatched && options.allowBatchedHttpRequests === false) throw graphqlError(400, new Error('Operation batching disabled.'), options);
  if (isBatched && payload.length > maxBatchSize)
    throw graphqlError(400, new Error(`Expected a batch of at most ${maxBatchSize} operations, got ${payload.length}.`), options);
  const limit = new VariablesLimit(maxBodyBytes);
  const requests = (isBatched ? payload : [payload]).map((one: unknown): GraphQLRequest => ({ ...readParameters(one, limit), http }));
  // First, so that other plugins do not see an operation that must not run.
  const settings = { ...options, plugins: [refuseMutationsByGET, ...options.plugins] };
  // The platform's limit of an answer, else 32 MiB.
  const capacity = capacityOf({ platform: invocation.resultLimit ?? { name: 'this host' }, maxBytes: 32 * 2 ** 20 });
  const run = async (request: GraphQLRequest): Promise<GraphQLResponse> => {
    const call = { invocation: invocation.forOperation(), capacity, operations: requests.length, isBatched };
    try {
      return await runOperation(settings, request, call);
    } catch (error) {
      if (isBatched) return { errors: formatApolloErrors([error as Error], { ...options, formatter: options.formatError }) };
      throw error instanceof HttpQueryError ? error : graphqlError(500, error as Error, options);
    }
  };
  return toResponse(await Promise.all(requests.map(run)), isBatched);
}

function toResponse(responses: readonly GraphQLResponse[], isBatched: boolean): HTTPResponse {
  const headers = new HeaderMap();
  const [{ errors: refusals, data: answered }] = responses as [GraphQLResponse];
  let status = !isBatched && refusals !== undefined && answered === undefined ? 400 : 200;
  for (const { http } of responses) {
    setFields(headers, http?.headers ?? []);
    if (http?.status) status = http.status;
  }
  const bodies = responses.map(({ errors, data, extensions }) => ({ errors, data, extensions }));
  return { status, headers, body: toText(isBatched ? bodies : bodies[0]) };
}

/** A failed context is a client error only if the error has another code than INTERNAL_SERVER_ERROR. */
function assertContext(options: QueryOptions): void {
  if (typeof options.context !== 'function') return;
  try {
    options.context();
  } catch (thrown) {
    const text = String((thrown as { readonly message?: unknown } | null | undefined)?.message ?? thrown);
    const error = thrown instanceof Error ? thrown : new Error(text);
    const code = (error as { readonly extensions?: { readonly code?: unknown } }).extensions?.code;
    // A copy, because the same error may be thrown for each request.
    const shown = Object.create(error, { message: { value: `Context creation failed: ${text}` } }) as Error;
    throw graphqlError(code && code !== 'INTERNAL_SERVER_ERROR' ? 400 : 500, shown, options);
  }
}

function payloadOf(method: string, given: unknown): object {
  const isEmpty = typeof given !== 'object' || given === null || Object.keys(given).length === 0;
  if (method === 'POST' && isEmpty) throw new HttpQueryError(400, bodyMissing);
  if (method === 'GET' && isEmpty) throw new HttpQueryError(400, 'GET query missing.');
  if (method !== 'POST' && method !== 'GET')
    throw new HttpQueryError(405, 'Apollo Server supports only GET/POST requests.', false, { allow: 'GET, POST' });
  return given as object;
}

const bodyMissing = 'POST body missing, invalid Content-Type, or JSON object has no keys.';

/** Body or query parameters → operation request. In a query string, variables and extensions are JSON text; some clients send text in bodies, too. */
function readParameters(parameters: unknown, limit: VariablesLimit): GraphQLRequest {
  if (parameters === null || parameters === undefined) throw new HttpQueryError(400, bodyMissing);
  const { query, operationName, variables: sent, extensions: given } = parameters as Record<string, any>;
  const extensions = parsed(given, 'Extensions are invalid JSON.');
  if (query && typeof query !== 'string')
    throw new HttpQueryError(400, query.kind === 'Document' ? documentAsQuery : 'GraphQL queries must be strings.');
  const variables = parsed(sent, 'Variables are invalid JSON.');
  const problem = typeof variables === 'object' && variables !== null ? limit.problemOf(variables) : undefined;
  if (problem !== undefined) throw new HttpQueryError(400, problem);
  return { query, operationName, variables, extensions } as GraphQLRequest;
}

function parsed(value: unknown, complaint: string): unknown {
  if (typeof value !== 'string' || value === '') return value;
  try {
    return parseJSON(value, Infinity, false);
  } catch {
    throw new HttpQueryError(400, complaint);
  }
}

const documentAsQuery =
  "GraphQL queries must be strings. It looks like you're sending the internal graphql-js representation of a parsed query in your request " +
  'instead of a request in the GraphQL query language. You can convert an AST to a string using the `print` function from `graphql`, or use ' +
  'a client like `apollo-client` which converts the internal representation to a string for you.';

/** Any link can send a GET, so it must not change anything. */
const refuseMutationsByGET: ApolloServerPlugin = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ request, operation }) => {
      if (request.http?.method !== 'GET') return;
      // With a custom executor, the document may have no matching operation. The messages are those of graphql-js.
      if ((operation as typeof operation | undefined) === undefined)
        throw new GraphQLError(
          request.operationName
            ? `Unknown operation named "${request.operationName}".`
            : 'Must provide operation name if query contains multiple operations.',
        );
      if (operation.operation !== 'query') throw new HttpQueryError(405, 'GET supports only query operation', false, { allow: 'POST' });
    },
  }),
};

/** The error for a refused request, with a GraphQL answer as its message. */
function graphqlError(status: number, error: Error, options: QueryOptions): HttpQueryError {
  const body = toText({ errors: formatApolloErrors([error], { ...options, formatter: options.formatError }) });
  return new HttpQueryError(status, body, true, { 'Content-Type': 'application/json' });
}

/** Ends with a newline, as in version 3. */
function toText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
