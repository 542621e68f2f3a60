import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { blockOf } from '../../support/pages.ts';

type SendOnce = (query: string, variables?: object, key?: string) => Promise<unknown>;
type Step = Response | 'broken off';

const json = { 'content-type': 'application/json' };
const answer = '{"data":{"pay":{"id":"1"}}}';
const fromGateway = (status: number): Response => new Response('<html>', { status, headers: { 'content-type': 'text/html' } });

/** The function of the page, with a network that gives these responses. */
async function sendBy(steps: readonly Step[]): Promise<{ send: SendOnce; keys: string[]; waits: number[] }> {
  const text = await blockOf('idempotency.md', 'async function sendOnce');
  const [keys, waits]: [string[], number[]] = [[], []];
  const fetch = async (_url: string, init: { headers: Record<string, string> }): Promise<Response> => {
    keys.push(init.headers['idempotency-key']!);
    const step = steps[keys.length - 1]!;
    if (step === 'broken off') throw new TypeError('fetch failed');
    return step;
  };
  const setTimeout = (resolve: () => void, wait: number): void => {
    waits.push(wait);
    resolve();
  };
  return { send: runInNewContext(`${text}\nsendOnce`, { fetch, setTimeout, crypto }) as SendOnce, keys, waits };
}

describe('the client of docs/idempotency.md', () => {
  for (const [what, steps] of Object.entries<readonly Step[]>({
    'a connection that breaks off': ['broken off'],
    'a 502 of a gateway': [fromGateway(502)],
    'a 503 without a body': [new Response(null, { status: 503 })],
    'a 504 of a gateway': [fromGateway(504)],
    'a key whose first request is running': [new Response('{"errors":[]}', { status: 409, headers: { ...json, 'retry-after': '2' } })],
  }))
    test(`sends again with the same key after ${what}`, async () => {
      const { send, keys, waits } = await sendBy([...steps, new Response(answer, { headers: json })]);

      const result = await send('mutation { pay }');

      assert.deepEqual([JSON.stringify(result), keys.length, new Set(keys).size, waits.length], [answer, 2, 1, 1]);
      assert.match(keys[0]!, /^"[\da-f-]{36}"$/);
    });

  test('does not send again after a refusal that a retry does not change', async () => {
    const refusal = '{"errors":[{"message":"unknown"}]}';
    const { send, keys } = await sendBy([new Response(refusal, { status: 409, headers: json })]);

    assert.deepEqual([JSON.stringify(await send('mutation { pay }')), keys.length], [refusal, 1]);
  });

  test('gives up after five tries', async () => {
    const { send, keys } = await sendBy(Array.from({ length: 5 }, () => fromGateway(502)));

    await assert.rejects(send('mutation { pay }'), { message: 'No answer after 5 tries, status 502.' });
    assert.equal(keys.length, 5);
  });
});
