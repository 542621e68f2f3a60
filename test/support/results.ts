import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { contracts } from '../../src/tools/testing/results.ts';
import type { ResultContract } from '../../src/tools/testing/results.ts';
import type { PlainResponse } from './plain-http.ts';

export { contracts };
export type { ResultContract };

/** Reads a result object as the platform does, and fails if the platform would refuse it. */
export function readResult(contract: ResultContract, result: unknown): PlainResponse {
  assert.ok(typeof result === 'object' && result !== null && !Array.isArray(result), `the result is ${String(result)}`);
  const object = result as Record<string, unknown>;
  for (const key of Object.keys(object)) assert.ok(contract.allowed.includes(key), `the platform refuses the key "${key}"`);
  for (const key of contract.required) assert.ok(key in object, `the platform needs the key "${key}"`);
  assert.deepEqual(JSON.parse(JSON.stringify(object)), object, 'the result changes on its way through JSON');

  const { statusCode, headers = {}, multiValueHeaders = {}, cookies = [], body = '', isBase64Encoded = false } = object;
  assert.ok(
    Number.isInteger(statusCode) && (statusCode as number) >= 200 && (statusCode as number) <= 599,
    `the status is ${String(statusCode)}`,
  );
  assert.ok(typeof body === 'string', `the body is ${typeof body}`);
  if ('statusDescription' in object) assert.match(String(object['statusDescription']), new RegExp(`^${String(statusCode)} [A-Z]`));

  const fields = [...singleFields(headers), ...listFields(multiValueHeaders)];
  assert.ok(Array.isArray(cookies));
  const setCookies = [...fields.filter(([name]) => name === 'set-cookie').map(([, value]) => value), ...(cookies as string[])];
  assertCookies(contract, object, setCookies);
  const unique = uniqueFields(fields);
  const coding = unique.get('content-encoding');
  assert.equal(isBase64Encoded, coding !== undefined, 'only a compressed body is sent as base64');
  return { status: statusCode as number, headers: unique, setCookies, body: coding === undefined ? body : decode(body, coding) };
}

/** Decodes the body as the platform and then the client do. */
function decode(base64: string, coding: string): string {
  const bytes = Buffer.from(base64, 'base64');
  assert.equal(bytes.toString('base64'), base64, 'the body is not base64');
  return String(coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes));
}

/** Reads a web `Response`. */
export async function readWebResponse(response: unknown): Promise<PlainResponse> {
  assert.ok(response instanceof Response, `the result is ${String(response)}`);
  const fields = [...response.headers].filter(([name]) => name !== 'set-cookie');
  return { status: response.status, headers: new Map(fields), setCookies: response.headers.getSetCookie(), body: await response.text() };
}

function singleFields(map: unknown): [string, string][] {
  assert.ok(typeof map === 'object' && map !== null && !Array.isArray(map), '"headers" is not a map');
  return Object.entries(map).map(([name, value]) => validField(name, value));
}

function listFields(map: unknown): [string, string][] {
  assert.ok(typeof map === 'object' && map !== null && !Array.isArray(map), '"multiValueHeaders" is not a map');
  return Object.entries(map).flatMap(([name, values]) => {
    assert.ok(Array.isArray(values), `the platform answers 502 for the text in multiValueHeaders["${name}"]`);
    return values.map((value) => validField(name, value));
  });
}

function validField(name: string, value: unknown): [string, string] {
  assert.match(name, /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, `"${name}" is no field name`);
  assert.ok(typeof value === 'string', `the value of "${name}" is ${typeof value}`);
  assert.match(value, /^[\t\x20-\x7e\x80-\xff]*$/, `the value of "${name}" has characters that HTTP does not allow`);
  return [name.toLowerCase(), value];
}

function uniqueFields(fields: readonly [string, string][]): Map<string, string> {
  const unique = new Map<string, string>();
  for (const [name, value] of fields) {
    if (name === 'set-cookie') continue;
    assert.ok(!unique.has(name), `"${name}" is sent twice`);
    unique.set(name, value);
  }
  return unique;
}

/** Checks that cookies are in one place only: with two, some runtimes send each cookie twice. */
function assertCookies(contract: ResultContract, object: Record<string, unknown>, setCookies: readonly string[]): void {
  if (contract.cookies === 'one') assert.ok(setCookies.length <= 1, 'this platform carries one set-cookie at most');
  if (contract.cookies !== 'one')
    assert.ok(!('set-cookie' in ((object['headers'] ?? {}) as object)), 'a cookie in "headers" would be joined with others');
}
