import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

import type { NetlifyHandlerEvent } from '../../platform/netlify.ts';

import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

/** A request as `export const handler` gets it, with the oddities that Netlify's local server has. */
export function toNetlifyV1Event({ method, url, headers, body }: ThreadRequest): NetlifyHandlerEvent {
  const { pathname, search, searchParams } = new URL(url);
  const isText = body !== undefined && textType.test(new Map(headers).get('content-type') ?? '');
  return {
    path: pathname,
    httpMethod: method,
    ...singleAndMultiple('headers', 'multiValueHeaders', headers),
    ...singleAndMultiple('queryStringParameters', 'multiValueQueryStringParameters', searchParams),
    body: body === undefined ? null : Buffer.from(body).toString(isText ? 'utf8' : 'base64'),
    // Also without a body: handlers have to cope with that.
    isBase64Encoded: !isText,
    rawUrl: url,
    rawQuery: search.slice(1),
  } as NetlifyHandlerEvent;
}

/** The types that Netlify hands over as text; every other body arrives in base64. */
const textType =
  /^(?:text\/|[^;]*\+(?:json|xml)\b|application\/(?:json|javascript|xml|graphql|x-www-form-urlencoded|x-ndjson|csp-report)\b)/i;

/** The two maps in which Lambda events carry fields: repeated values joined, and all of them. */
function singleAndMultiple(single: string, multiple: string, fields: Iterable<readonly [string, string]>): Record<string, unknown> {
  const all = new Map<string, string[]>();
  for (const [name, value] of fields) all.set(name, [...(all.get(name) ?? []), value]);
  return {
    [single]: Object.fromEntries([...all].map(([name, values]) => [name, values.join(', ')])),
    [multiple]: Object.fromEntries(all),
  };
}

/** Milliseconds a synchronous function may take on Netlify. */
const ownTimeout = 60_000;

/** The second argument of such a handler. */
export function toNetlifyV1Context(name: string, timeout: number = ownTimeout): object {
  const deadline = Date.now() + timeout;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    memoryLimitInMB: '1024',
    awsRequestId: randomUUID(),
    clientContext: {},
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

/** The handler's result → the response. Throws for what Netlify would refuse, so that it does not first fail there. */
export function fromNetlifyV1Result(result: unknown): ThreadResponse {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = assertResult(result);
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(headers ?? {})) fields.set(name.toLowerCase(), [assertSingle(name, value)]);
  // Of a name in both, this one wins.
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
    throw new TypeError(`${expected}; its body is no string, but ${typeof body}.`);
  return result as NetlifyV1Result;
}

function assertSingle(name: string, value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  throw new TypeError(`The result's headers have a list for ${name}. Netlify refuses that: put lists into multiValueHeaders.`);
}
