import type { DataSourceRequest } from '../request.ts';
import type { Audience } from './freshness.ts';
import { sha256 } from '../../shared/index.ts';

/** Header fields for tracing, which differ from call to call and do not change the response. */
const tracing = new Set(
  (
    'traceparent tracestate b3 x-b3-traceid x-b3-spanid x-b3-parentspanid x-b3-sampled x-b3-flags request-id x-request-id correlation-id ' +
    'x-correlation-id x-amzn-trace-id x-cloud-trace-context sentry-trace x-datadog-trace-id x-datadog-parent-id ' +
    'x-datadog-sampling-priority x-datadog-origin x-datadog-tags'
  ).split(' '),
);

/** Header fields that do not identify a user. The names must match exactly: `accept-token` is not one of them. */
const impersonal = new Set(
  'accept accept-charset accept-encoding accept-language content-type content-length user-agent cache-control pragma'.split(' '),
);

/** True for header fields that do not identify a user. */
export function isImpersonal(name: string): boolean {
  return impersonal.has(name) || tracing.has(name);
}

const credentials = ['authorization', 'cookie', 'proxy-authorization'];

/** The requests that may use a stored response. Possible secrets are hashed. */
export interface RequestSelection {
  readonly audience: Audience;
  /** A hash of the fields that identify a user; "" if there were none. */
  readonly audienceHash: string;
  /** For each field in Vary: "=" and its value, "#" and a hash of it, or null if the request had none. */
  readonly vary: Readonly<Record<string, string | null>>;
}

/** True if the response varies by tracing fields, so that no two requests can share it. */
export function variesByCall(vary: RequestSelection['vary']): boolean {
  for (const name in vary) if (tracing.has(name)) return true;
  return false;
}

/** The input of a selection. */
export interface SelectionSource {
  /** The cache key, which salts the hashes, so that they do not show that two entries have the same user. */
  readonly key: string;
  readonly request: DataSourceRequest;
  /** Lower-case header fields that do not identify a user of this API. */
  readonly shareableHeaders: readonly string[];
  /** The `cacheIdentity` of the data source. */
  readonly cacheIdentity: string | undefined;
  /** True if requests are sent by `httpFetch`, which may add header fields. */
  readonly usesHTTPFetch: boolean;
}

/** A text that is equal for requests that may share a response. It contains credentials in plain text, so it must not be stored. */
export function identityOf(request: DataSourceRequest, cacheIdentity: string | undefined): string {
  const fields = fieldsText(request, (name) => !tracing.has(name));
  const options = request.fetchOptions === undefined ? '' : optionsText(request.fetchOptions);
  return cacheIdentity ? `${fields}${options}=${cacheIdentity}` : fields + options;
}

/** True if `cacheIdentity` or credentials in the request identify the user. */
export function namesUser({ request, shareableHeaders, cacheIdentity, usesHTTPFetch }: SelectionSource): boolean {
  if (cacheIdentity) return true;
  const headers = request.headersIfAny;
  if (headers === undefined) return false;
  if (credentials.some((name) => headers.has(name) && !shareableHeaders.includes(name))) return true;
  // `httpFetch` may add the credentials, and other fields may mean something else.
  return !usesHTTPFetch && fieldsText(request, (name) => isPersonal(name, shareableHeaders)) !== '';
}

/** True if `httpFetch` has added fields that may identify a user, and there is no `cacheIdentity`. */
export function hidesUser({ request, shareableHeaders, cacheIdentity }: SelectionSource): boolean {
  return cacheIdentity === undefined && request.addedFields.some((name) => isPersonal(name, shareableHeaders));
}

/**
 * The fields that a response varies by; undefined if requests cannot be compared by them. `httpFetch` may have added a field that
 * identifies a user and that the request does not have, unless there is a `cacheIdentity`.
 */
export function comparableVary(source: SelectionSource, field: string | undefined): readonly string[] | undefined {
  const vary = parseVary(field);
  const { request, shareableHeaders, cacheIdentity, usesHTTPFetch } = source;
  if (vary === undefined || !usesHTTPFetch || cacheIdentity !== undefined) return vary;
  const headers = request.headersIfAny;
  return vary.every((name) => !isPersonal(name, shareableHeaders) || headers?.has(name) === true) ? vary : undefined;
}

/** Describes the requests that may use the response to this one. */
export function describeSelection(
  source: SelectionSource,
  { audience, vary }: { audience: Audience; vary: readonly string[] },
): RequestSelection {
  const fields = vary.map((name) => [name, describeField(source, name)] as const);
  return { audience, audienceHash: audience === 'everybody' ? '' : hashOf(source, audienceText(source)), vary: Object.fromEntries(fields) };
}

/** True if a request may use a stored response. */
export function isSelected(source: SelectionSource, { audience, audienceHash, vary }: RequestSelection): boolean {
  for (const name in vary) if (describeField(source, name) !== vary[name]) return false;
  return audience === 'everybody' || audienceHash === hashOf(source, audienceText(source));
}

function isPersonal(name: string, shareableHeaders: readonly string[]): boolean {
  return !isImpersonal(name) && !shareableHeaders.includes(name);
}

/** Names of fields never begin with "=". Without a `cacheIdentity`, options for fetch count, too. */
function audienceText({ request, shareableHeaders, cacheIdentity }: SelectionSource): string {
  const fields = fieldsText(request, (name) => isPersonal(name, shareableHeaders));
  if (cacheIdentity === undefined && request.fetchOptions !== undefined) return fields + optionsText(request.fetchOptions);
  return cacheIdentity ? `${fields}=${cacheIdentity}` : fields;
}

/** "name: value" lines; `Headers` are iterated in the order of their names. */
function fieldsText(request: DataSourceRequest, includes: (name: string) => boolean): string {
  const headers = request.headersIfAny;
  if (headers === undefined) return '';

  let text = '';
  for (const [name, value] of headers) if (includes(name)) text += `${name}: ${value}\n`;
  return text;
}

/** Options for fetch, which may include an agent with credentials. */
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
let processId: string | undefined;

/** An ID of an object, different from those of other processes with the same store. */
function numberOf(object: object): string {
  // This must not run when the module is loaded, because workerd has no random numbers then.
  processId ??= `${Math.random()}${Math.random()}`;
  const known = numbers.get(object) ?? `#${++numbered} of ${processId}`;
  numbers.set(object, known);
  return known;
}

/** Uses `cacheIdentity` in place of a missing credential, which `httpFetch` may add. */
function describeField(source: SelectionSource, name: string): string | null {
  const { request, shareableHeaders, cacheIdentity } = source;
  const value = request.headersIfAny?.get(name) ?? null;
  if (value !== null) return impersonal.has(name) ? `=${value}` : `#${hashOf(source, `${name}: ${value}`)}`;
  return !cacheIdentity || !isPersonal(name, shareableHeaders) ? null : `#${hashOf(source, `${name}=${cacheIdentity}`)}`;
}

function hashOf({ key }: SelectionSource, text: string): string {
  return text === '' ? '' : sha256(`${key}\n${text}`);
}

const none: readonly string[] = [];
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** The lower-case names in a Vary field; undefined for "*" and invalid names, with which no two requests match. */
export function parseVary(field: string | undefined): readonly string[] | undefined {
  if (field === undefined) return none;
  const names = field
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return names.every((name) => name !== '*' && token.test(name)) ? names : undefined;
}
