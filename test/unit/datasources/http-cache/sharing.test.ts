import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { InMemoryLRUCache } from '../../../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequestInit } from '../../../../src/datasources/request.ts';
import { OpenStore, Operations, numbered, startAPI } from '../../../support/datasources/api.ts';
import type { OperationSettings } from '../../../support/datasources/api.ts';
import type { Call } from '../../../support/datasources/origin.ts';

/** Fields that may identify a user; the last ones resemble fields that do not. */
const personalFields =
  'authorization cookie x-api-key x-auth-token x-user x-user-id x-session x-impersonate x-forwarded-user apikey x-tenant accept-token x-datadog-user x-b3-user'.split(
    ' ',
  );
const userOf = ({ headers }: Call): string => personalFields.map((name) => headers[name] ?? '').join('') || 'nobody';
const inADay = new Date(Date.now() + 86_400_000).toUTCString();

interface Asked {
  /** The user whom each answer was made for. */
  readonly answers: string;
  /** The number of requests that the API received. */
  readonly calls: number;
}

/**
 * The answers to users who ask for the same path in turn, each in an operation of their own. The API answers every validator with a 304, so a
 * request with that of another user's response would show it.
 */
async function ask(
  t: TestContext,
  headers: Record<string, string>,
  users: string,
  settingsOf: (user: string) => OperationSettings,
): Promise<Asked> {
  const { begin, calls } = await startAPI(t, (call) =>
    call.headers['if-none-match'] ? { status: 304, headers } : { headers, body: userOf(call) },
  );
  const answers: string[] = [];
  for (const user of users.split(' ')) answers.push(await begin(settingsOf(user)).read('me'));
  return { answers: answers.join(' '), calls: calls.length };
}

/** Sends the name of the user in a header field; nobody sends none. */
const by =
  (field: string, settings: OperationSettings = {}) =>
  (user: string): OperationSettings => ({ ...settings, headers: user === 'nobody' ? {} : { [field]: user } });

const everyone = 'alice alice bob nobody alice';

