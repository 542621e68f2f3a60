import { GraphQLError } from 'graphql';

import { byteLength, describe, isObjectLike, isRecord, messageOf } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequestBody } from '../../shared/index.ts';
import { errorBehaviors } from '../operation/errors.ts';
import type { RequestBody } from '../operation/door.ts';
import type { ErrorBehavior, GraphQLRequest } from '../operation/types.ts';
import { endOfString, maxNesting } from '../operation/limits/nesting.ts';
import { badRequest, bodyTooLarge, malformedRequest, queryStringTooLong } from './errors.ts';

/** The settings needed to read a body. */
export interface BodySettings {
  /** Bytes of a decoded body, and characters of a query string. */
  readonly maxBodyBytes: number;
  /** True if the message for a body that does not parse may quote it. */
  readonly development: boolean;
}

/** The settings needed to read a request. */
export interface RequestSettings extends BodySettings {
  /** Elements of a batch; 0 refuses batches. */
  readonly maxBatchSize: number;
  /** True if a request may name a document by an id. */
  readonly takesDocumentIds: boolean;
}

/** Reads the body of a request for a plugin's door. */
export class BodyReader implements RequestBody {
  readonly #body: HTTPRequestBody;
  readonly #settings: BodySettings;
  #text: Promise<string> | undefined;

  constructor(body: HTTPRequestBody, settings: BodySettings) {
    this.#body = body;
    this.#settings = settings;
  }

