import { GraphQLError } from 'graphql';

import { isRecord, whenReady, describe } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequest } from '../../shared/index.ts';
import { errorBehaviors } from '../operation/error-behavior.ts';
import type { ErrorBehavior } from '../operation/error-behavior.ts';
import type { GraphQLRequest } from '../operation/types.ts';
import { assertJSONSize, parseJSON, readText } from './body.ts';
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
}

/** The operations of a request. All elements of a batch are checked before any runs. */
export type ParsedRequest =
  | { readonly kind: 'single'; readonly request: GraphQLRequest }
  | { readonly kind: 'batch'; readonly elements: readonly (GraphQLRequest | GraphQLError)[] };

/** `HTTPRequest` → its operations; a promise only if the body has yet to be read. Throws a 4xx. */
export function parseGraphQLRequest(settings: RequestSettings, request: HTTPRequest): PromiseOrValue<ParsedRequest> {
  if (request.method === 'GET') return { kind: 'single', request: parseGET(settings, request.queryString) };
  const { body } = request;
  if (body.kind === 'value') return parseBody(settings, body.value);
  return whenReady(readText(body, settings.maxBodyBytes), parseText, settings);
}

function parseText(text: string, settings: RequestSettings): ParsedRequest {
  return parseBody(settings, parseJSON(text, settings.maxBodyBytes));
}

function parseBody(settings: RequestSettings, json: unknown): ParsedRequest {
  return Array.isArray(json) ? parseBatch(settings, json) : { kind: 'single', request: parseParameters(settings, json) };
}

function parseBatch(settings: RequestSettings, elements: readonly unknown[]): ParsedRequest {
  const { maxBatchSize, maxBodyBytes } = settings;
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (elements.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (elements.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${elements.length}.`);
  const limit = new VariablesLimit(maxBodyBytes);
  return { kind: 'batch', elements: elements.map((element) => readElement(settings, limit, element)) };
}

function parseParameters(settings: RequestSettings, json: unknown): GraphQLRequest {
  const request = readElement(settings, undefined, json);
  if (request instanceof GraphQLError) throw request;
  return request;
}

/** A malformed element becomes an error, so that the others still run. The elements of a batch share a limit. */
function readElement(settings: RequestSettings, limit: VariablesLimit | undefined, element: unknown): GraphQLRequest | GraphQLError {
  const documentId = settings.takesDocumentIds ? documentIdOf(element) : undefined;
  const problem =
    problemOf(element, documentId) ??
    problemOfSize(settings, limit, element as Parameters) ??
    problemOfErrorBehavior(element as Parameters) ??
    (documentId === undefined ? undefined : problemOfDocumentId(documentId, element as Parameters));
  if (problem !== undefined) return malformedRequest(problem);
  const { query, operationName, variables, extensions, onError } = element as Parameters;
  const request = {
    query: query || undefined,
    operationName: operationName || undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
    onError: onError || extensions?.onError || undefined,
  };
  return documentId === undefined ? request : { ...request, documentId };
}

/** The parameters of an operation request. An empty string and null count as absent. */
interface Parameters {
  readonly query?: string | null;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly extensions?: RequestExtensions | null;
  readonly onError?: ErrorBehavior | '' | null;
}

/** `onError` and `documentId` may be extensions, too: GraphQL over HTTP reserves other parameters for its later editions. */
interface RequestExtensions extends Readonly<Record<string, unknown>> {
  readonly onError?: ErrorBehavior | '' | null;
}

function problemOf(json: unknown, documentId: string | undefined): string | undefined {
  if (!isRecord(json)) return `Expected an operation request to be a JSON object like { "query": "{ … }" }, got ${describe(json)}.`;
  const { query, operationName, variables, extensions } = json;
  if (typeof (query ?? '') !== 'string') return `Expected "query" to be a string, got ${describe(query)}.`;
  if (typeof (operationName ?? '') !== 'string') return `Expected "operationName" to be a string, got ${describe(operationName)}.`;
  if ((variables ?? undefined) !== undefined && !isRecord(variables))
    return `Expected "variables" to be a JSON object, got ${describe(variables)}.`;
  if ((extensions ?? undefined) !== undefined && !isRecord(extensions))
    return `Expected "extensions" to be a JSON object, got ${describe(extensions)}.`;
  if (query || documentId !== undefined || isRecord((extensions as RequestExtensions | null | undefined)?.['persistedQuery']))
    return undefined;
  return `Expected "query" to be the text of a GraphQL document, but it is ${query === '' ? 'empty' : 'missing'}.`;
}

function problemOfSize(
  { maxBodyBytes }: RequestSettings,
  limit: VariablesLimit | undefined,
  { variables }: Parameters,
): string | undefined {
  return variables ? (limit ?? new VariablesLimit(maxBodyBytes)).problemOf(variables) : undefined;
}

function problemOfErrorBehavior({ onError, extensions }: Parameters): string | undefined {
  if (onError === undefined && extensions?.onError === undefined) return undefined;
  const given = [onError, extensions?.onError].filter((value) => !isAbsent(value) && value !== '');
  const unknown = given.find((value) => !errorBehaviors.includes(value as ErrorBehavior));
  if (unknown !== undefined) return `Expected "onError" to be "NULL" or "PROPAGATE" or "HALT", got ${describe(unknown)}.`;
  if (given.length < 2 || given[0] === given[1]) return undefined;
  return `Expected "onError" and "extensions.onError" to be the same, got ${describe(given[0])} and ${describe(given[1])}.`;
}

/** The names of the proposal for persisted documents, of Apollo's gateways, and of Relay. */
const documentIdNames = ['documentId', 'id', 'doc_id'];

function documentIdOf(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  for (const name of documentIdNames) {
    const id = json[name];
    if (isId(id)) return id;
  }
  const { extensions } = json;
  return isRecord(extensions) && isId(extensions['documentId']) ? extensions['documentId'] : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A request that names two documents is refused: whichever ran, a cache or a log may have taken the other. */
function problemOfDocumentId(id: string, { extensions }: Parameters): string | undefined {
  const { documentId, persistedQuery } = extensions ?? {};
  if (isId(documentId) && documentId !== id) {
    return `Expected the document id and "extensions.documentId" to be the same, got ${shown(id)} and ${shown(documentId)}.`;
  }
  const hash = isRecord(persistedQuery) ? persistedQuery['sha256Hash'] : undefined;
  if (!isId(hash) || hash === id.replace(/^sha256:/, '')) return undefined;
  return `Expected the document id and "extensions.persistedQuery.sha256Hash" to be the same, got ${shown(id)} and ${shown(hash)}.`;
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 80));
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function parseGET(settings: RequestSettings, queryString: string): GraphQLRequest {
  const names = settings.takesDocumentIds ? [...parameterNames, ...documentIdNames] : parameterNames;
  const found = parseQueryString(queryString, names, settings.maxBodyBytes);
  return parseParameters(settings, {
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
  if (!wanted.includes(name)) return;
  if (found.has(name)) throw malformedRequest(`Expected the parameter "${name}" once in the query string, got it twice.`);
  found.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
}

/** Decodes application/x-www-form-urlencoded, but refuses invalid escapes. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('Expected a percent-encoded query string in UTF-8, but one of its escapes does not decode.');
  }
}
