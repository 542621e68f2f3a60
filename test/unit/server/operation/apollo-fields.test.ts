/** The fields that Apollo Server 4 and 5 document for plugins. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';

const query = '{ hello }';
const sha256Hash = createHash('sha256').update(query).digest('hex');
const extensions = { persistedQuery: { version: 1, sha256Hash } };

// Any: reads fields as a plugin in JavaScript does.
const reading = (read: (context: any) => unknown): [plugin: ServerPlugin, seen: unknown[]] => {
  const seen: unknown[] = [];
  return [{ requestDidStart: () => ({ willSendResponse: (context) => void seen.push(read(context)) }) }, seen];
};

describe('a hook', () => {
  test('gets metrics of persisted queries', async () => {
    const [plugin, seen] = reading(({ metrics }) => ({ ...metrics }));
    const endpoint = createEndpoint({ plugins: [plugin] });

    for (const body of [{ query }, { extensions }, { query, extensions }, { extensions }]) await endpoint.send(post(body));

    assert.deepEqual(seen, [{}, {}, { persistedQueryRegister: true }, { persistedQueryHit: true }]);
  });

  test('gets the hash of the text as queryHash, and undefined if there is none', async () => {
    const [plugin, seen] = reading(({ queryHash }) => queryHash);
    const endpoint = createEndpoint({ plugins: [plugin] });

    for (const body of [{ query }, { extensions }]) await endpoint.send(post(body));

    assert.deepEqual(seen, [sha256Hash, undefined]);
  });

  for (const [what, request, expected] of [
    ['a GET', get({ query }), '?query=%7B+hello+%7D'],
    ['a POST without a query string', post({ query }), ''],
    ['a POST with one', post({ query }, { query: 'a=1' }), '?a=1'],
  ] as readonly (readonly [string, PlainRequest, string])[])
    test(`gets request.http.search of ${what}, with its "?"`, async () => {
      const [plugin, seen] = reading(({ request: { http } }) => [http.search, http.method]);

      await createEndpoint({ plugins: [plugin] }).send(request);

      assert.deepEqual(seen, [[expected, request.method]]);
    });

  test('may read and replace the result as response.body', async () => {
    const [plugin, seen] = reading(({ response: { body } }) => {
      seen.push([body.kind, { ...body.singleResult.data }]);
      body.singleResult.extensions = { first: 1 };
      body.singleResult = { ...body.singleResult, extensions: { ...body.singleResult.extensions, second: 2 } };
    });

    const response = await createEndpoint({ plugins: [plugin] }).send(post({ query }));

    assert.deepEqual(seen[0], ['single', { hello: 'Hello, world!' }]);
    assert.deepEqual(json(response).extensions, { first: 1, second: 2 });
  });
});