  text(): Promise<string> {
    return (this.#text ??= this.#readText());
  }

  async json(): Promise<unknown> {
    const { maxBodyBytes, development } = this.#settings;
    if (this.#body.kind === 'value') return readValue(this.#body, maxBodyBytes);
    const value = parseJSON(await this.text(), maxBodyBytes, development);
    const problem = isObjectLike(value) ? new VariablesLimit(maxBodyBytes).problemOf(value, true) : undefined;
    if (problem !== undefined) throw malformedRequest(problem);
    return value;
  }

  async #readText(): Promise<string> {
    if (this.#body.kind === 'value')
      throw new Error('Expected to read the text of a body, but middleware has parsed it before the handler.');
    return readText(this.#body, this.#settings.maxBodyBytes);
  }
}

/** The operations of a batch, or their errors, so that the others still run. All are checked before any runs. */
export function readBatch(settings: RequestSettings, elements: readonly unknown[]): readonly (GraphQLRequest | GraphQLError)[] {
  const { maxBatchSize, maxBodyBytes } = settings;
  if (maxBatchSize === 0) throw badRequest('Expected one operation: batched requests are turned off (allowBatchedHttpRequests).');
  if (elements.length === 0) throw badRequest('Expected a batch of at least one operation, got an empty array.');
  if (elements.length > maxBatchSize) throw badRequest(`Expected a batch of at most ${maxBatchSize} operations, got ${elements.length}.`);
  // The elements share a limit.
  const limit = new VariablesLimit(maxBodyBytes);
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

/** The parameters of an operation request. An empty string and null count as absent. Throws a 422. */
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
  // Beside a text, a number is an id of the client's own, as in JSON-RPC.
  const isID = (id: unknown): boolean => isPresent(id) && (typeof id !== 'number' || !json['query']);
  return [...ids, ['"extensions.documentId"', extensions?.['documentId']] as const].filter(([, id]) => isID(id));
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

/** The text of a body, if it is one; a promise only if the body has yet to be read. Keeps no more bytes than the limit. */
export function readText(body: HTTPRequestBody, maxBytes: number): PromiseOrValue<string> {
  if (body.kind === 'none' || body.kind === 'value') return '';
  if (body.kind === 'bytes') return decodeUTF8(body.bytes, maxBytes);
  if (body.kind === 'stream') return body.read(maxBytes).then((bytes) => decodeUTF8(bytes, maxBytes));
  // A UTF-16 unit takes one to three bytes in UTF-8.
  if (body.text.length * 3 > maxBytes && byteLength(body.text) > maxBytes) throw bodyTooLarge(maxBytes);
  return body.text;
}

/** A shared decoder, which keeps a byte order mark, because signatures are over the whole text. Shared, because a new one takes 3 µs on Deno and 4 on workerd. It keeps no state between complete texts. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

export function decodeUTF8(bytes: Uint8Array | ArrayBuffer, maxBytes: number): string {
  if (bytes.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
  try {
    return (decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    throw badRequest('Expected the body to be UTF-8 text, but its bytes are not.');
  }
}

/** The value of a body that middleware has parsed, within the limits of the JSON text that it becomes. */
export function readValue({ value, isTrusted }: Extract<HTTPRequestBody, { readonly kind: 'value' }>, maxBytes: number): unknown {
  if (isTrusted === true || typeof value !== 'object' || value === null) return value;
  const problem = new VariablesLimit(maxBytes).problemOf(value, true);
  if (problem !== undefined) throw malformedRequest(problem);
  let text: string | undefined;
  try {
    // Undefined if `toJSON` of the value returns undefined.
    text = JSON.stringify(value) as string | undefined;
  } catch {
    throw badRequest('Expected the body to be JSON, but it has a value that JSON does not have.');
  }
  if (byteLength(text ?? '') > maxBytes) throw bodyTooLarge(maxBytes);
  return value;
}

/**
 * The JSON value of a body's text. In development, the message for a text that does not parse is the engine's, which says where. Only version
 * 3 has a `reviver`.
 */
export function parseJSON(text: string, maxBytes: number, development: boolean, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  const json = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  if (json === '') throw badRequest('Expected a JSON body, got an empty one.');
  assertJSONSize(json, maxBytes);
  try {
    return JSON.parse(json, reviver);
  } catch (error) {
    // The engine's message quotes the body, which may contain a password.
    throw badRequest(`Expected the body to be JSON, but it does not parse${development ? `: ${messageOf(error)}` : ''}.`);
  }
}

const byteOrderMark = 0xfeff;

/**
 * Throws if a JSON text has too many objects and lists, before it is parsed: 1 MiB of `{}` would be 340,000 objects and 50 MB of
 * memory (bench/hostile.ts). Takes 1 to 2 ms for a MiB.
 */
function assertJSONSize(text: string, maxBytes: number): void {
  if (text.length <= smallText) return;
  const maxContainers = maxContainersOf(maxBytes);
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if ((character === openBrace || character === openBracket) && ++containers > maxContainers) {
      throw malformedRequest(`Expected a request of at most ${maxContainers} objects and lists, got more.`);
    }
  }
}

/** Characters of a text that cannot have too many. */
const smallText = 65_536;
const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;

/** One object or list for each 20 bytes of the largest body: rows of a bulk insert take more bytes. */
function maxContainersOf(maxBodyBytes: number): number {
  return Math.ceil(maxBodyBytes / 20);
}

/**
 * Limits the levels and the number of objects in the variables of one request. graphql-js recurses for every level and makes several
 * objects for each value: 1 MiB of 5,000 levels ended in a RangeError, and 1 MiB of `{}` took 220 ms of CPU and 100 MB
 * (bench/hostile.ts).
 */
export class VariablesLimit {
  readonly #maxContainers: number;
  #containers = 0;

  constructor(maxBodyBytes: number) {
    this.#maxContainers = maxContainersOf(maxBodyBytes);
  }

  /** The error if the variables of one more operation are too large, or a parsed body is; else undefined. */
  problemOf(value: object, isBody = false): string | undefined {
    // Variables begin two levels below a batch.
    const nesting = this.#measure(value, isBody ? -1 : 1);
    if (this.#containers > this.#maxContainers)
      return `Expected ${isBody ? 'a request of' : 'the variables of a request to have'} at most ${this.#maxContainers} objects and lists, got more.`;
    if (nesting > maxNesting)
      return `Expected ${isBody ? 'a request' : '"variables"'} to nest at most ${maxNesting} levels deep, got more.`;
    return undefined;
  }

  /** Levels of nesting. Stops at either limit. */
  #measure(value: object, level: number): number {
    this.#containers++;
    let deepest = level;
    if (level > maxNesting || this.#containers > this.#maxContainers) return level;
    const parts = Array.isArray(value) ? (value as unknown[]) : (Object.values(value) as unknown[]);
    // By index: an iterator makes 21 MB of garbage for 500,000 numbers.
    for (let at = 0; at < parts.length; at++) {
      const inner = parts[at];
      if (typeof inner === 'object' && inner !== null) deepest = Math.max(deepest, this.#measure(inner, level + 1));
    }
    return deepest;
  }
}