describe('a response that may be for one user is not used for another', () => {
  for (const [what, headers, ttl] of [
    ['with max-age', { 'cache-control': 'max-age=60' }],
    ['with Expires', { expires: inADay }],
    ['with must-revalidate and an ETag', { 'cache-control': 'max-age=60, must-revalidate', etag: '"v"' }],
    ['with private', { 'cache-control': 'private, max-age=60' }],
    ['with private and s-maxage', { 'cache-control': 'private, s-maxage=60, max-age=60' }],
    ['with public and private', { 'cache-control': 'public, private, max-age=60' }],
    ['with s-maxage and a cookie', { 'cache-control': 's-maxage=60, max-age=60', 'set-cookie': 'a=1' }],
    ['with a ttl', {}, 60],
    ['with Last-Modified alone', { 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' }],
  ] as [string, Record<string, string>, number?][])
    it(`${what}, but again for the same user, unless it has no lifetime`, async (t) => {
      for (const field of personalFields) {
        const asked = await ask(t, headers, everyone, by(field, { ttl }));
        assert.deepEqual(asked, { answers: everyone, calls: 'last-modified' in headers ? 5 : 4 }, field);
      }
    });

  for (const control of [
    'public, max-age=60, private=',
    'public, max-age=60, private=""',
    'public, max-age=60, private=" authorization"',
    'public, max-age=60, "private"',
    'public, max-age=60, private\u0085',
    'public, max-age=60, private:',
    'public, max-age=60, [private]',
    'public, community="x, private, of="me"',
    'public, max-age=60, community="x, private',
    "public, max-age=60, 'private'",
    "public, max-age=60, 'no-store'",
    'public, max-age=60, no-store:',
    'public=false, max-age=60',
    'public="", max-age=60',
    's-maxage, max-age=60',
    's-maxage=, max-age=60',
    's-maxage=soon, max-age=60',
    's-maxage=-1, max-age=60',
    'max-age=60, s-maxage=6e1',
  ])
    it(`with a malformed Cache-Control, which is read as the more restrictive one: ${JSON.stringify(control)}`, async (t) => {
      const { answers } = await ask(t, { 'cache-control': control, etag: '"1"' }, 'alice bob', by('authorization'));

      assert.equal(answers, 'alice bob');
    });

  it('in operations at the same time', async (t) => {
    const { begin } = await startAPI(t, (call) => ({ headers: { 'cache-control': 'max-age=60' }, body: userOf(call) }));

    const answers = await Promise.all(['alice', 'bob', 'alice', 'nobody'].map((user) => begin(by('x-user')(user)).read('me')));

    assert.deepEqual(answers, ['alice', 'bob', 'alice', 'nobody']);
  });

  it('when cacheOptionsFor removes the field that identifies the user, for a log', async (t) => {
    const cacheOptionsFor: OperationSettings['cacheOptionsFor'] = (_response, request) => {
      request.headers.delete('authorization');
      return undefined;
    };
    const { answers } = await ask(t, { 'cache-control': 'max-age=60' }, 'alice nobody bob', by('authorization', { cacheOptionsFor }));

    assert.equal(answers, 'alice nobody bob');
  });
});

describe('a response for everybody is used for every user', () => {
  for (const control of [
    'public, max-age=60',
    's-maxage=60',
    'PUBLIC,max-age=60',
    'public;max-age=60',
    'max-age="60" , Public',
    's-maxage="60"',
    'x-private=1, not-private, public, max-age=60',
  ])
    it(`with ${control}, without and with a ttl`, async (t) => {
      for (const ttl of [undefined, 60]) {
        const asked = await ask(t, { 'cache-control': control }, 'alice bob nobody', by('authorization', { ttl }));
        assert.deepEqual(asked, { answers: 'alice alice alice', calls: 1 });
      }
    });

  it('unless Vary names a field in which they differ', async (t) => {
    const headers = { 'cache-control': 'max-age=0, s-maxage=60', vary: 'x-tenant' };
    const { begin } = await startAPI(t, (call) => ({ headers, body: userOf(call) }));

    assert.equal(await begin({ headers: { 'x-api-key': 'alice' } }).read('x'), 'alice');
    assert.equal(await begin({ headers: { 'x-api-key': 'bob' } }).read('x'), 'alice');
    assert.equal(await begin({ headers: { 'x-tenant': 't' } }).read('x'), 't');
  });
});

describe('header fields that identify nobody', () => {
  const fields = (id: string): Record<string, string> => ({
    accept: `text/${id}`,
    'user-agent': id,
    'x-request-id': id,
    traceparent: id,
    'accept-language': id,
    'X-App-Version': id,
    authorization: id,
  });

  for (const [what, headers, ttl] of [
    ['max-age', { 'cache-control': 'max-age=60' }],
    ['a ttl', {}, 60],
  ] as [string, Record<string, string>, number?][])
    it(`are those on the safe list and in shareableHeaders: they do not prevent sharing (${what})`, async (t) => {
      const { begin } = await startAPI(t, numbered(headers));
      const shareableHeaders = ['x-app-version', 'Authorization'];

      const answers = [];
      for (const id of ['1', '2']) answers.push(await begin({ ttl, headers: fields(id), shareableHeaders }).read('x'));

      assert.deepEqual(answers, [0, 0]);
    });
});

describe('Vary', () => {
  for (const ttl of [undefined, 60]) {
    it(`names fields that must be equal${ttl ? ', also with a ttl' : ''}; a new response replaces the stored one`, async (t) => {
      const { begin, calls } = await startAPI(t, ({ headers }) => ({
        headers: { 'cache-control': 'public, max-age=60', vary: 'Accept-Language, X-Tenant' },
        body: `${headers['accept-language']} ${headers['x-tenant']}`,
      }));

      const answers = [];
      for (const [language, tenant] of [['de', 'a'], ['de', 'a'], ['fr', 'a'], ['fr', 'b'], ['fr'], ['de', 'a']])
        // oxfmt-ignore
        answers.push(await begin({ ttl, headers: { 'accept-language': language!, ...(tenant && { 'x-tenant': tenant }) } }).read('x'));

      assert.deepEqual(answers, ['de a', 'de a', 'fr a', 'fr b', 'fr undefined', 'de a']);
      assert.equal(calls.length, 5);
    });
  }

  for (const vary of ['accept, *', 'no name', '(x)', 'accept, x y']) {
    it(`"${vary}" matches no other request`, async (t) => {
      const { begin } = await startAPI(t, numbered({ 'cache-control': 'public, max-age=60', vary }));
      const read = (): Promise<number> => begin({ headers: { accept: 'text/plain' } }).read('x');

      assert.deepEqual([await read(), await read()], [0, 1]);
    });
  }
});

/** Returns a new response without a URL, as many custom functions do. */
const wrapped = async (request: Request): Promise<Response> => {
  const { status, statusText, headers, body } = await fetch(request);
  return new Response(status === 304 ? null : body, { status, statusText, headers });
};

describe('a redirect from a path for each user to a public one does not show one user the resource of another', () => {
  for (const [how, httpFetch] of [
    ['by fetch', undefined],
    ['by an httpFetch that creates a new response', wrapped],
  ] as const) {
    for (const field of ['authorization', 'cookie', 'x-api-key'])
      it(`${how}, with ${field}`, async (t) => {
        const { begin } = await startAPI(t, (call) => {
          if (call.url === '/me') return { status: 302, headers: { location: `/users/${userOf(call)}` } };
          const isKnown = call.headers['if-none-match'] === `"${call.url}"`;
          const headers = { 'cache-control': 'public, max-age=60', etag: `"${call.url}"` };
          return { status: isKnown ? 304 : 200, headers, body: isKnown ? '' : call.url };
        });

        for (const [ttl, ...modes] of [
          [undefined, 'default'],
          [60, 'default'],
          [60, 'no-cache', 'default'],
        ] as const)
          // oxfmt-ignore
          for (const user of ['alice', 'alice', 'bob', 'alice', 'bob'])
            for (const cache of modes) {
              const api = begin({ ...by(field)(user), ttl, httpFetch, cacheIdentity: '' });
              assert.equal(await api.read('me', undefined, { cache }), `/users/${user}`);
            }
      });
  }
});

/** An httpFetch that adds the user's credentials, to the request or to a copy of it. */
const adding = {
  'sets a field': (user: string) => async (request: Request) => {
    request.headers.set('x-api-key', user);
    return fetch(request);
  },
  'makes another request': (user: string) => async (request: Request) =>
    fetch(new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-api-key': user } })),
};

for (const [how, addFor] of Object.entries(adding)) {
  const hidden =
    (settings: OperationSettings = {}) =>
    (user: string): OperationSettings => ({ ...settings, httpFetch: addFor(user) });

  describe(`credentials that httpFetch adds: it ${how}`, () => {
    const apart = 'alice bob alice';
    for (const [control, vary, users, answers, calls, ttl] of [
      ['max-age=60', undefined, apart, apart, 3],
      ['private, max-age=60', undefined, apart, apart, 3],
      ['public, private, max-age=60', undefined, apart, apart, 3],
      ['', undefined, apart, apart, 3, 60],
      ['public, max-age=60', 'X-Api-Key', apart, apart, 3],
      ['s-maxage=60', 'x-api-key', apart, apart, 3, 60],
      ['public, max-age=60', 'Accept', apart, 'alice alice alice', 1],
      ['s-maxage=60', 'Accept', apart, 'alice alice alice', 1],
      ['public', 'Accept', apart, 'alice alice alice', 1, 60],
      ['max-age=60', undefined, 'nobody alice', 'nobody alice', 2],
      ['public, max-age=60', 'x-api-key', 'nobody alice', 'nobody alice', 2],
    ] as [string, string | undefined, string, string, number, number?][])
      it(`${calls === 1 ? 'do not prevent' : 'prevent'} sharing ${control}, Vary: ${vary}, ttl: ${ttl}, among ${users}`, async (t) => {
        const headers = { ...(control && { 'cache-control': control }), ...(vary && { vary }) };
        const asked = await ask(t, headers, users, (user) => (user === 'nobody' ? {} : hidden({ ttl })(user)));

        assert.deepEqual(asked, { answers, calls });
      });

    it('prevent storing a response with Expires, and one with s-maxage and a cookie', async (t) => {
      for (const headers of [{ expires: inADay }, { 'cache-control': 's-maxage=60', 'set-cookie': 'a=1' }])
        assert.deepEqual(await ask(t, headers as {}, apart, hidden()), { answers: apart, calls: 3 });
    });

    for (const headers of [{ 'cache-control': 'private, max-age=60' }, { 'cache-control': 'public, max-age=60', vary: 'X-Api-Key' }])
      it(`are distinguished by cacheIdentity (${Object.values(headers).join(', Vary: ')})`, async (t) => {
        const asked = await ask(t, headers, 'alice bob bob alice', (user) => hidden({ cacheIdentity: user })(user));

        assert.deepEqual(asked, { answers: 'alice bob bob alice', calls: 3 });
      });

    it('are not those in a field that the data source sets for another purpose', async (t) => {
      const settingsOf = (user: string): OperationSettings => ({ ...hidden()(user), headers: { 'x-app-version': '3' } });

      assert.equal((await ask(t, { 'cache-control': 'private, max-age=60' }, 'alice bob', settingsOf)).answers, 'alice bob');
    });
  });
}

it("with an httpFetch and cacheIdentity = '', header fields identify the user", async (t) => {
  const settingsOf = by('x-api-key', { httpFetch: (request) => fetch(request), cacheIdentity: '' });

  const asked = await ask(t, { 'cache-control': 'private, max-age=60' }, 'alice alice bob', settingsOf);

  assert.deepEqual(asked, { answers: 'alice alice bob', calls: 2 });
});

describe('an agent in the options of fetch keeps the response of one user from others', () => {
  /** Answers with the user of the agent, which may have a client certificate: no header field names the user. */
  const fetchWithAgent = async (_url: unknown, init: unknown): Promise<Response> => {
    const { dispatcher, proxy } = init as { dispatcher?: { user: string }; proxy?: string };
    return new Response(dispatcher?.user ?? /\/(\w+):/.exec(proxy ?? '')?.[1], { headers: { 'cache-control': 'max-age=60' } });
  };

  for (const [option, agentOf] of [
    ['dispatcher', (user: string) => ({ user })],
    ['proxy', (user: string) => `http://${user}:secret@proxy.test`],
  ] as const)
    for (const [where, createStore] of [
      ['in memory', () => new InMemoryLRUCache()],
      ['in a store', () => new OpenStore()],
    ] as const)
      for (const isSet of ['by the call', 'by a hook'])
        it(`${option} ${isSet}, ${where}`, async (t) => {
          t.mock.method(globalThis, 'fetch', fetchWithAgent);
          const { begin } = new Operations('http://a.test', createStore());
          const read = (user: string, api = begin()): Promise<string> => {
            const agent = { [option]: agentOf(user) };
            if (isSet === 'by the call') return api.read('me', undefined, agent as DataSourceRequestInit);
            return Object.assign(api, { willSendRequest: (request: object) => void Object.assign(request, agent) }).read('me');
          };
          const one = begin();

          assert.deepEqual(await Promise.all([read('alice'), read('bob')]), ['alice', 'bob']);
          assert.deepEqual([await read('bob'), await read('alice'), await read('bob')], ['bob', 'alice', 'bob']);
          assert.deepEqual([await read('alice', one), await read('bob', one)], ['alice', 'bob']);
        });
});

describe('a store shows no user', () => {
  const secret = 'S3CRET';
  const fields = { authorization: `Bearer ${secret}`, cookie: `sid=${secret}`, 'x-api-key': secret };

  for (const [what, settings] of [
    ['whose header fields identify them', { headers: fields }],
    ['with a ttl', { headers: fields, ttl: 60 }],
    ['whom cacheIdentity identifies', { httpFetch: (request: Request) => fetch(request), cacheIdentity: secret }],
  ] as [string, OperationSettings][])
    it(what, async (t) => {
      const store = new OpenStore();
      const headers = { 'cache-control': 'max-age=60', vary: 'authorization, cookie, x-api-key', 'set-cookie': `sid=${secret}` };
      const { begin } = await startAPI(t, () => ({ headers, body: 'x' }), store);
      await begin(settings).read('x');

      assert.equal(store.entries.size, 1);
      assert.doesNotMatch([...store.entries].join(), /S3CRET|set-cookie|UzNDUkVU/i);
    });

  it('by equal hashes in the entries of two paths', async (t) => {
    const store = new OpenStore();
    const { begin } = await startAPI(t, () => ({ body: 'x' }), store);
    const api = begin({ ttl: 60, headers: { authorization: 'alice' } });
    await api.read('x');
    await api.read('y');

    const [first, second] = [...store.entries.values()].map((text) => /"audienceHash":"(\w+)"/.exec(text)![1]);

    assert.match(first!, /^[\da-f]{64}$/);
    assert.notEqual(first, second);
  });
});

it('Set-Cookie reaches only the caller whose request was sent', async (t) => {
  const headers = { 'cache-control': 'public, max-age=60', 'set-cookie': 'sid=alice' };
  const { begin } = await startAPI(t, () => ({ headers, body: 'x' }));
  const read = (): Promise<string[]> => begin({ didReceiveResponse: async (response) => response.headers.getSetCookie() }).read('x');

  assert.deepEqual([await read(), await read()], [['sid=alice'], []]);
});

describe('cacheIdentity and cacheKeyFor', () => {
  it('cacheIdentity may be a number or a bigint, and null is none', async (t) => {
    const { begin } = await startAPI(t, numbered({ 'cache-control': 'max-age=60' }));
    const readAs = (cacheIdentity: unknown): Promise<unknown> =>
      begin({ httpFetch: (request) => fetch(request), cacheIdentity }).read('me');

    const read = [];
    for (const identity of [7, 7, 7n, 8, null, null]) read.push(await readAs(identity));

    assert.deepEqual(read, [0, 0, 0, 1, 2, 3]);
  });

  for (const [member, what, given] of [
    ['cacheIdentity', 'a Promise', Promise.resolve('alice')],
    ['cacheIdentity', 'an object', { id: 'alice' }],
    ['cacheKeyFor', 'a Promise', () => Promise.resolve('k')],
    ['cacheKeyFor', 'undefined', () => undefined],
    ['cacheKeyFor', 'null', () => null],
    ['cacheKeyFor', 'an object', () => ({})],
    ['cacheKeyFor', '""', () => ''],
    ['cacheKeyFor', '7', () => 7],
  ] as const)
    it(`${member} must not be ${what}: different requests would share it`, async (t) => {
      const { begin, calls } = await startAPI(t, numbered({ 'cache-control': 'max-age=60' }));
      const asking = begin({ httpFetch: (request) => fetch(request), [member]: given }).read('me');

      const must = member === 'cacheKeyFor' ? 'return a string' : 'be a string that identifies the user';
      await assert.rejects(asking, { name: 'TypeError', message: new RegExp(`^${member} must ${must}, not ${what}`) });
      assert.equal(calls.length, 0);
    });
});
