import { GraphQLError } from 'graphql';

import { describe, isRecord } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest } from '../../shared/index.ts';
import { errorBehaviors } from '../operation/error-behavior.ts';
import type { ErrorBehavior } from '../operation/error-behavior.ts';
import type { GraphQLRequest } from '../operation/types.ts';
import { assertJSONSize, parseJSON, readText, readValue } from './body.ts';
import { badRequest, malformedRequest, queryStringTooLong } from './errors.ts';
import { VariablesLimit } from './variables-limit.ts';

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
  if (method === 'GET') return { kind: 'single', request: parseGET(settings, queryString) };
  if (body.kind === 'value') return parseBody(settings, readValue(body, settings.maxBodyBytes));
  const text = readText(body, settings.maxBodyBytes);
  return text instanceof Promise
    ? parseLater(settings, text)
    : parseBody(settings, parseJSON(text, settings.maxBodyBytes, settings.development));
}

async function parseLater(settings: RequestSettings, text: Promise<string>): Promise<ParsedRequest> {
  return parseBody(settings, parseJSON(await text, settings.maxBodyBytes, settings.development));
}

function parseBody(settings: RequestSettings, json: unknown): ParsedRequest {
  if (!Array.isArray(json)) return { kind: 'single', request: readParameters(settings, json) };
  const { maxBatchSize, maxBodyBytes } = settings;
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (json.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (json.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${json.length}.`);
  // The elements share a limit.
  const limit = new VariablesLimit(maxBodyBytes);
  return { kind: 'batch', elements: json.map((element) => readElement(settings, element, limit)) };
}

/** A malformed element becomes an error, so that the others still run. */
function readElement(settings: RequestSettings, element: unknown, limit: VariablesLimit): GraphQLRequest | GraphQLError {
  try {
    return readParameters(settings, element, limit);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** The parameters of an operation request. An empty string and null count as absent. Throws a 422. */
function readParameters(settings: RequestSettings, json: unknown, limit?: VariablesLimit): GraphQLRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw malformedRequest(`Expected an operation request to be a JSON object like { "query": "{ … }" }, got ${describe(json)}.`);
  const { query, operationName, variables, extensions, onError } = json as Readonly<Record<string, unknown>>;
  if (typeof (query ?? '') !== 'string') throw wrongType('query', 'a string', query);
  if (typeof (operationName ?? '') !== 'string') throw wrongType('operationName', 'a string', operationName);
  if ((variables ?? '') !== '' && !isRecord(variables)) throw wrongType('variables', 'a JSON object', variables);
  if ((extensions ?? '') !== '' && !isRecord(extensions)) throw wrongType('extensions', 'a JSON object', extensions);
  const known = (extensions || undefined) as Readonly<Record<string, unknown>> | undefined;
  const documentId = settings.takesDocumentIds ? readDocumentId(json as Readonly<Record<string, unknown>>, known) : undefined;
  if (!query && documentId === undefined && !isRecord(known?.['persistedQuery'])) {
    const id =
      documentIdNames.find((name) => isPresent((json as Readonly<Record<string, unknown>>)[name])) ??
      (isPresent(known?.['documentId']) ? 'extensions.documentId' : undefined);
    const hint = id === undefined ? '' : ` This server has no trusted documents that "${id}" could name.`;
    throw malformedRequest(
      `Expected "query" to be the text of a GraphQL document, but it is ${query === '' ? 'empty' : 'missing'}.${hint}`,
    );
  }
  const problem = variables ? (limit ?? new VariablesLimit(settings.maxBodyBytes)).problemOf(variables) : undefined;
  if (problem !== undefined) throw malformedRequest(problem);
  const request = {
    query: (query as string) || undefined,
    operationName: (operationName as string) || undefined,
    variables: (variables as Readonly<Record<string, unknown>>) || undefined,
    extensions: known,
    onError: onError === undefined && known === undefined ? undefined : readErrorBehavior(onError, known?.['onError']),
  };
  return documentId === undefined ? request : { ...request, documentId };
}

function wrongType(name: string, expected: string, value: unknown): GraphQLError {
  return malformedRequest(`Expected "${name}" to be ${expected}, got ${describe(value)}.`);
}

/** `onError` and `documentId` may be extensions, too: GraphQL over HTTP reserves other parameters for its later editions. */
function readErrorBehavior(...values: readonly unknown[]): ErrorBehavior | undefined {
  const given = values.filter(isPresent);
  const unknown = given.find((value) => !errorBehaviors.includes(value as ErrorBehavior));
  if (unknown !== undefined) throw wrongType('onError', '"NULL" or "PROPAGATE" or "HALT"', unknown);
  const [one, other = one] = given;
  if (one === other) return one as ErrorBehavior | undefined;
  throw malformedRequest(`Expected "onError" and "extensions.onError" to be the same, got ${describe(one)} and ${describe(other)}.`);
}

/** The names of the proposal for persisted documents, of Apollo's gateways, and of Relay. */
const documentIdNames = ['documentId', 'id', 'doc_id'];

/** A request that names two documents is refused: whichever ran, a cache or a log may have taken the other. */
function readDocumentId(json: Readonly<Record<string, unknown>>, extensions: GraphQLRequest['extensions']): string | undefined {
  const ids = documentIdNames.map((name) => [`"${name}"`, json[name]] as const);
  const given = [...ids, ['"extensions.documentId"', extensions?.['documentId']] as const].filter(([, id]) => isPresent(id));
  for (const [name, id] of given)
    if (typeof id !== 'string') throw malformedRequest(`Expected ${name} to be a string, got ${describe(id)}.`);
  const [first] = given as [string, string][];
  if (first === undefined) return undefined;
  const persistedQuery = extensions?.['persistedQuery'];
  const hash = isRecord(persistedQuery) ? persistedQuery['sha256Hash'] : undefined;
  const other =
    given.find(([, id]) => id !== first[1]) ??
    (isPresent(hash) && hash !== first[1].replace(/^sha256:/, '') ? ['"extensions.persistedQuery.sha256Hash"', hash] : undefined);
  if (other === undefined) return first[1];
  throw malformedRequest(`Expected the document id and ${other[0]} to be the same, got ${shown(first[1])} and ${shown(other[1])}.`);
}

function shown(id: unknown): string {
  return typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : describe(id);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function parseGET(settings: RequestSettings, queryString: string): GraphQLRequest {
  const names = settings.takesDocumentIds ? [...parameterNames, ...documentIdNames] : parameterNames;
  const found = parseQueryString(queryString, names, settings.maxBodyBytes);
  return readParameters(settings, {
    ...Object.fromEntries(found),
    variables: jsonParameter('variables', found, settings.maxBodyBytes),
    extensions: jsonParameter('extensions', found, settings.maxBodyBytes),
  });
}

const parameterNames = ['query', 'operationName', 'variables', 'extensions', 'onError'];

function jsonParameter(name: string, found: ReadonlyMap<string, string>, maxBytes: number): unknown {
  const text = found.get(name);
  if (text === undefined || text === '') return undefined;
  assertJSONSize(text, maxBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw malformedRequest(`Expected the parameter "${name}" to be the text of a JSON object, but it does not parse.`);
  }
}

/** The named parameters of a query string, decoded. Throws a 4xx for one that does not decode, or occurs twice. */
function parseQueryString(queryString: string, wanted: readonly string[], maxLength: number): ReadonlyMap<string, string> {
  if (queryString.length > maxLength) throw queryStringTooLong(maxLength, queryString.length);
  const found = new Map<string, string>();
  let parameters = 0;
  for (let start = 0; start <= queryString.length;) {
    const ampersand = queryString.indexOf('&', start);
    const end = ampersand < 0 ? queryString.length : ampersand;
    // `split` would make a million strings of a million ampersands.
    if (++parameters > maxParameters) throw malformedRequest(`Expected a query string of at most ${maxParameters} parameters, got more.`);
    addParameter(found, wanted, queryString.slice(start, end));
    start = end + 1;
  }
  return found;
}

/** Leaves room for parameters that a gateway adds. */
const maxParameters = 1000;

function addParameter(found: Map<string, string>, wanted: readonly string[], pair: string): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  if (name === undefined || !wanted.includes(name)) return;
  if (found.has(name)) throw malformedRequest(`Expected the parameter "${name}" once in the query string, got it twice.`);
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
  if (value === undefined) throw badRequest('Expected a percent-encoded query string in UTF-8, but one of its escapes does not decode.');
  found.set(name, value);
}

/** Decodes application/x-www-form-urlencoded; undefined for an invalid escape. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
