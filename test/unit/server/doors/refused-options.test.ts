import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInThisContext } from 'node:vm';

import { createEndpoint } from '../../../support/endpoint.ts';
import { get, plainRequest, post } from '../../../support/plain-http.ts';

describe('csrfPrevention.requestHeaders', () => {
  const refused = [
    'Cookie',
    'Authorization',
    'x-my-app',
    'x-operation-name',
    'my-app-require-preflight-1',
    'my-require-preflight\n',
    '',
    5,
  ];
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

  it('with custom names replaces the list', async () => {
    const endpoint = createEndpoint({ csrfPrevention: { requestHeaders: ['X-My-App-Operation-Name', 'my-other-app-require-preflight'] } });
    const query = new URLSearchParams({ query: '{ hello }' }).toString();

    assert.equal((await endpoint.send(plainRequest({ query, headers: [['x-my-app-operation-name', '1']] }))).status, 200);
    assert.equal((await endpoint.send(get({ query: '{ hello }' }))).status, 400);
  });
});

describe('cors with credentials', () => {
  it('allows only own origins with the function that the message shows', async () => {
    let advice = '';
    try {
      createEndpoint({ cors: { origin: /shop/, credentials: true } });
    } catch (error) {
      advice = /for example origin: (.*)\.$/.exec((error as Error).message)?.[1] ?? '';
    }
    const endpoint = createEndpoint({ cors: { origin: runInThisContext(advice) as () => boolean, credentials: true } });
    const asking = ['https://www.example.com', 'https://evilexample.com', 'https://www.example.com.evil.test', 'http://www.example.com'];

    const allowed = await Promise.all(
      asking.map(async (origin) => {
        const { headers } = await endpoint.send(post({ query: '{ hello }' }, { headers: [['origin', origin]] }));
        return headers.get('access-control-allow-origin');
      }),
    );

    assert.deepEqual(allowed, ['https://www.example.com', undefined, undefined, undefined]);
  });

  it('never allows "null", whatever a function returns', async () => {
    const endpoint = createEndpoint({ cors: { origin: () => true, credentials: true } });
    const response = await endpoint.send(post({ query: '{ hello }' }, { headers: [['origin', 'null']] }));

    assert.equal(response.headers.has('access-control-allow-origin'), false);
    assert.equal(response.headers.has('access-control-allow-credentials'), false);
  });
});
