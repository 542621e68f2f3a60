import assert from 'node:assert/strict';
import { Agent, request as sendRequest } from 'node:http';
import type { TestContext } from 'node:test';

/** Asks for one of its own header fields. */
export const question = JSON.stringify({ query: '{ header(name: "x-user") }' });
export const answered = { status: 200, body: '{"data":{"header":"ada"}}' };
export const headers = { 'content-type': 'application/json', 'x-user': 'ada' };

/** A host answers with headers and body, and still answers on the same connection after bodies above the limit. */
export async function assertHostAnswers(t: TestContext, url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const send = (body: string): Promise<object> =>
    new Promise((resolve, reject) => {
      const to = { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
      const sent = sendRequest(url, to, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk))).once('end', () => resolve({ status: response.statusCode, body: text }));
      });
      sent.once('error', reject).end(body);
    });

  assert.deepEqual(await send(question), answered);
  for (const bytes of [2 ** 20, 2 ** 23]) {
    const refused = await send(JSON.stringify({ query: '{ __typename }', padding: 'x'.repeat(bytes) }));
    assert.equal((refused as { status: number }).status, 413);
    assert.deepEqual(await send(question), answered);
  }
}
