import { GraphQLError } from 'graphql';

import { describe, isRecord } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest } from '../../shared/index.ts';
import { errorBehaviors } from '../operation/errors.ts';
import type { ErrorBehavior } from '../operation/types.ts';
import type { GraphQLRequest } from '../operation/types.ts';
import { VariablesLimit, assertJSONSize, parseJSON, readText, readValue } from './body.ts';
import { badRequest, malformedRequest, queryStringTooLong } from './errors.ts';

/** The settings needed to read a request. */
export interface RequestSettings {
  /** Bytes of a decoded body, and characters of a query string. */
  readonly maxBodyBytes: number;
  /** Elements of a batch; 0 refuses batches. */
  readonly maxBatchSize: number;
  /** True if a request may name a document by an id. */
  readonly takesDocumentIds: boolean;
  /** True if the message for a body that does not parse may quote it. */
  readonly development: boolean;
}

/** The elements of a batch; in place of a malformed one, its error. */
export type BatchElements = readonly (GraphQLRequest | GraphQLError)[];

/** The operations of a request. All elements of a batch are checked before any runs. */
export type ParsedRequest =
  | { readonly kind: 'single'; readonly request: GraphQLRequest }
  | { readonly kind: 'batch'; readonly elements: BatchElements };

/** `HTTPRequest` → its operations; a promise only if the body has yet to be read. Throws a 4xx. */
export function parseGraphQLRequest(settings: RequestSettings, { method, queryString, body }: HTTPRequest): PromiseOrValue<ParsedRequest> {
  const { maxBodyBytes, development } = settings;
  if (method === 'GET') return { kind: 'single', request: readQueryString(settings, queryString) };
  if (body.kind === 'value') return readRequest(settings, readValue(body, maxBodyBytes));
  const text = readText(body, maxBodyBytes);
  if (text instanceof Promise) return text.then((read) => readRequest(settings, parseJSON(read, maxBodyBytes, development)));
  return readRequest(settings, parseJSON(text, maxBodyBytes, development));
}

