import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { importBlock } from '../../support/pages.ts';

test('the webhook of docs/plugins.md is the only way to its mutation, and tells senders what to send again', async (t) => {
  const { default: handler } = await importBlock(t, ['plugins.md', 'webhooks/payments']);
  const send = async (path: string, text: string, secret?: string): Promise<number> => {
    const headers = {
      'content-type': 'application/json',
      'x-signature': createHmac('sha256', secret ?? '')
        .update(text)
        .digest('hex'),
    };
    return (await handler.fetch(new Request(`https://api.example${path}`, { method: 'POST', headers, body: text }))).status;
  };
  const payment = '{"id":"1"}';

  assert.equal(await send('/webhooks/payments', payment, ''), 500);
  process.env['WEBHOOK_SECRET'] = 'secret';
  t.after(() => delete process.env['WEBHOOK_SECRET']);
  assert.equal(await send('/webhooks/payments', payment, 'secret'), 204);
  assert.equal(await send('/webhooks/payments', payment, 'other'), 401);
  assert.equal(await send('/webhooks/payments', '{"no":"id"}', 'secret'), 422);
  assert.equal(await send('/', `{"documentId":"receivePayment","variables":{"payment":${payment}}}`), 403);
});
