import type { DataSourceRequest } from '../request.ts';
import type { Audience } from './freshness.ts';
import { sha256 } from './sha256.ts';

/** Fields that differ from call to call without asking for another answer. */
const tracing =
  /^(?:traceparent|tracestate|b3|x-b3-.+|(?:x-)?(?:request|correlation)-id|x-amzn-trace-id|x-cloud-trace-context|sentry-trace|x-datadog-.+)$/;

/** Fields that do not tell one user from another. Vary names those on which a response really depends. */
const impersonal = /^(?:accept(?:-.+)?|content-type|content-length|user-agent|cache-control|pragma)$/;

/** True when a field says nothing about who is asking, as far as its name tells. */
export function isImpersonal(name: string): boolean {
  return impersonal.test(name) || tracing.test(name);
}

const credentials = ['authorization', 'cookie', 'proxy-authorization'];

/** Which requests a stored response answers. Holds no secret: what could be one is hashed. */
export interface Selection {
  readonly audience: Audience;
  /** The hash of all that the audience must have in common; "" when the request had nothing of it. */
  readonly audienceHash: string;
  /** For each field that Vary names: "=" and its value, "#" and a hash of it, or null where the request had none. */
  readonly vary: Readonly<Record<string, string | null>>;
}

/** True when a request can be told from another one by fields that differ from call to call: then no answer is for two. */
export function variesByCall(vary: Selection['vary']): boolean {
  for (const name in vary) if (tracing.test(name)) return true;
  return false;
}

/** The material of a selection. */
export interface SelectionSource {
  /** The cache key: it salts the hashes, so that equal ones in two entries do not show that a user is the same. */
  readonly key: string;
  readonly request: DataSourceRequest;
  /** Fields of this API which, against appearances, do not tell one user from another. Lower case. */
  readonly shareableHeaders: readonly string[];
  /** The owner of the responses as the data source names it, beside the header fields: its `cacheIdentity`. "": no owner in particular. */
  readonly cacheIdentity: string | undefined;
  /** Requests are sent by a function that may add header fields of its own: `httpFetch`. */
  readonly hasOwnFetch: boolean;
}

/**
 * Everything that makes a request this one and no other, as text. It holds credentials in clear:
 * for comparing inside the process only, never to be stored.
 */
export function identityOf(request: DataSourceRequest, cacheIdentity: string | undefined): string {
  const fields = textOf(request, (name) => !tracing.test(name));
  const options = request.fetchOptions === undefined ? '' : optionsText(request.fetchOptions);
  return cacheIdentity ? `${fields}${options}=${cacheIdentity}` : fields + options;
}

/** True when the request tells whose response it asks for: by the source's word, or by credentials that we see. */
export function namesUser({ request, shareableHeaders, cacheIdentity, hasOwnFetch }: SelectionSource): boolean {
  if (cacheIdentity) return true;
  const headers = request.headersIfAny;
  if (headers === undefined) return false;
  if (credentials.some((name) => headers.has(name) && !shareableHeaders.includes(name))) return true;
  // Where another function sends, the credentials may be its own, and the rest of the fields about something else.
  return !hasOwnFetch && textOf(request, (name) => isPersonal(name, shareableHeaders)) !== '';
}

/** True when `httpFetch` has set fields of the request which tell users apart, and no `cacheIdentity` stands for them. */
export function hidesUser({ request, shareableHeaders, cacheIdentity }: SelectionSource): boolean {
  return cacheIdentity === undefined && request.addedFields.some((name) => isPersonal(name, shareableHeaders));
}

/**
 * The fields that a response varies by, as far as requests can be compared by them; undefined where they cannot. A field which
 * tells users apart and was not sent is one that `httpFetch` may have added, unless a `cacheIdentity` stands for it.
 */
