import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import { GraphQLScalarType } from 'graphql';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';

/** The long form is EDGE_REQUESTS=100000. */
const requests = Number(process.env['EDGE_REQUESTS'] ?? 1_500);

const typeDefs = `
  scalar Any
  type Query { echo(value: Any): String @cacheControl(maxAge: 60) name: String @cacheControl(maxAge: 60) }`;
const documents = [
  'query ($v: Any) { echo(value: $v) }',
  'query A($v: Any) { a: echo(value: $v) name } query B($v: Any) { b: echo(value: $v) name }',
  'query A { name }',
  '{ name }',
];
const [first, , third] = documents as [string, string, string, string];
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Resolvers that return all their input, so that operations with different input have different answers. */
const resolvers = {
  Any: new GraphQLScalarType({ name: 'Any', parseValue: (value) => value }),
  Query: {
    echo: (_: unknown, { value }: { value: unknown }) => shown(value),
    name: (_: unknown, __: unknown, ___: unknown, info: { operation: { name?: { value: string } } }) =>
      info.operation.name?.value ?? 'none',
  },
};

/** Converts a value to text, with numbers that JSON would not distinguish. */
function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? `number ${Object.is(one, -0) ? '-0' : one}` : one)) ?? 'absent'
  );
}

const texts = ['1e400', '-1e400', 'null', '0', '-0', '"0"', '1', '1.0', 'true', '"null"', '{}', '[]', '{"a":1,"b":[-0]}', '{"a":1,"b":[0]}', '"\\ud800"', '"\\ud801"', '{"__proto__":1}', '{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}', '""', '9007199254740993', '9007199254740992']; // prettier-ignore

interface Asked {
  readonly method: string;
  readonly search: string;
  readonly body: string | undefined;
}

function randomRequest(random: Random): Asked {
  const document = random.pick(documents);
  const id = random.pick([documents[0], documents[2], 'unknown']);
  const members = new Map<string, string>();
  if (random.chance(0.6)) members.set('query', JSON.stringify(document));
  if (random.chance(0.3)) members.set(random.pick(['documentId', 'id', 'doc_id']), JSON.stringify(hashOf(id!)));
  if (random.chance(0.4)) members.set('operationName', random.pick(['"A"', '"B"', '""', 'null']));
  if (random.chance(0.8))
    members.set('variables', random.pick([`{"v":${random.pick(texts)}}`, `{"v":${random.pick(texts)},"w":1}`, '{}', 'null']));
  if (random.chance(0.4)) {
    const hash = `{"version":1,"sha256Hash":"${hashOf(random.pick(documents))}"}`;
    members.set('extensions', random.pick([`{"persistedQuery":${hash}}`, `{"persistedQuery":${hash},"x":1}`, '{"x":1}', '{}']));
  }
  const method = random.pick(['GET', 'POST', 'QUERY']);
  if (method !== 'GET')
    return {
      method,
      search: random.chance(0.1) ? '?x=1' : '',
      body: `{${[...members].map(([name, text]) => `"${name}":${text}`).join()}}`,
    };
  const isText = (name: string): boolean => name !== 'variables' && name !== 'extensions';
  const parameters = new URLSearchParams();
  for (const [name, text] of members) if (text !== 'null') parameters.set(name, isText(name) ? (JSON.parse(text) as string) : text);
  return { method, search: `?${parameters.toString()}`, body: undefined };
}

function serving(store: MapCache | undefined): (asked: Asked) => Promise<string> {
  const waiting: Promise<unknown>[] = [];
  const handler = createHandler({
    typeDefs: [cacheControlDefinitions, typeDefs],
    resolvers,
    nodeEnv: 'production',
    trustedDocuments: { documents: { [hashOf(first)]: first, [hashOf(third)]: third } },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    plugins: store === undefined ? [] : [edge({ store, deploy: 'v1' })],
  } as unknown as ServerOptions) as unknown as (request: Request, context: object) => Promise<Response>;
  return async ({ method, search, body }) => {
    const init = body === undefined ? { method } : { method, headers: { 'content-type': 'application/json' }, body };
    const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };
    const response = await handler(new Request(`https://api.example/graphql${search}`, init), context);
    await Promise.all(waiting.splice(0));
    return `${response.status} ${await response.text()}`;
  };
}

describe('the key of an answer in a shared store', () => {
  test(`${requests} random requests by text, hash and id have the answers that they have without a store`, async (t) => {
    const random = createRandom(1_522);
    const store = new MapCache();
    const [plain, stored] = [serving(undefined), serving(store)];
    let answered = 0;
    for (let request = 0; request < requests; request++) {
      const asked = randomRequest(random);
      const [expected, actual] = [await plain(asked), await stored(asked)];
      if (expected.startsWith('200')) answered++;
      assert.equal(actual, expected, JSON.stringify(asked));
    }
    t.diagnostic(`${answered} of ${requests} answered`);
    assert.ok(answered > requests / 4, String(answered));
  });

  test('differs with onError, by GET and POST', async () => {
    for (const method of ['GET', 'QUERY']) {
      const store = new MapCache();
      const stored = serving(store);
      for (const onError of ['NULL', 'HALT', 'NULL']) {
        const search = method === 'GET' ? `?query={name}&onError=${onError}` : '';
        await stored({ method, search, body: method === 'GET' ? undefined : JSON.stringify({ query: '{ name }', onError }) });
      }

      assert.equal(store.keysOf('answer:').length, 2, method);
    }
  });

  for (const [what, value] of [
    ['levels', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['members', `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":0`).join(',')}}`],
    ['values', `[${'0,'.repeat(50_000)}0]`],
  ]) {
    for (const method of ['GET', 'POST']) {
      test(`is not created if the extensions of the request have too many ${what}; the answer is that without a store (${method})`, async () => {
        const extensions = `{"a":${value}}`;
        const search = `?query={name}&extensions=${extensions}`;
        const asked = method === 'GET' ? { method, search, body: undefined } : { method, search: '', body: `{"query":"{ name }","extensions":${extensions}}` }; // prettier-ignore

        assert.equal(await serving(new MapCache())(asked), '200 {"data":{"name":"none"}}');
      });
    }
  }
});
