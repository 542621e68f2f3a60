import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../support/endpoint.ts';
import { get, plainRequest, post } from '../../support/plain-http.ts';

describe('csrfPrevention.requestHeaders', () => {
  const refused = [
    'User-Agent', 'Cookie', 'accept', 'content-type', 'last-event-id', 'sec-fetch-site', 'Authorization', 'x-forwarded-for', 'X-Amzn-Trace-Id',
    'b3', 'traceparent', 'cf-ray', 'x-api-key', 'x-csrf-token', 'x-requested-with', 'x-my-app', 'secret', 'x-operation-name', 'require-preflight',
    'my-operation-name', 'my-app-require-preflight-1', 'x my-require-preflight', 'my-require-preflight\n', '', 5,
  ]; // prettier-ignore
  for (const name of refused) {
    it(`with ${JSON.stringify(name)}, which has another form, is refused at start`, () => {
      assert.throws(
        () => createEndpoint({ csrfPrevention: { requestHeaders: ['x-my-operation-name', name as string] } }),
        /csrfPrevention\.requestHeaders to be a list of names like "my-app-require-preflight" or "x-my-app-operation-name", .*, got \[/,
      );
    });
  }

  it('without a name is refused at start, because it would refuse every request', () => {
    assert.throws(() => createEndpoint({ csrfPrevention: { requestHeaders: [] } }), /to be a list of names like .*, got an array of 0\.$/);
  });

  for (const name of ['apollo-require-preflight', 'Vendor-Require-Preflight', 'x-apollo-operation-name', 'X-Google-Operation-Name'])
    it(`with ${name} is accepted`, () => void createEndpoint({ csrfPrevention: { requestHeaders: [name] } }));

  it('with custom names replaces the list', async () => {
    const endpoint = createEndpoint({ csrfPrevention: { requestHeaders: ['X-My-App-Operation-Name', 'my-other-app-require-preflight'] } });
    const query = new URLSearchParams({ query: '{ hello }' }).toString();

    assert.equal((await endpoint.send(plainRequest({ query, headers: [['x-my-app-operation-name', '1']] }))).status, 200);
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
      assert.throws(() => createEndpoint({ cors: { origin, credentials: true } }), /must not allow "null" with cors\.credentials/);
    });
  }

  const unsafe = [
    // These match every site.
    /^https?:\/\//, /^https:\/\/.+$/, /:8443$/, /^https:\/\/.*$/,
    // These match a part of an origin.
    /https:\/\/shop\.example/, /^https:\/\/shop\.example/, /shop\.example$/i, /\.shop\.example$/, /^https:\/\/a\.example|https:\/\/b\.example$/,
    /^https:\/\/(?:a|b)\.example/, /^https:\/\/[$|]\.example\$/, /^(?:https:\/\/a\.example|https:\/\/b\.example$)/, /^https:\/\/a\.example$|b\.example$/,
    // These match https://evilshop.example.
    /^https:\/\/.*shop\.example$/, /^https:\/\/[\w-]*shop\.example$/, /^https:\/\/(?:\w+)?shop\.example$/, /^https:\/\/(?:www\.|\w)shop\.example$/,
    // These match https://shop-evil.net.
    /^https:\/\/shop.*$/, /^https:\/\/shop\..+$/, /^https:\/\/shop\.[a-z]+$/, /^https:\/\/shop\.(?:example|\w+)$/,
    // These match https://apixshop.example.
    /^https:\/\/api.shop.example$/, /^https:\/\/shop.example$/,
    // These match any scheme, any port of any host, or are too complex to check.
    /^\w+:\/\/shop\.example$/, /^https:\/\/\w+:\d+$/, /^https:\/\/(?=shop).*\.example$/, /^https:\/\/(?:[\w-]+\.)*$/, /^https:\/\/\.$/,
  ]; // prettier-ignore
  for (const origin of unsafe) {
    it(`is refused at start for a pattern that matches origins of others: ${origin}`, () => {
      for (const given of [origin, ['https://other.example', origin]]) {
        assert.throws(
          () => createEndpoint({ cors: { origin: given, credentials: true } }),
          /^TypeError: With cors\.credentials, cors\.origin must match only your own origins, but .* can match others/,
        );
      }
      createEndpoint({ cors: { origin } });
    });
  }

  const safe = [
    'https://shop.example', /^(?:https:\/\/a\.example|https:\/\/b\.example)$/, /^https:\/\/a\.example$|^https:\/\/b\.example$/,
    [/^https:\/\/[a-z]+\.shop\.example$/], /^http:\/\/localhost:\d+$/, /^https?:\/\/(?:www\.)?shop\.example(?::\d+)?$/, /^https:\/\/.*\.shop\.example$/,
    /^https:\/\/(?:[\w-]+\.)*shop\.example$/i, /^https:\/\/(?<tenant>[a-z]{1,20})\.shop\.example:8443$/, /^https:\/\/(shop|store)\.(example|test)$/,
    /^https:\/\/(?:[\w-]+\.)?example\.com$/, new RegExp('^https://.+?\\.shop\\.example$'),
  ]; // prettier-ignore
  for (const origin of safe) {
    it(`starts for ${String(origin)}`, () => void createEndpoint({ cors: { origin, credentials: true } }));
  }

  it('suggests a safe pattern, whatever the option contains', () => {
    let advice = '';
    try {
      createEndpoint({ cors: { origin: /shop\.example$/, credentials: true } });
    } catch (error) {
      advice = /for example \/(.*)\/\.$/.exec((error as Error).message)?.[1] ?? '';
    }

    assert.match('https://www.example.com', new RegExp(advice));
    assert.doesNotMatch('https://evilexample.com', new RegExp(advice));
    createEndpoint({ cors: { origin: new RegExp(advice), credentials: true } });
  });

  it('allows "null" without credentials', async () => {
    const response = await createEndpoint({ cors: { origin: 'null' } }).send(
      post({ query: '{ hello }' }, { headers: [['origin', 'null']] }),
    );

    assert.equal(response.headers.get('access-control-allow-origin'), 'null');
  });

  it('never allows "null", whatever a function returns', async () => {
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
