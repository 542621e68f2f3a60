import { GraphQLError } from 'graphql';

import { describe, isRecord } from '../../../shared/index.ts';
import { errorBehaviors } from '../../operation/errors.ts';
import type { ErrorBehavior, GraphQLRequest } from '../../operation/types.ts';
import { assertJSONSize, VariablesLimit } from '../body.ts';
import type { BodySettings } from '../body.ts';
import { badRequest, malformedRequest, queryStringTooLong } from '../errors.ts';

/** The settings needed to read a request. */
export interface RequestSettings extends BodySettings {
  /** Elements of a batch; 0 refuses batches. */
  readonly maxBatchSize: number;
  /** True if a request may name a document by an id. */
  readonly takesDocumentIds: boolean;
}

/**
 * Reads the operations of a batch. A malformed element becomes an error, so that the others still run. All elements are checked before any
 * runs.
 */
export function readBatch(settings: RequestSettings, elements: readonly unknown[]): readonly (GraphQLRequest | GraphQLError)[] {
  const { maxBatchSize, maxBodyBytes } = settings;
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (elements.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (elements.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${elements.length}.`);
  // The elements share a limit.
  const limit = new VariablesLimit(maxBodyBytes, elements);
  return elements.map((element) => {
    try {
      return readParameters(settings, element, limit);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  });
}

type Extensions = GraphQLRequest['extensions'];

/**
 * Reads the parameters of an operation request. An empty string and null count as absent. Throws an error with status 422 for a wrong
 * parameter.
 */
export function readParameters(settings: RequestSettings, json: unknown, limit?: VariablesLimit): GraphQLRequest {
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
  const problem = variables ? (limit ?? new VariablesLimit(settings.maxBodyBytes, json)).problemOf(variables) : undefined;
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
  // Beside a text, a number is an id of the client's own, as in JSON-RPC.
  const isID = (id: unknown): boolean => isPresent(id) && (typeof id !== 'number' || !json['query']);
  return [...ids, ['"extensions.documentId"', extensions?.['documentId']] as const].filter(([, id]) => isID(id));
}

/** Refuses a request that names two documents: one would run, and a cache or a log might take the other. */
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

/** The parameters of a query string that name an operation, and its variables. */
export const operationParameters: readonly string[] = [...parameterNames, ...documentIdNames];

export function readQueryString(settings: RequestSettings, queryString: string): GraphQLRequest {
  const { maxBodyBytes, takesDocumentIds } = settings;
  if (queryString.length > maxBodyBytes) throw queryStringTooLong(maxBodyBytes, queryString.length);
  const names = takesDocumentIds ? operationParameters : parameterNames;
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
