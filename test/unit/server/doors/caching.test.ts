import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { webRequest } from '../../../support/events.ts';
import { get, post } from '../../../support/plain-http.ts';

const hello = { query: '{ hello }' };

/** Sets fields as a context function does that is written only with successful answers in mind. */
const setting =
  (fields: Readonly<Record<string, string>>): NonNullable<ServerOptions['context']> =>
  ({ response }) => {
    for (const [name, value] of Object.entries(fields)) response.headers.set(name, value);
    return {};
  };

const lifetimes = {
  'cache-control': 'public, max-age=60',
  'cdn-cache-control': 'max-age=60',
  'netlify-cdn-cache-control': 'public, durable, s-maxage=60',
  'cloudflare-cdn-cache-control': 'max-age=60',
  'surrogate-control': 'max-age=60',
  'x-accel-expires': '60',
  expires: 'Wed, 21 Oct 2099 07:28:00 GMT',
};

it('a response is no-store for browsers when only a CDN field is set', async () => {
  const response = await createEndpoint({ context: setting({ 'cdn-cache-control': 'max-age=60' }) }).send(get(hello));

  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  assert.equal(response.headers.get('cdn-cache-control'), 'max-age=60');
});

it('Expires of the user is kept, and nothing beside it', async () => {
  const { expires } = lifetimes;
  const response = await createEndpoint({ context: setting({ expires }) }).send(get(hello));

  assert.deepEqual([response.headers.get('expires'), response.headers.has('cache-control')], [expires, false]);
});

describe('whatever caching headers context sets', () => {
  const requests = {
    'a document that does not validate': get({ query: '{ unknown }' }),
    'a resolver that fails': get({ query: '{ explode }' }),
    'a mutation': post({ query: 'mutation { write }' }),
    'a batch in which one element fails': post([hello, { query: '{ explode }' }]),
    'a persisted query that is not known': get({
      extensions: JSON.stringify({ persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }),
    } as never),
    'a request that is refused': get({}),
  };
  for (const [name, request] of Object.entries(requests)) {
    it(`no cache stores ${name}, including a CDN with its own field`, async () => {
      const { headers } = await createEndpoint({ context: setting(lifetimes) }).send(request);

      assert.equal(headers.get('cache-control'), 'private, no-store');
      for (const field of Object.keys(lifetimes)) if (field !== 'cache-control') assert.equal(headers.has(field), false, field);
    });
  }
});

it('no cache stores an event stream, including a CDN with its own field', async () => {
  const handler = createHandler({
    typeDefs: 'type Query { hello: String } # events',
    rootValue: { hello: 'x' },
    context: setting(lifetimes),
  });

  const response = await handler.fetch(webRequest(post(hello, { headers: [['accept', 'text/event-stream']] })));

  assert.match(await response.text(), /"hello":"x"/);
  assert.equal(response.headers.get('cache-control'), 'private, no-store, no-transform');
  for (const field of Object.keys(lifetimes)) if (field !== 'cache-control') assert.equal(response.headers.has(field), false, field);
});