function readRequest(settings: RequestSettings, json: unknown): ParsedRequest {
  if (!Array.isArray(json)) return { kind: 'single', request: readParameters(settings, json) };
  const { maxBatchSize, maxBodyBytes } = settings;
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (json.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (json.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${json.length}.`);
  // The elements share a limit.
  const limit = new VariablesLimit(maxBodyBytes);
  const elements = json.map((element): GraphQLRequest | GraphQLError => {
    try {
      return readParameters(settings, element, limit);
    } catch (error) {
      // A malformed element becomes an error, so that the others still run.
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  });
  return { kind: 'batch', elements };
}

type Extensions = GraphQLRequest['extensions'];

/** The parameters of an operation request. An empty string and null count as absent. Throws a 422. */
function readParameters(settings: RequestSettings, json: unknown, limit?: VariablesLimit): GraphQLRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw malformedRequest(`Expected an operation request to be a JSON object like { "query": "{ … }" }, got ${describe(json)}.`);
  const { query, operationName, variables, extensions, onError } = json as Readonly<Record<string, unknown>>;
  if (typeof (query ?? '') !== 'string') throw wrongType('"query"', 'a string', query);
  if (typeof (operationName ?? '') !== 'string') throw wrongType('"operationName"', 'a string', operationName);
  if ((variables ?? '') !== '' && !isRecord(variables)) throw wrongType('"variables"', 'a JSON object', variables);
  if ((extensions ?? '') !== '' && !isRecord(extensions)) throw wrongType('"extensions"', 'a JSON object', extensions);
  const given = (extensions || undefined) as Extensions;
  let documentId: string | undefined;
  if (!query || settings.takesDocumentIds) {
    const ids = documentIdsOf(json as Readonly<Record<string, unknown>>, given);
    documentId = settings.takesDocumentIds ? readDocumentId(ids, given) : undefined;
    if (!query && documentId === undefined && !isRecord(given?.['persistedQuery'])) {
      const hint = ids.length === 0 ? '' : ` This server has no trusted documents that ${ids[0]![0]} could name.`;
      const isEmpty = query === '' ? 'empty' : 'missing';
      throw malformedRequest(`Expected "query" to be the text of a GraphQL document, but it is ${isEmpty}.${hint}`);
    }
  }
  const problem = variables ? (limit ?? new VariablesLimit(settings.maxBodyBytes)).problemOf(variables) : undefined;
  if (problem !== undefined) throw malformedRequest(problem);
  const request = {
    query: (query as string) || undefined,
    operationName: (operationName as string) || undefined,
    variables: (variables as GraphQLRequest['variables']) || undefined,
    extensions: given,
    onError: onError === undefined && given === undefined ? undefined : readErrorBehavior(onError, given?.['onError']),
  };
  return documentId === undefined ? request : { ...request, documentId };
}

function wrongType(name: string, expected: string, value: unknown): GraphQLError {
  return malformedRequest(`Expected ${name} to be ${expected}, got ${describe(value)}.`);
}

/** `onError` and `documentId` may be extensions, too: GraphQL over HTTP reserves other parameters for its later editions. */
function readErrorBehavior(...values: readonly unknown[]): ErrorBehavior | undefined {
  const given = values.filter(isPresent);
  const unknown = given.find((value) => !errorBehaviors.includes(value as ErrorBehavior));
  if (unknown !== undefined) throw wrongType('"onError"', '"NULL" or "PROPAGATE" or "HALT"', unknown);
  const [one, other = one] = given;
  if (one === other) return one as ErrorBehavior | undefined;
  throw malformedRequest(`Expected "onError" and "extensions.onError" to be the same, got ${describe(one)} and ${describe(other)}.`);
}

/** The names of the proposal for persisted documents, of Apollo's gateways, and of Relay. */
const documentIdNames = ['documentId', 'id', 'doc_id'];

type NamedId = readonly [name: string, id: unknown];

/** The document ids of a request, with their names for messages. */
function documentIdsOf(json: Readonly<Record<string, unknown>>, extensions: Extensions): readonly NamedId[] {
  const ids = documentIdNames.map((name): NamedId => [`"${name}"`, json[name]]);
  return [...ids, ['"extensions.documentId"', extensions?.['documentId']] as const].filter(([, id]) => isPresent(id));
}

/** A request that names two documents is refused: whichever ran, a cache or a log may have taken the other. */
function readDocumentId(given: readonly NamedId[], extensions: Extensions): string | undefined {
  for (const [name, id] of given) if (typeof id !== 'string') throw wrongType(name, 'a string', id);
  const [first] = given as readonly (readonly [string, string])[];
  if (first === undefined) return undefined;
  const hash = (extensions?.['persistedQuery'] as { readonly sha256Hash?: unknown } | null | undefined)?.sha256Hash;
  const other =
    given.find(([, id]) => id !== first[1]) ??
    (isPresent(hash) && hash !== first[1].replace(/^sha256:/, '') ? ['"extensions.persistedQuery.sha256Hash"', hash] : undefined);
  if (other === undefined) return first[1];
  const [one, two] = [first[1], other[1]].map((id) => (typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : describe(id)));
  throw malformedRequest(`Expected the document id and ${String(other[0])} to be the same, got ${one} and ${two}.`);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

const parameterNames = ['query', 'operationName', 'variables', 'extensions', 'onError'];

function readQueryString(settings: RequestSettings, queryString: string): GraphQLRequest {
  const { maxBodyBytes, takesDocumentIds } = settings;
  if (queryString.length > maxBodyBytes) throw queryStringTooLong(maxBodyBytes, queryString.length);
  const names = takesDocumentIds ? [...parameterNames, ...documentIdNames] : parameterNames;
  const parameters = parseQueryString(queryString, names);
  for (const name of ['variables', 'extensions']) {
    const text = parameters[name] as string | undefined;
    if (text) parameters[name] = parseParameter(name, text, maxBodyBytes);
  }
  return readParameters(settings, parameters);
}

function parseParameter(name: string, text: string, maxBytes: number): unknown {
  assertJSONSize(text, maxBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw malformedRequest(`Expected the parameter "${name}" to be the text of a JSON object, but it does not parse.`);
  }
}

/** Leaves room for parameters that a gateway adds. */
const maxParameters = 1000;

/** The named parameters of a query string, decoded. Throws a 4xx for one that does not decode, or occurs twice. */
function parseQueryString(queryString: string, wanted: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const pairs = queryString.split('&', maxParameters + 1);
  if (pairs.length > maxParameters) throw malformedRequest(`Expected a query string of at most ${maxParameters} parameters, got more.`);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined || !wanted.includes(name)) continue;
    if (name in found) throw malformedRequest(`Expected the parameter "${name}" once in the query string, got it twice.`);
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (value === undefined) throw badRequest('Expected a percent-encoded query string in UTF-8, but one of its escapes does not decode.');
    found[name] = value;
  }
  return found;
}

/** Decodes application/x-www-form-urlencoded; undefined for an invalid escape. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
