import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { InMemoryLRUCache } from '../../../src/entries/index.ts';
import type { Handler, KeyValueCache } from '../../../src/entries/index.ts';
import { createHandler } from '../../../src/entries/index.ts';
import { hostileInputs } from '../../support/hostile-inputs.ts';
import { importBlock } from '../../support/pages.ts';

// session.test.ts, key-server.test.ts and redis-events.test.ts attack the recipes of sessions, tokens and subscriptions.

/** Recipes that get such an input; each throws unless the input only concerns itself. */
const recipes: Readonly<Record<string, (t: TestContext) => Promise<(input: string) => Promise<void>>>> = {
  async 'data-sources.md: an id stays one segment of the path, or nothing is sent'(t) {
    const { BooksAPI } = await importBlock(t, ['data-sources.md', 'didEncounterError(error']);
    return async (input) => {
      const { paths, config } = recordPaths();
      const source = await begin(new BooksAPI(config), {});

      await source.book(input).catch(assertURLError);

      for (const path of paths) assert.equal(path, `/v1/books/${encodeURIComponent(input)}`);
    };
  },

  async 'caching.md: a private response belongs to one user'(t) {
    const { AccountsAPI } = await importBlock(t, ['caching.md', 'cacheIdentity()']);
    const cache = new InMemoryLRUCache();
    t.mock.method(globalThis, 'fetch', async (request: Request) =>
      Response.json({ name: request.headers.get('authorization') }, { headers: { 'cache-control': 'private, max-age=60' } }),
    );
    return async (input) => {
      const token = encodeURIComponent(input);
      const first = await begin(new AccountsAPI(), { userId: input, token }, cache);
      const again = await begin(new AccountsAPI(), { userId: input, token: 'not sent' }, cache);

      assert.deepEqual([await first.me(), await again.me()], [{ name: `Bearer ${token}` }, { name: `Bearer ${token}` }]);
    };
  },

  async 'authentication.md: no id leads to the note of another user'(t) {
    const { Notes } = await importBlock(t, ['authentication.md', 'class Notes']);
    return async (input) => {
      const source = await begin(new Notes(), { user: { id: input } });

      assert.equal(source.byId(input), undefined);
      if (input !== 'ada') assert.throws(() => source.byId('n1'), { message: 'Not your note.' });
    };
  },

  async 'schema.md: a cursor of no row leads to the rows after it'(t) {
    const { default: handler } = await importBlock(t, ['schema.md', 'hasNextPage: found']);
    return async (input) => {
      const query = 'query ($after: ID) { books(after: $after) { edges { cursor } } }';
      const { data } = await ask(handler, { query, variables: { after: input } });

      for (const { cursor } of data.books.edges) assert.ok(cursor > input, cursor);
      assert.equal((await ask(handler, { query, variables: { after: null } })).data.books.edges.length, 20);
    };
  },

  async 'idempotency.md: a key belongs to one user'(t) {
    const { default: handler } = await importBlock(t, [
      'idempotency.md',
      'idempotencyKeyOf(context',
      (text) =>
        text.replace("context: () => ({ user: { id: 'ada' } })", fromHeader).replace('`charge of ${amount}`', 'crypto.randomUUID()'),
    ]);
    const ids = new Set<string>();
    const pay = async (user: string, key: string): Promise<string> => {
      const headers = { 'x-user': encodeURIComponent(user), 'idempotency-key': `"${key}"` };
      return (await ask(handler, { query: 'mutation { pay(amount: 5) { id } }' }, headers)).data.pay.id;
    };
    return async (input) => {
      for (const key of ['a', 'b', 'a:b', ':']) {
        const id = await pay(input, key);
        assert.equal(ids.has(id), false, key);
        assert.equal(await pay(input, key), id);
        ids.add(id);
      }
    };
  },

  async 'rate-limiting.md: points belong to one user'(t) {
    const { default: handler } = await importBlock(t, [
      'rate-limiting.md',
      'memoryStore({ isOnlyProcess',
      (text) => text.replace("context: () => ({ user: { id: 'ada' } })", fromHeader).replace(/\nfor \(const first[^]*/, ''),
    ]);
    return async (input) => {
      const query = '{ books(first: 40) { title } }';
      const headers = { 'x-user': encodeURIComponent(input) };
      const left: (string | undefined)[] = [];
      for (let times = 0; times < 2; times++) left.push((await send(handler, { query }, headers)).headers.get('ratelimit')?.split(';')[1]);

      assert.deepEqual(left, ['r=59', 'r=18']);
    };
  },

  async 'uploads.md: the key of a file begins with its own user'(t) {
    const { default: handler } = await importBlock(
      t,
      [
        'uploads.md',
        'createPresignedPost(storage',
        (text) => text.replaceAll(/'@aws-sdk\/[^']+'/g, "'./storage.ts'").replace("request.headers.get('x-user')", `(${ofHeader})`),
      ],
      { 'functions/storage.ts': 'export class S3Client {}\nexport const createPresignedPost = async () => ({ url: "", fields: {} });' },
    );
    return async (input) => {
      const query = 'mutation { createUpload(type: "image/png") { key } }';
      const { data } = await ask(handler, { query }, { 'x-user': encodeURIComponent(input) });
      const [folder, user, file, ...more] = data.createUpload.key.split('/');

      assert.deepEqual([folder, decodeURIComponent(user), file.length, more], ['pictures', input, 36, []]);
    };
  },

  async 'plugins.md: a name in the log is on one line'(t) {
    const lines: string[] = [];
    t.mock.method(console, 'info', (line: string) => lines.push(line));
    const { default: handler } = await importBlock(t, ['plugins.md', 'const requestIds']);
    return async (input) => {
      await ask(handler, { query: '{ ok }', operationName: input });

      assert.doesNotMatch(lines.splice(0).join() || assert.fail('nothing was logged'), /[\r\n\0]/);
    };
  },
};

for (const [name, create] of Object.entries(recipes))
  test(`${name}, whatever the user chooses`, async (t) => {
    const attack = await create(t);
    for (const input of hostileInputs) await attack(input);
  });

test('plugins.md: the limit by address holds for aliases, fragments, and names with any character', async (t) => {
  const { perMinute } = await importBlock(t, ['plugins.md', 'perMinute']);
  const handler = createHandler({
    typeDefs: 'type Query { ok: Boolean } type Mutation { signIn(name: String!): Boolean @perMinute(max: 2) }',
    resolvers: { Mutation: { signIn: () => true } },
    plugins: [perMinute()],
  });
  const results: unknown[] = [];
  for (const name of hostileInputs)
    results.push((await ask(handler, { query: 'mutation A($n: String!) { a: signIn(name: $n) }', variables: { n: name } })).data.a);

  assert.deepEqual(results, [true, true, ...hostileInputs.slice(2).map(() => null)]);
});

const ofHeader = "decodeURIComponent(request.headers.get('x-user') ?? '')";
const fromHeader = `context: ({ request }: any) => ({ user: { id: ${ofHeader} } })`;

function send(handler: Handler, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  return handler.fetch(new Request('https://example.com/graphql', init));
}

async function ask(...request: Parameters<typeof send>): Promise<any> {
  return (await send(...request)).json();
}

async function begin<T extends { initialize(config: any): unknown }>(source: T, context: object, cache?: KeyValueCache): Promise<T> {
  await source.initialize({ context, cache: cache ?? new InMemoryLRUCache() });
  return source;
}

function recordPaths(): { readonly paths: string[]; readonly config: object } {
  const paths: string[] = [];
  const httpFetch = async (request: Request): Promise<Response> => {
    paths.push(new URL(request.url).pathname);
    return Response.json({});
  };
  return { paths, config: { httpFetch } };
}

function assertURLError(error: Error): void {
  assert.equal(error.name, 'URLError');
}