export function comparableVary(source: SelectionSource, field: string | undefined): readonly string[] | undefined {
  const vary = parseVary(field);
  const { request, shareableHeaders, cacheIdentity, hasOwnFetch } = source;
  if (vary === undefined || !hasOwnFetch || cacheIdentity !== undefined) return vary;
  const headers = request.headersIfAny;
  return vary.every((name) => !isPersonal(name, shareableHeaders) || headers?.has(name) === true) ? vary : undefined;
}

/** Describes the requests that may be given the response to this one. */
export function describeSelection(source: SelectionSource, { audience, vary }: { audience: Audience; vary: readonly string[] }): Selection {
  const fields = vary.map((name) => [name, describeField(source, name)] as const);
  return { audience, audienceHash: audience === 'everybody' ? '' : hashOf(source, audienceText(source)), vary: Object.fromEntries(fields) };
}

/** True when a request is one of those. */
export function isSelected(source: SelectionSource, { audience, audienceHash, vary }: Selection): boolean {
  for (const name in vary) if (describeField(source, name) !== vary[name]) return false;
  return audience === 'everybody' || audienceHash === hashOf(source, audienceText(source));
}

function isPersonal(name: string, shareableHeaders: readonly string[]): boolean {
  return !isImpersonal(name) && !shareableHeaders.includes(name);
}

/** No name of a field begins with "=", so what the source says is never taken for one. Without its word, options count as well. */
function audienceText({ request, shareableHeaders, cacheIdentity }: SelectionSource): string {
  const fields = textOf(request, (name) => isPersonal(name, shareableHeaders));
  if (cacheIdentity === undefined && request.fetchOptions !== undefined) return fields + optionsText(request.fetchOptions);
  return cacheIdentity ? `${fields}=${cacheIdentity}` : fields;
}

/** "name: value" lines; `Headers` are iterated in the order of their names. */
function textOf(request: DataSourceRequest, includes: (name: string) => boolean): string {
  const headers = request.headersIfAny;
  if (headers === undefined) return '';

  let text = '';
  for (const [name, value] of headers) if (includes(name)) text += `${name}: ${value}\n`;
  return text;
}

/** The caller's options for fetch: one of them may be an agent with credentials, another asks for redirects as they are. */
function optionsText(options: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(options).toSorted();
  return names.map((name) => (options[name] === undefined ? '' : `(${name}: ${toText(options[name])})\n`)).join('');
}

function toText(option: unknown): string {
  const isObject = (typeof option === 'object' && option !== null) || typeof option === 'function';
  return isObject ? numberOf(option) : String(option);
}

const numbers = new WeakMap<object, string>();
let numbered = 0;
let ofProcess: string | undefined;

/** Tells objects apart, also from those of another process that uses the same store. */
function numberOf(object: object): string {
  // Not when this file is loaded: workerd has no random numbers then.
  ofProcess ??= `${Math.random()}${Math.random()}`;
  const known = numbers.get(object) ?? `#${++numbered} of ${ofProcess}`;
  numbers.set(object, known);
  return known;
}

/** A missing credential may be one that `httpFetch` adds: there the source's word counts. */
function describeField(source: SelectionSource, name: string): string | null {
  const { request, shareableHeaders, cacheIdentity } = source;
  const value = request.headersIfAny?.get(name) ?? null;
  if (value !== null) return impersonal.test(name) ? `=${value}` : `#${hashOf(source, `${name}: ${value}`)}`;
  return !cacheIdentity || !isPersonal(name, shareableHeaders) ? null : `#${hashOf(source, `${name}=${cacheIdentity}`)}`;
}

function hashOf({ key }: SelectionSource, text: string): string {
  return text === '' ? '' : sha256(`${key}\n${text}`);
}

const none: readonly string[] = [];
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** The names in a Vary field, in lower case; undefined when no other request is ever the same: "*", or a value that is not a name. */
export function parseVary(field: string | undefined): readonly string[] | undefined {
  if (field === undefined) return none;
  const names = field
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return names.every((name) => name !== '*' && token.test(name)) ? names : undefined;
}
