import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { limits } from '../../../../../src/entries/limits.ts';
import type { KeyValueCache } from '../../../../../src/datasources/cache/key-value-cache.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { get, json, post } from '../../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../../support/plain-http.ts';

const query = '{ hello }';

const codeOf = (response: PlainResponse): unknown => json(response).errors?.[0].extensions.code;

/** A request with only a hash, or a hash with its document, as sent by Apollo's clients. */
function persisted(method: 'GET' | 'POST', hash: unknown, parameters: { query?: string; version?: unknown } = {}): PlainRequest {
  const { version = 1, ...rest } = parameters;
  const extensions = { persistedQuery: { version, sha256Hash: hash } };
  return method === 'POST' ? post({ ...rest, extensions }) : get({ ...rest, extensions: JSON.stringify(extensions) });
}

for (const method of ['GET', 'POST'] as const) {
  describe(`automatic persisted queries by ${method}`, () => {
    it('an unknown hash is PersistedQueryNotFound with status 404, which must not be stored', async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(persisted(method, sha256(query)));

      assert.equal(response.status, 404);
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      const { errors, data } = json(response);
      assert.deepEqual(errors, [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]);
      assert.equal(data, undefined);
      assert.deepEqual(endpoint.runs, []);
    });

    it('a hash is enough once it has been sent with its document', async () => {
      const endpoint = createEndpoint();
      const both = await endpoint.send(persisted(method, sha256(query), { query }));

      const alone = await endpoint.send(persisted(method, sha256(query)));

      assert.deepEqual([both.status, alone.status], [200, 200]);
      assert.deepEqual(json(alone), { data: { hello: 'Hello, world!' } });
      assert.deepEqual(endpoint.runs, ['hello', 'hello']);
    });

    it('a hash that does not match the document is 400, runs nothing and is not kept', async () => {
      const endpoint = createEndpoint();
      const wrong = sha256('{ other }');

      const both = await endpoint.send(persisted(method, wrong, { query }));
      const alone = await endpoint.send(persisted(method, wrong));

      assert.equal(both.status, 400);
      assert.equal(codeOf(both), 'BAD_REQUEST');
      assert.equal(codeOf(alone), 'PERSISTED_QUERY_NOT_FOUND');
      assert.deepEqual(endpoint.runs, []);
    });

    it('a known hash with another document is 400: its document cannot be replaced', async () => {
      const endpoint = createEndpoint();
      await endpoint.send(persisted(method, sha256(query), { query }));

      const other = await endpoint.send(persisted(method, sha256(query), { query: '{ sum(numbers: [1]) }' }));
      const alone = await endpoint.send(persisted(method, sha256(query)));

      assert.equal(other.status, 400);
      assert.deepEqual(json(alone).data, { hello: 'Hello, world!' });
    });

    for (const invalid of ['{ nothing }', '{ hello']) {
      it(`a document that is not valid is not kept: ${invalid}`, async () => {
        const endpoint = createEndpoint();

        const both = await endpoint.send(persisted(method, sha256(invalid), { query: invalid }));
        const alone = await endpoint.send(persisted(method, sha256(invalid)));

        assert.equal(both.status, invalid === '{ hello' ? 400 : 422);
        assert.equal(codeOf(alone), 'PERSISTED_QUERY_NOT_FOUND');
      });
    }

    for (const [name, hash, version] of [
      ['version 2', sha256(query), 2],
      ['no hash', undefined, 1],
      ['a hash that is an object', { toString: 1 }, 1],
    ] as const) {
      it(`${name} is 400`, async () => {
        const endpoint = createEndpoint();

        const response = await endpoint.send(persisted(method, hash, { query, version }));

        assert.equal(response.status, 400);
        assert.equal(codeOf(response), 'BAD_REQUEST');
        assert.deepEqual(endpoint.runs, []);
      });
    }

    for (const hash of ['', '../secret', sha256(query).toUpperCase(), `${sha256(query)}\n`, '__proto__', 'a'.repeat(100_000)]) {
      it(`an invalid hash (${JSON.stringify(hash.slice(0, 20))}) is never a key of the store`, async () => {
        const [cache, keys] = recordingCache();
        const endpoint = createEndpoint({ cache });

        const response = await endpoint.send(persisted(method, hash));

        assert.equal(codeOf(response), 'PERSISTED_QUERY_NOT_FOUND');
        assert.deepEqual(keys, []);
      });
    }

    it('persistedQueries: false: a hash alone is PersistedQueryNotSupported with status 400, a document runs, whatever its hash', async () => {
      const { send } = createEndpoint({ persistedQueries: false });

      const response = await send(persisted(method, sha256(query)));

      assert.equal(response.status, 400);
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      assert.deepEqual(json(response).errors, [
        { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
      ]);
      assert.deepEqual(json(await send(persisted(method, 'x', { query }))), { data: { hello: 'Hello, world!' } });
    });
  });
}

