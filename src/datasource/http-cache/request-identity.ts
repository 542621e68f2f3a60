import type { Audience } from './freshness.ts';
import type { DataSourceRequest } from '../request.ts';

/** Fields that differ from call to call without asking for another answer. */
const TRACING =
  /^(?:traceparent|tracestate|b3|x-b3-.+|(?:x-)?(?:request|correlation)-id|x-amzn-trace-id|x-cloud-trace-context|sentry-trace|x-datadog-.+)$/;

/** Fields that say nothing about who is asking. What a response really depends on among them, Vary tells. */
const IMPERSONAL = /^(?:accept(?:-.+)?|content-type|content-length|user-agent|cache-control|pragma)$/;

/** Whether a field says nothing about who is asking, as far as its name tells. */
export function isImpersonal(name: string): boolean {
  return IMPERSONAL.test(name) || TRACING.test(name);
}

const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** Which requests a stored response answers. Holds no secret: what could be one is hashed. */
export interface Selection {
  readonly audience: Audience;
  /** The hash of the fields that the audience must have in common; "" when the request had none of them. */
  readonly audienceHash: string;
  /** For each field that Vary names: "=" and its value, "#" and a hash of it, or null where the request had none. */
  readonly vary: Readonly<Record<string, string | null>>;
}

/** What a selection is made of. */
export interface SelectionSource {
  /** The cache key: it salts the hashes, so that equal ones in two entries do not show that a user is the same. */
  readonly key: string;
  readonly request: DataSourceRequest;
  /** Fields of this API which, against appearances, say nothing about who is asking. Lower case. */
  readonly shareableHeaders: readonly string[];
}

/**
 * The header fields that make a request this one and no other, as text. It holds credentials in clear:
 * for comparing inside the process only, never to be stored.
 */
export function identityOf(request: DataSourceRequest): string {
  return textOf(request, (name) => !TRACING.test(name));
}

/** Whether the request shows who is asking, as far as header fields can tell. */
export function hasCredentials({ request, shareableHeaders }: SelectionSource): boolean {
  const headers = request.headersIfAny;
  return headers !== undefined && CREDENTIALS.some((name) => headers.has(name) && !shareableHeaders.includes(name));
}

/** Describes the requests that may be given the response to this one. */
export async function describeSelection(
  source: SelectionSource,
  { audience, vary }: { audience: Audience; vary: readonly string[] },
): Promise<Selection> {
  const fields = await Promise.all(vary.map(async (name) => [name, await describeField(source, name)] as const));
  return { audience, audienceHash: await hashOf(source, audienceText(source, audience)), vary: Object.fromEntries(fields) };
}

/** Whether a request is one of those. A promise only where something must be hashed. */
export function isSelected(source: SelectionSource, { audience, audienceHash, vary }: Selection): boolean | Promise<boolean> {
  const names = Object.keys(vary);
  if (source.request.headersIfAny === undefined) return audienceHash === '' && names.every((name) => vary[name] === null);
  if (names.length === 0 && audience === 'everybody') return true;
  return describeSelection(source, { audience, vary: names }).then(
    (wanted) => wanted.audienceHash === audienceHash && names.every((name) => wanted.vary[name] === vary[name]),
  );
}

/** The names in a Vary field, in lower case. */
export function parseVary(field: string | undefined): string[] {
  return (field ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

function audienceText({ request, shareableHeaders }: SelectionSource, audience: Audience): string {
  if (audience === 'everybody') return '';
  if (audience === 'credentials') return textOf(request, (name) => CREDENTIALS.includes(name) && !shareableHeaders.includes(name));
  return textOf(request, (name) => !isImpersonal(name) && !shareableHeaders.includes(name));
}

/** "name: value" lines; `Headers` are iterated in the order of their names. */
function textOf(request: DataSourceRequest, includes: (name: string) => boolean): string {
  const headers = request.headersIfAny;
  if (headers === undefined) return '';

  let text = '';
  for (const [name, value] of headers) if (includes(name)) text += `${name}: ${value}\n`;
  return text;
}

async function describeField(source: SelectionSource, name: string): Promise<string | null> {
  const value = source.request.headersIfAny?.get(name) ?? null;
  if (value === null) return null;
  return IMPERSONAL.test(name) ? `=${value}` : `#${await hashOf(source, `${name}: ${value}`)}`;
}

// The platform's own SHA-256, asked for when a request with such fields meets the response cache and not before: about
// 20 µs a time, and loading it is a cold start's business only for those who send credentials.
async function hashOf({ key }: SelectionSource, text: string): Promise<string> {
  if (text === '') return '';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${key}\n${text}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
