import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { modernMeta, serveTools } from '../../../../support/mcp-serving.ts';

const messages = cases({ short: 1_000, long: 100_000 });

const odd: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1.5,
  true,
  [],
  {},
  '__proto__',
  'constructor',
  { a: [{ b: null }] },
  'x'.repeat(300),
  '\u0000',
  [[]],
];
const names = ['get_book', 'search-all', 'rename', 'mine', 'fails', 'secret', 'Secret', 'book', 'GET_BOOK', '__proto__', 'toString'];
const methods = [
  'tools/call',
  'tools/call',
  'tools/list',
  'server/discover',
  'initialize',
  'ping',
  'notifications/initialized',
  'prompts/list',
  'x',
];
const keys = ['id', 'title', 'text', 'first', 'filter', 'sort', 'tenant', 'extra', 'more', 'query', 'documentId', '__proto__'];

function randomMessage(random: Random): { readonly body: string; readonly headers: Record<string, string> } {
  const isModern = random.chance(0.5);
  const method = random.pick(methods);
  const isGood = random.chance(0.3);
  const name = isGood ? 'get_book' : random.chance(0.9) ? random.pick(names) : random.pick(odd);
  const args = isGood
    ? { id: '1' }
    : Object.fromEntries(keys.filter(() => random.chance(0.25)).map((key) => [key, random.chance(0.5) ? '1' : random.pick(odd)]));
  const params: Record<string, unknown> = {
    name,
    arguments: random.chance(0.9) ? args : random.pick(odd),
    protocolVersion: '2025-11-25',
    query: '{ secret }',
    documentId: 'secret',
    operationName: 'Secret',
    extensions: { persistedQuery: { version: 1, sha256Hash: 'secret' } },
    ...(isModern && { _meta: modernMeta }),
  };
  const message: Record<string, unknown> = { jsonrpc: '2.0', id: random.below(100), method, params };
  for (const part of [message, params])
    for (const key of Object.keys(part)) {
      const fate = random.next();
      if (fate < 0.03) delete part[key];
      else if (fate < 0.06) part[key] = random.pick(odd);
    }
  let body = JSON.stringify(random.chance(0.03) ? [message] : message);
  if (random.chance(0.05))
    body =
      body.slice(0, random.below(body.length)) + random.pick(['', '{', '"', '\\', '\ud800', 'é']) + body.slice(random.below(body.length));
  const headers: Record<string, string> = {
    ...(random.chance(isModern ? 0.95 : 0.3) && {
      'mcp-protocol-version': random.pick(isModern ? ['2026-07-28', '2026-07-28', '2025-11-25'] : ['2025-11-25', '2025-06-18', 'x']),
    }),
    ...(random.chance(isModern ? 0.95 : 0.2) && { 'mcp-method': random.chance(0.95) ? method : 'x' }),
    ...(random.chance(isModern ? 0.95 : 0.2) && typeof name === 'string' && /^[\w-]+$/.test(name) && { 'mcp-name': name }),
    ...(random.chance(0.02) && { origin: random.pick(['null', 'https://evil.example']) }),
    ...(random.chance(0.02) && { 'content-type': random.pick(['text/plain', 'application/json; charset=x', '']) }),
  };
  return { body, headers };
}

test('random messages run only listed tools, and get JSON-RPC responses without a status of 500', async () => {
  const { post, runs } = serveTools();
  const random = createRandom(1);
  const statuses = new Map<number, number>();
  let called = 0;
  for (let at = 0; at < messages; at++) {
    const { body, headers } = randomMessage(random);
    const response = await post(body, headers);
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    assert.ok(response.status < 500, `${response.status}: ${body}`);
    if (response.headers.get('content-type') === 'application/json') {
      const answer = JSON.parse(text) as { jsonrpc: string; result?: object; error?: { code: number } };
      assert.ok(answer.jsonrpc === '2.0' && 'result' in answer !== 'error' in answer, text);
      assert.equal(response.status === 200 || answer.error !== undefined, true);
    }
    assert.doesNotMatch(text, /secret|query GetBook/);
    called += runs.length;
    for (const run of runs.splice(0)) assert.match(run, /^(?:book|search|rename|fails) /, body);
  }
  assert.ok(called > messages / 50 && (statuses.get(400) ?? 0) > messages / 50, `${called} ${JSON.stringify([...statuses])}`);
});
