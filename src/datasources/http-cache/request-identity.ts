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

/** The requests that may use a stored response. Possible secrets are hashed. */
export interface RequestSelection {
  readonly audience: Audience;
  /** A hash of the fields that identify a user; "" if there were none. */
  readonly audienceHash: string;
  /** For each field in Vary: "=" and its value, "#" and a hash of it, or null if the request had none. */
  readonly vary: Readonly<Record<string, string | null>>;
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

/** The values that are equal in equal GETs with the same key. They contain credentials in plain text, so they must not be stored. */
export type RequestIdentity = readonly unknown[];

/** Options that are objects are equal only to themselves. */
export function identityOf(request: DataSourceRequest, cacheIdentity: string | undefined): RequestIdentity {
  const { fetchOptions = {} } = request;
  const options = Object.keys(fetchOptions).toSorted();
  return [fieldsText(request, (name) => !tracing.has(name)), cacheIdentity, ...options.flatMap((name) => [name, fetchOptions[name]])];
}

export function isSameIdentity(one: RequestIdentity, other: RequestIdentity): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

/** True if `cacheIdentity` or header fields in the request identify the user. */
export function namesUser({ request, shareableHeaders, cacheIdentity }: SelectionSource): boolean {
  return Boolean(cacheIdentity) || fieldsText(request, (name) => isPersonal(name, shareableHeaders)) !== '';
}

/**
 * True if a response may be for a user whom the cache cannot see: `httpFetch`, or an object in the options of fetch (an agent), may add
 * credentials, and there is no `cacheIdentity`.
 */
export function hidesUser({ request, cacheIdentity, usesHTTPFetch }: SelectionSource): boolean {
  return cacheIdentity === undefined && (usesHTTPFetch || Object.values(request.fetchOptions ?? {}).some(isObject));
}

function isObject(option: unknown): boolean {
  return (typeof option === 'object' && option !== null) || typeof option === 'function';
}

/** Returns the fields by which a response varies; undefined if these fields cannot tell requests apart. */
export function comparableVary(source: SelectionSource, field: string | undefined): readonly string[] | undefined {
  const vary = parseVary(field);
  return vary?.some((name) => isHidden(source, name)) === true ? undefined : vary;
}

/** True for a field that may identify the user, is not in the request, and may be added by `httpFetch` or an agent. */
function isHidden(source: SelectionSource, name: string): boolean {
  const { request, shareableHeaders } = source;
  return hidesUser(source) && isPersonal(name, shareableHeaders) && request.headersIfAny?.has(name) !== true;
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
  for (const name in vary) if (isHidden(source, name) || describeField(source, name) !== vary[name]) return false;
  return audience === 'everybody' || (!hidesUser(source) && audienceHash === hashOf(source, audienceText(source)));
}

function isPersonal(name: string, shareableHeaders: readonly string[]): boolean {
  return !isImpersonal(name) && !shareableHeaders.includes(name);
}

/** Names of fields never begin with "=" or "(". Without a `cacheIdentity`, options of fetch count, too: a proxy's URL may have a password. */
function audienceText({ request, shareableHeaders, cacheIdentity }: SelectionSource): string {
  const fields = fieldsText(request, (name) => isPersonal(name, shareableHeaders));
  if (cacheIdentity !== undefined) return cacheIdentity === '' ? fields : `${fields}=${cacheIdentity}`;
  const options = Object.entries(request.fetchOptions ?? {}).filter(([, value]) => value !== undefined);
  const lines = options.map(([name, value]) => `(${name}: ${String(value)})\n`);
  return fields + lines.toSorted().join('');
}

/** "name: value" lines; `Headers` are iterated in the order of their names. */
function fieldsText(request: DataSourceRequest, includes: (name: string) => boolean): string {
  const headers = request.headersIfAny;
  if (headers === undefined) return '';

  let text = '';
  for (const [name, value] of headers) if (includes(name)) text += `${name}: ${value}\n`;
  return text;
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
