import type { GraphQLError } from 'graphql';

import type { HTTPRequest } from '../message/http-request.ts';
import { describe } from '../operation/errors.ts';
import type { GraphQLRequest } from '../operation/graphql-request.ts';
import { readJSON } from './body.ts';
import { badRequest, malformedRequest, queryStringTooLong } from './errors.ts';

/** What is needed to read a request. */
export interface RequestSettings {
  /** Bytes of a decoded body, and characters of a query string. */
  readonly maxBodyBytes: number;
  /** Elements of a batch; 0 refuses batches. */
  readonly maxBatchSize: number;
}

/** What a client asked for: one operation, or several whose shapes are all known before any runs. */
export type ParsedRequest =
  | { readonly kind: 'single'; readonly request: GraphQLRequest }
  | { readonly kind: 'batch'; readonly elements: readonly (GraphQLRequest | GraphQLError)[] };

/** `HTTPRequest` → what it asks for. A promise only when the body is still to be read. Throws a 4xx. */
export function parseGraphQLRequest(settings: RequestSettings, request: HTTPRequest): ParsedRequest | Promise<ParsedRequest> {
  if (request.method === 'GET') return { kind: 'single', request: parseQueryString(settings, request.queryString) };
  const body = readJSON(request.body, settings.maxBodyBytes);
  return body instanceof Promise ? body.then((json) => parseBody(settings, json)) : parseBody(settings, body);
}

function parseBody(settings: RequestSettings, json: unknown): ParsedRequest {
  return Array.isArray(json) ? parseBatch(settings, json) : { kind: 'single', request: parseParameters(json) };
}

function parseBatch({ maxBatchSize }: RequestSettings, elements: readonly unknown[]): ParsedRequest {
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (elements.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (elements.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${elements.length}.`);
  return { kind: 'batch', elements: elements.map(parseElement) };
}

/** A malformed element becomes its own error: it must not take its neighbours with it. */
function parseElement(element: unknown): GraphQLRequest | GraphQLError {
  const problem = problemOf(element);
  return problem === undefined ? toRequest(element as Parameters) : malformedRequest(problem);
}

function parseParameters(json: unknown): GraphQLRequest {
  const problem = problemOf(json);
  if (problem !== undefined) throw malformedRequest(problem);
  return toRequest(json as Parameters);
}

/** The parameters of an operation request, known to be of the right types. The empty string and null equal absence. */
interface Parameters {
  readonly query?: string | null;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly extensions?: Readonly<Record<string, unknown>> | null;
}

function problemOf(json: unknown): string | undefined {
  if (!isObject(json)) return `Expected an operation request to be a JSON object like { "query": "{ … }" }, got ${describe(json)}.`;
  const { query, operationName, variables, extensions } = json;
  if (!isAbsent(query) && typeof query !== 'string') return `Expected "query" to be a string, got ${describe(query)}.`;
  if (!isAbsent(operationName) && typeof operationName !== 'string')
    return `Expected "operationName" to be a string, got ${describe(operationName)}.`;
  if (!isAbsent(variables) && !isObject(variables)) return `Expected "variables" to be a JSON object, got ${describe(variables)}.`;
  if (!isAbsent(extensions) && !isObject(extensions)) return `Expected "extensions" to be a JSON object, got ${describe(extensions)}.`;
  if (isAbsent(query) && !isObject(extensions?.['persistedQuery']))
    return 'Expected "query" to be the text of a GraphQL document, but it is missing.';
  if (query === '' && !isObject(extensions?.['persistedQuery']))
    return 'Expected "query" to be the text of a GraphQL document, but it is empty.';
  return undefined;
}

function toRequest({ query, operationName, variables, extensions }: Parameters): GraphQLRequest {
  return {
    query: query || undefined,
    operationName: operationName || undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseQueryString({ maxBodyBytes }: RequestSettings, queryString: string): GraphQLRequest {
  if (queryString.length > maxBodyBytes) throw queryStringTooLong(maxBodyBytes, queryString.length);
  const found = new Map<string, string>();
  for (const pair of queryString.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (!parameterNames.has(name)) continue;
    if (found.has(name)) throw malformedRequest(`Expected the parameter "${name}" once in the query string, got it twice.`);
    found.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return parseParameters({
    query: found.get('query'),
    operationName: found.get('operationName'),
    variables: jsonParameter('variables', found),
    extensions: jsonParameter('extensions', found),
  });
}

const parameterNames = new Set(['query', 'operationName', 'variables', 'extensions']);

/** application/x-www-form-urlencoded, but strict: what does not decode is refused instead of guessed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('Expected a percent-encoded query string in UTF-8, but an escape in it does not decode.');
  }
}

function jsonParameter(name: string, found: ReadonlyMap<string, string>): unknown {
  const text = found.get(name);
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw malformedRequest(`Expected the parameter "${name}" to be the text of a JSON object, but it does not parse.`);
  }
}