describe('automatic persisted queries', () => {
  it('do not let a mutation through over GET', async () => {
    const endpoint = createEndpoint();
    const mutation = 'mutation { write }';
    await endpoint.send(persisted('POST', sha256(mutation), { query: mutation }));

    const response = await endpoint.send(persisted('GET', sha256(mutation)));

    assert.equal(response.status, 405);
    assert.deepEqual(endpoint.runs, ['write']);
  });

  it('keep a mutation that was refused over GET out of the store', async () => {
    const endpoint = createEndpoint();
    const mutation = 'mutation { write }';
    await endpoint.send(persisted('GET', sha256(mutation), { query: mutation }));

    const response = await endpoint.send(persisted('POST', sha256(mutation)));

    assert.equal(codeOf(response), 'PERSISTED_QUERY_NOT_FOUND');
    assert.deepEqual(endpoint.runs, []);
  });

  it('in a batch: a miss is an error of its element, and the answer is no-store', async () => {
    const endpoint = createEndpoint();

    const response = await endpoint.send(post([{ query }, { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } } }]));

    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    const [first, second] = json(response);
    assert.deepEqual(first, { data: { hello: 'Hello, world!' } });
    assert.equal(second.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  });

  it('that are known are not written again by a client that sends them in full', async () => {
    const [cache, , entries] = recordingCache();
    const endpoint = createEndpoint({ cache });
    await endpoint.send(persisted('POST', sha256(query), { query }));
    entries.clear();

    const response = await endpoint.send(persisted('POST', sha256(query), { query }));

    assert.deepEqual([json(response), [...entries]], [{ data: { hello: 'Hello, world!' } }, []]);
  });

  it('longer than 65,536 characters are answered, but not kept', async () => {
    const [cache, , entries] = recordingCache();
    const endpoint = createEndpoint({ cache });
    const long = `{ hello } # ${'x'.repeat(65_536)}`;

    const response = await endpoint.send(persisted('POST', sha256(long), { query: long }));
    const alone = await endpoint.send(persisted('POST', sha256(long)));

    assert.deepEqual(json(response), { data: { hello: 'Hello, world!' } });
    assert.equal(codeOf(alone), 'PERSISTED_QUERY_NOT_FOUND');
    assert.deepEqual([...entries], []);
  });

  it('are stored in the given cache with a prefix, for a day: any client may write them; another instance finds them', async () => {
    const [cache, , entries] = recordingCache();
    const variables = { n: 'Ada' };
    const document = 'query A { sum(numbers: []) } query B($n: String) { hello(name: $n) }';
    const hash = sha256(document);
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    await createEndpoint({ cache }).send(post({ query: document, operationName: 'A', extensions }));

    const response = await createEndpoint({ cache }).send(post({ operationName: 'B', variables, extensions }));

    assert.deepEqual([...entries], [[`apq:${hash}`, { value: document, ttl: 86_400 }]]);
    assert.deepEqual(json(response), { data: { hello: 'Hello, Ada!' } });
  });

  for (const [name, options, document] of [
    ['tokens', { maxTokens: 5 }, '{ a: hello b: hello }'],
    ['nesting', {}, `${'{ a '.repeat(300)}${'}'.repeat(300)}`],
    ['depth', { plugins: [limits({ maxDepth: 1 })] }, '{ books { title } }'],
    ['cost', { plugins: [limits({ maxCost: 1 })] }, '{ a: hello b: hello }'],
    ['comparisons', {}, `{ ${'books { title } '.repeat(225)} }`],
  ] as const)
    it(`that another instance has kept, found by their hash, have the limits of every document: ${name}`, async () => {
      const [cache, , entries] = recordingCache();
      entries.set(`apq:${sha256(document)}`, { value: document, ttl: undefined });
      const endpoint = createEndpoint({ ...options, cache });

      for (const round of ['from the shared cache', 'from memory']) {
        const response = await endpoint.send(persisted('POST', sha256(document)));

        assert.match(String(codeOf(response)), /^GRAPHQL_(?:PARSE|VALIDATION)_FAILED$/, round);
        assert.deepEqual(endpoint.runs, [], round);
      }
    });

  it('have the limits of variables and of a batch’s share, found by their hash', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { and: nested(levels - 1) });
    const document = 'query ($f: Filter) { books(filter: $f) { title } }';
    const endpoint = createEndpoint({ maxTokens: 30 });
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(document) } };
    await endpoint.send(post({ query: document, extensions }));

    const deep = await endpoint.send(post({ extensions, variables: { f: nested(201) } }));
    const unknown = await endpoint.send(post({ extensions, variables: { f: { nope: 1 } } }));
    const batch = await endpoint.send(post([{ extensions }, { query: '{ hello }' }]));

    assert.deepEqual([deep.status, codeOf(deep), codeOf(unknown)], [422, 'BAD_REQUEST', 'BAD_USER_INPUT']);
    assert.match(json(batch)[0].errors[0].message, /batch of 2 to have at most 15 tokens/);
    assert.deepEqual(endpoint.runs, ['books', 'hello']);
  });

  it('that are in the shared cache but do not match their hash count as missing', async () => {
    const [cache, , entries] = recordingCache();
    entries.set(`apq:${sha256(query)}`, { value: '{ explode }', ttl: undefined });
    const endpoint = createEndpoint({ cache });

    const response = await endpoint.send(persisted('POST', sha256(query)));

    assert.equal(codeOf(response), 'PERSISTED_QUERY_NOT_FOUND');
    assert.deepEqual(endpoint.runs, []);
  });

  it('with a cache that fails are answered from memory, or are a miss', async () => {
    const dead: KeyValueCache = { get: failing, set: failing, delete: failing };
    const endpoint = createEndpoint({ cache: dead });

    const miss = await endpoint.send(persisted('POST', sha256(query)));
    await endpoint.send(persisted('POST', sha256(query), { query }));
    const hit = await endpoint.send(persisted('POST', sha256(query)));

    assert.equal(codeOf(miss), 'PERSISTED_QUERY_NOT_FOUND');
    assert.deepEqual(json(hit), { data: { hello: 'Hello, world!' } });
  });

  it('are limited in memory: the least recently used are evicted first (Apollo 3.9, unbounded default cache)', async () => {
    const endpoint = createEndpoint();
    const large = (index: number): string => `{ hello(name: "${String(index).padStart(65_000, 'x')}") }`;
    for (let index = 0; index < 50; index++) await endpoint.send(persisted('POST', sha256(large(index)), { query: large(index) }));

    const oldest = await endpoint.send(persisted('POST', sha256(large(0))));
    const newest = await endpoint.send(persisted('POST', sha256(large(49))));

    assert.equal(codeOf(oldest), 'PERSISTED_QUERY_NOT_FOUND');
    assert.equal(json(newest).errors, undefined);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function failing(): Promise<never> {
  throw new Error('The store is gone');
}

/** A cache, the keys that were read, and its entries. */
function recordingCache(): [cache: KeyValueCache, keys: string[], entries: Map<string, { value: string; ttl: unknown }>] {
  const keys: string[] = [];
  const entries = new Map<string, { value: string; ttl: unknown }>();
  const cache: KeyValueCache = {
    get: async (key) => {
      keys.push(key);
      return entries.get(key)?.value;
    },
    set: async (key, value, options) => {
      keys.push(key);
      entries.set(key, { value, ttl: options?.ttl ?? undefined });
    },
    delete: async (key) => entries.delete(key),
  };
  return [cache, keys, entries];
}
