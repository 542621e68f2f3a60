import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../../src/entries/index.ts';

/** As Chrome sends it. */
const browser =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

async function open(path: string, accept: string, options: Partial<ServerOptions> = {}): Promise<[status: number, body: any]> {
  const handler = createHandler({ typeDefs: 'type Query { ok: Boolean }', nodeEnv: 'production', ...options } as ServerOptions);
  const headers = { accept, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
  const response = await handler(new Request(`https://shop.example${path}`, { headers }));
  assert.match(response.headers.get('content-type') ?? '', /^application\/graphql-response\+json|^application\/json/);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  return [response.status, await response.json()];
}

const sentence =
  'This is a GraphQL endpoint: send it a POST with "content-type: application/json" and a body such as {"query":"{ __typename }"}.';

describe('a browser that opens the address of a deployed function', () => {
  for (const csrfPrevention of [undefined, true, false] as const)
    test(`is told in one sentence what is there, with csrfPrevention: ${csrfPrevention}`, async () => {
      const answer = await open('/graphql', browser, csrfPrevention === undefined ? {} : { csrfPrevention });

      assert.deepEqual(answer, [422, { errors: [{ message: sentence, extensions: { code: 'BAD_REQUEST' } }] }]);
    });

  test('is told to send the id of a document, if the server takes only trusted documents', async () => {
    const trustedDocuments = { documents: { abc: '{ ok }' }, only: true };

    const [status, body] = await open('/graphql', browser, { trustedDocuments });

    assert.equal(status, 422);
    assert.equal(
      body.errors[0].message,
      'This is a GraphQL endpoint that takes only its trusted documents: send it a POST with "content-type: application/json" and a body such as {"documentId":"…"}.',
    );
  });
});
