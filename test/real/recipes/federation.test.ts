import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { needs, pathInPart } from '../parts.ts';
import { ask, serveFetch, writeRecipes } from './project.ts';
import type { Fetching, RecipeProject } from './project.ts';

interface Gateway {
  load(): Promise<unknown>;
  stop(): Promise<void>;
  executor(operation: object): Promise<unknown>;
  readonly schema: unknown;
}

describe('the subgraphs of docs/federation.md', needs('federation'), () => {
  let project: RecipeProject;
  let products: Fetching;
  let gateway: Gateway;
  const closing: (() => void)[] = [];
  const asked: string[] = [];
  const secret = { 'x-router-secret': 'open sesame' };

  before(async () => {
    project = await writeRecipes('docs/federation.md', 'federation');
    const books: Record<string, object> = { emma: { id: 'emma', name: 'Emma' } };
    const origin = await serveFetch(async ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      const answer = pathname === '/products' ? Object.values(books) : books[pathname.replace('/products/', '')];
      return Response.json(answer ?? null, { headers: { 'cache-control': 'max-age=60' } });
    });
    Object.assign(process.env, { CATALOGUE_URL: origin.url, ROUTER_SECRET: secret['x-router-secret'] });
    products = (await project.import('functions/products.ts'))['default'] as Fetching;
    const reviews = (await project.import('functions/reviews.ts'))['default'] as Fetching;
    const servers = [await serveFetch((request) => products.fetch(request)), await serveFetch((request) => reviews.fetch(request))];
    closing.push(origin.close, ...servers.map(({ close }) => close));
    Object.assign(process.env, { PRODUCTS_URL: servers[0]?.url, REVIEWS_URL: servers[1]?.url });
    gateway = (await project.import('gateway.ts'))['gateway'] as Gateway;
    await gateway.load();
  });
  after(async () => {
    await gateway?.stop();
    for (const close of closing) close();
    await project.remove();
  });

  /** Executes an operation as the server of a gateway does. */
  function throughGateway(source: string): Promise<unknown> {
    const { parse } = createRequire(pathInPart('federation', '.package-lock.json'))('graphql');
    const request = { query: source, variables: {} };
    return gateway.executor({
      document: parse(source),
      source,
      request,
      queryHash: source,
      operationName: null,
      context: {},
      cache: new Map(),
      schema: gateway.schema,
      logger: console,
      metrics: {},
    });
  }

  test('compile, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  test('are composed by the real gateway, which joins their fields', async () => {
    const result = (await throughGateway('{ products { id name reviews { stars text } } }')) as { data: unknown; errors?: unknown };

    assert.equal(result.errors, undefined);
    assert.deepEqual(JSON.parse(JSON.stringify(result.data)), {
      products: [{ id: 'emma', name: 'Emma', reviews: [{ stars: 5, text: 'Badly done, indeed!' }] }],
    });
  });

  test('query the data source once for an entity referenced twice', async () => {
    asked.length = 0;
    const entities =
      '{ _entities(representations: [{ __typename: "Product", id: "emma" }, { __typename: "Product", id: "emma" }]) { ... on Product { name } } }';

    assert.deepEqual(await ask(products, entities, secret), { data: { _entities: [{ name: 'Emma' }, { name: 'Emma' }] } });
    assert.deepEqual(asked, ['/products/emma']);
  });

  test('expose entities and SDL only to the router', async () => {
    for (const query of [
      '{ _service { sdl } }',
      '{ _entities(representations: [{ __typename: "Product", id: "emma" }]) { __typename } }',
    ]) {
      const answer = (await ask(products, query, { 'x-router-secret': 'open barley' })) as {
        data?: unknown;
        errors: { extensions: object }[];
      };

      assert.equal(answer.data, undefined);
      assert.deepEqual(answer.errors[0]?.extensions, { code: 'UNAUTHENTICATED' });
    }
    assert.match(JSON.stringify(await ask(products, '{ _service { sdl } }', secret)), /@key/);
  });
});
