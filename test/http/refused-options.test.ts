import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../support/endpoint.ts';
import { get, plainRequest, post } from '../support/plain-http.ts';

describe('csrfPrevention.requestHeaders', () => {
  // As Chromium, Firefox and Safari send a GET of another site's page, and as load balancers and CDNs hand it on.
  const always = [
    'User-Agent', 'Cookie', 'Referer', 'Accept-Language', 'accept', 'accept-encoding', 'origin', 'host', 'connection', 'content-type',
    'content-length', 'cache-control', 'pragma', 'range', 'sec-fetch-site', 'sec-fetch-mode', 'sec-ch-ua', 'sec-gpc', 'dnt', 'priority', 'te',
    'upgrade-insecure-requests', 'save-data', 'if-none-match', 'if-modified-since', 'x-forwarded-for', 'X-Forwarded-Proto', 'x-amzn-trace-id',
    'via', 'cf-ray', 'x-nf-request-id', 'x-vercel-id', 'forwarded', 'traceparent', 'cloudfront-viewer-country', 'x-real-ip', 'content-language',
  ]; // prettier-ignore
  for (const name of always) {
    it(`with ${name}, which every request carries, is refused at start`, () => {
      assert.throws(
        () => createEndpoint({ csrfPrevention: { requestHeaders: ['x-my-app', name] } }),
        new RegExp(`requestHeaders must not have "${name}": browsers, or proxies, send it with every request`),
      );
    });
  }

  it('with what is no name of a field is refused at start', () => {
    assert.throws(() => createEndpoint({ csrfPrevention: { requestHeaders: ['x my app'] } }), /to be names of HTTP fields, got "x my app"/);
  });

  it('with names of the user’s own replaces the list', async () => {
    const endpoint = createEndpoint({ csrfPrevention: { requestHeaders: ['X-My-App', 'authorization'] } });
    const query = new URLSearchParams({ query: '{ hello }' }).toString();

    assert.equal((await endpoint.send(plainRequest({ query, headers: [['x-my-app', '1']] }))).status, 200);
    assert.equal((await endpoint.send(get({ query: '{ hello }' }))).status, 400);
  });
});

describe('cors with credentials', () => {
  const origins = {
    '"null"': 'null',
    'a list with "null"': ['https://shop.example', 'null'],
    'a pattern of everything': /.*/,
    'a list with a pattern of everything': [/./],
  };
  for (const [name, origin] of Object.entries(origins)) {
    it(`is refused at start for ${name}: every page can call itself "null"`, () => {
      assert.throws(
        () => createEndpoint({ cors: { origin, credentials: true } }),
        /must not let in "null" together with cors\.credentials/,
      );
    });
  }

  for (const origin of [/^https?:\/\//, /^https:\/\/.+$/, /:8443$/]) {
    it(`is refused at start for a pattern that lets in everybody: ${origin}`, () => {
      assert.throws(
        () => createEndpoint({ cors: { origin, credentials: true } }),
        /must not let in everybody together with cors\.credentials/,
      );
    });
  }

  for (const origin of ['https://shop.example', [/^https:\/\/[a-z]+\.shop\.example$/], /^http:\/\/localhost:\d+$/]) {
    it(`starts for ${String(origin)}`, () => void createEndpoint({ cors: { origin, credentials: true } }));
  }

  it('lets in "null" without credentials', async () => {
    const response = await createEndpoint({ cors: { origin: 'null' } }).send(
      post({ query: '{ hello }' }, { headers: [['origin', 'null']] }),
    );

    assert.equal(response.headers.get('access-control-allow-origin'), 'null');
  });

  it('never lets in "null", whatever a function says', async () => {
    const endpoint = createEndpoint({ cors: { origin: () => true, credentials: true } });
    const response = await endpoint.send(post({ query: '{ hello }' }, { headers: [['origin', 'null']] }));

    assert.equal(response.headers.has('access-control-allow-origin'), false);
    assert.equal(response.headers.has('access-control-allow-credentials'), false);
  });
});

describe('requestIsBatched', () => {
  for (const [name, body, expected] of [
    ['one operation', { query: '{ hello }' }, [false]],
    ['a batch of one', [{ query: '{ hello }' }], [true]],
    ['a batch', [{ query: '{ hello }' }, { query: '{ hello }' }], [true, true]],
  ] as const) {
    it(`is ${expected[0]} for plugins of ${name}`, async () => {
      const told: boolean[] = [];
      const plugin = { requestDidStart: ({ requestIsBatched }: { requestIsBatched: boolean }) => void told.push(requestIsBatched) };

      await createEndpoint({ plugins: [plugin] }).send(post(body));

      assert.deepEqual(told, expected);
    });
  }
});
