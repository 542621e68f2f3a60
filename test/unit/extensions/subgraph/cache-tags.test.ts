import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { EdgeDecision, EdgeOptions } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { inlineTraces, subgraph } from '../../../../src/entries/subgraph.ts';
import { linkTo, silent } from './serving.ts';
import type { Answer } from './serving.ts';
import { after } from '../../../support/stages.ts';

const typeDefs = `${linkTo('v2.12', '@key')}
  type Query { top: [Product!]! @cacheControl(maxAge: 60) me: String }
  type Product @key(fields: "id") @cacheControl(maxAge: 30) { id: ID! name: String related: Product token: String }
  type Account @key(fields: "id") @cacheControl(maxAge: 30, scope: PRIVATE) { id: ID! name: String }`;

const resolvers = {
  Query: { top: () => [{ id: '1' }, { id: '2' }] },
  Product: {
    __resolveReference: ({ id }: { readonly id: string }) => {
      if (id === 'broken') throw new Error('broken');
      return id === 'none' ? null : { id, name: `name ${id}` };
    },
    related: () => ({ id: '9' }),
    token: (_product: unknown, _args: unknown, { token }: { readonly token: () => string | null }) => token(),
  },
};

interface Served {
  readonly cacheControl: string | null;
  readonly answer: Answer;
}

const url = 'https://subgraph.test/graphql';
type Post = (body: object | readonly object[], headers?: Readonly<Record<string, string>>) => Promise<Served>;

/** A subgraph with edge. Without a body, it gets `{ top { id } }` by GET. */
function serve(options: Partial<EdgeOptions> = {}, plugins: readonly ServerPlugin[] = [], nodeEnv = 'production'): Post {
  const handler = createHandler(
    subgraph({
      logger: silent,
      nodeEnv,
      allowBatchedHttpRequests: true,
      routerSecret: { secrets: () => ['secret'] },
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers,
      traces: inlineTraces(),
      context: ({ request }) => ({ token: () => request.headers.get('authorization') }),
      plugins: [edge({ cdn: 'apollo-router', ...options }), ...plugins],
    }),
  );
  return async (body, given) => {
    const headers = { 'x-router-secret': 'secret', 'content-type': 'application/json', ...given };
    const request =
      body === get
        ? new Request(`${url}?query={top{id}}`, { headers })
        : new Request(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await handler.fetch(request);
    return { cacheControl: response.headers.get('cache-control'), answer: (await response.json()) as Answer };
  };
}

/** In place of a body: a GET. */
const get = {};

/** A fetch of entities, as routers send it. */
function entities(fields: string, ...ids: readonly string[]): object {
  return {
    query: `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on Product { ${fields} } } }`,
    variables: { representations: ids.map((id) => ({ __typename: 'Product', id })) },
  };
}

const privateAnswer = 'private, no-store';

describe('cache tags for a router', () => {
  test('each entity has its own tags, in the order of the representations', async () => {
    const { cacheControl, answer } = await serve()(entities('id name', '2', 'none', '1', '2'));

    assert.equal(cacheControl, 'public, max-age=30');
    assert.deepEqual(answer.extensions, {
      apolloEntityCacheTags: [
        ['t:Product', 'e:Product:2'],
        ['l:Product', 'l:Account', 'q:_entities'],
        ['t:Product', 'e:Product:1'],
        ['t:Product', 'e:Product:2'],
      ],
    });
    assert.equal(answer.data._entities[0].name, 'name 2');
  });

  test('an entity has the tags of the objects below it', async () => {
    const { answer } = await serve()(entities('id related { id }', '1'));

    assert.deepEqual(new Set(answer.extensions.apolloEntityCacheTags[0]), new Set(['t:Product', 'e:Product:1', 'e:Product:9']));
  });

  test('an empty list of representations has an empty list of tags, if its lifetime allows it', async () => {
    assert.deepEqual((await serve({ defaultMaxAge: 60 })(entities('id'))).answer.extensions, { apolloEntityCacheTags: [] });
  });

  test('other root fields have one flat list', async () => {
    const { cacheControl, answer } = await serve()({ query: '{ top { id } }' });

    assert.equal(cacheControl, 'public, max-age=60');
    assert.deepEqual(answer.extensions, { apolloCacheTags: ['t:Product', 'l:Product', 'q:top', 'e:Product:1', 'e:Product:2'] });
  });

  test('tags are added to the extensions that an answer has', async () => {
    const { answer } = await serve()(entities('id', '1'), { 'apollo-federation-include-trace': 'ftv1' });

    assert.deepEqual(Object.keys(answer.extensions).toSorted(), ['apolloEntityCacheTags', 'ftv1']);
  });

  const of = (type: string): string => `_entities(representations: [{ __typename: "${type}", id: 1 }]) { __typename }`;
  const unassigned = 'its tags cannot be assigned to its entities';
  const many = Array.from({ length: 5_001 }, (_, index) => String(index));
  const refused: readonly (readonly [name: string, reason: string, body: object])[] = [
    ['two aliased _entities', unassigned, { query: `{ a: ${of('Product')} b: ${of('Product')} }` }],
    ['another field beside _entities', unassigned, { query: `{ ${of('Product')} top { id } }` }],
    ['an entity of a PRIVATE type', 'the scope of Query._entities is PRIVATE', { query: `{ ${of('Account')} }` }],
    ['an entity that has failed', 'it has errors', entities('id', '1', 'broken')],
    ['a field without a lifetime', 'Query.me cannot be stored: the shortest maxAge of its hints is 0', { query: '{ me }' }],
    ['a read of the token', 'the header authorization was read', entities('id token', '1')],
    ['a batch', 'it is a batch', [entities('id', '1'), entities('id', '2')]],
    ['more than 10,000 tags', unassigned, entities('id', ...many)],
  ];
  for (const [name, reason, body] of refused)
    test(`with ${name}, the answer is private and has no tags`, async () => {
      const decisions: EdgeDecision[] = [];

      const { cacheControl, answer } = await serve({ onDecision: (decision) => void decisions.push(decision) })(body);

      assert.deepEqual(decisions, [{ public: false, reason }]);
      assert.equal(cacheControl, privateAnswer);
      assert.equal(JSON.stringify(answer).includes('acheTags'), false);
    });

  const late: ServerPlugin = { request: after(({ request }) => void request.headers.get('authorization')) };
  const explained = { 'graphql-functions-explain': '1' };
  for (const [what, post, body, headers] of [
    ['that a later plugin makes private', serve({}, [late]), entities('id', '1')],
    ['to a CDN, which gets no answers to POST', serve({ cdn: 'netlify' }), entities('id', '1')],
    ['to GET, because HTTP caches do not check the secret of the router', serve(), get],
    ['with a report', serve({}, [], 'development'), entities('id', '1'), explained],
  ] as readonly [string, Post, object, Record<string, string>?][])
    test(`an answer ${what} is private and has no tags`, async () => {
      const { cacheControl, answer } = await post(body, headers);

      assert.equal(cacheControl, privateAnswer);
      assert.deepEqual(Object.keys(answer.extensions ?? {}), headers === undefined ? [] : ['explain']);
    });

  test('ids are hashed with a salt', async () => {
    const { answer } = await serve({ salt: 'salt' })(entities('id', 'secret-id'));

    assert.match(answer.extensions.apolloEntityCacheTags[0][1], /^e:Product:[\da-f]{24}$/);
  });
});
