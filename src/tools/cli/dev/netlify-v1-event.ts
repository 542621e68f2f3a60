import { Buffer } from 'node:buffer';

import type { NetlifyHandlerEvent } from '../../../server/index.ts';
import { createFunctionContext } from '../../testing/index.ts';
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

/** The event that `export const handler` receives, with the peculiarities of Netlify's local server. */
export function toNetlifyV1Event({ method, url, headers, body }: ThreadRequest): NetlifyHandlerEvent {
  const { pathname, search, searchParams } = new URL(url);
  const isText = body !== undefined && textType.test(new Map(headers).get('content-type') ?? '');
  return {
    path: pathname,
    httpMethod: method,
    ...singleAndMultiple('headers', 'multiValueHeaders', headers),
    ...singleAndMultiple('queryStringParameters', 'multiValueQueryStringParameters', searchParams),
    body: body === undefined ? null : Buffer.from(body).toString(isText ? 'utf8' : 'base64'),
    // True even without a body, as on Netlify.
    isBase64Encoded: !isText,
    rawUrl: url,
    rawQuery: search.slice(1),
  } as NetlifyHandlerEvent;
}

/** The content types that Netlify passes as text; all other bodies are base64. */
const textType =
  /^(?:text\/|[^;]*\+(?:json|xml)\b|application\/(?:json|javascript|xml|graphql|x-www-form-urlencoded|x-ndjson|csp-report)\b)/i;

/** The two maps of Lambda events: one joins repeated values, the other lists them. */
function singleAndMultiple(single: string, multiple: string, fields: Iterable<readonly [string, string]>): Record<string, unknown> {
  const all = new Map<string, string[]>();
  for (const [name, value] of fields) all.set(name, [...(all.get(name) ?? []), value]);
  return {
    [single]: Object.fromEntries([...all].map(([name, values]) => [name, values.join(', ')])),
    [multiple]: Object.fromEntries(all),
  };
}

/** Milliseconds a synchronous function may take on Netlify. */
const defaultTimeout = 60_000;

/** The handler's second argument. */
export function toNetlifyV1Context(name: string, timeout: number = defaultTimeout): object {
  return { ...createFunctionContext(name, timeout), clientContext: {} };
}

/** Converts the handler's result to the response. Throws for results that Netlify rejects, so they fail locally too. */
export function fromNetlifyV1Result(result: unknown): ThreadResponse {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = assertResult(result);
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(headers ?? {})) fields.set(name.toLowerCase(), [assertSingle(name, value)]);
  // Overwrites a name that is in both.
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) fields.set(name.toLowerCase(), values.map(String));
  const bytes = body === undefined || body === null ? undefined : Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
  return {
    status: statusCode,
    headers: [...fields].flatMap(([name, values]) => values.map((value) => [name, value] as const)),
    body: bytes === undefined || bytes.length === 0 ? null : (new Blob([bytes]).stream() as ThreadResponse['body']),
  };
}

interface NetlifyV1Result {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

function assertResult(result: unknown): NetlifyV1Result {
  const expected = 'Expected the handler to return { statusCode, headers, body }';
  if (typeof result !== 'object' || result === null) throw new TypeError(`${expected}, got ${result === null ? 'null' : typeof result}.`);
  const { statusCode, body } = result as Partial<NetlifyV1Result>;
  if (!Number.isInteger(statusCode)) throw new TypeError(`${expected}; its statusCode is ${String(statusCode)}.`);
  if (body !== undefined && body !== null && typeof body !== 'string')
    throw new TypeError(`${expected}; its body is ${typeof body}, not a string.`);
  return result as NetlifyV1Result;
}

function assertSingle(name: string, value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  throw new TypeError(`The result's headers have a list for ${name}. Netlify rejects that: put lists into multiValueHeaders.`);
}
