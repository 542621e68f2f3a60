import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CDN, EdgeOptions } from '../../../../src/entries/edge.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import type { EdgeServing } from '../../../support/edge/serving.ts';

const typeDefs = `type Query { hello: String @cacheControl(maxAge: 60) items(first: Int!): [Item!]! @cacheControl(maxAge: 60) personal: String }
  type Item { id: ID! next: Item @cacheControl(inheritMaxAge: true) }`;
const items = (_: unknown, { first }: { first: number }): object[] =>
  Array.from({ length: first }, (__, index) => ({ id: `item-${1_000 + index}` }));
const serve = (options: Partial<EdgeOptions>): EdgeServing =>
  edgeServing({ ...options, server: { typeDefs, resolvers: { Query: { items, hello: () => 'world', personal: () => 'me' } } } as never });

/** The header fields of a public answer, except those that every answer has. */
const lifetimes = 'max-age=60, stale-while-revalidate=30, stale-if-error=90';
const forBrowsers = { 'cache-control': 'public, max-age=0, must-revalidate' };
const forAll = { 'cache-control': 'public, max-age=0, s-maxage=60, stale-while-revalidate=30, stale-if-error=90' };
const fields: Readonly<Record<Exclude<CDN, 'apollo-router'>, Readonly<Record<string, string>>>> = {
  netlify: {
    ...forBrowsers,
    'netlify-cdn-cache-control': `public, durable, ${lifetimes}`,
    'netlify-cache-tag': 'd:v1,q:hello',
    'netlify-vary': 'header=accept',
  },
  cloudflare: { ...forBrowsers, 'cloudflare-cdn-cache-control': `public, ${lifetimes}`, 'cache-tag': 'd:v1,q:hello' },
  cloudfront: { ...forAll, 'cache-tag': 'd:v1,q:hello' },
  vercel: { ...forBrowsers, 'vercel-cdn-cache-control': `public, ${lifetimes}`, 'vercel-cache-tag': 'd:v1,q:hello' },
  fastly: { ...forBrowsers, 'surrogate-control': lifetimes, 'surrogate-key': 'd:v1 q:hello' },
  varnish: { ...forAll, xkey: 'd:v1 q:hello' },
  rfc9213: { ...forBrowsers, 'cdn-cache-control': `public, ${lifetimes}` },
};
const common = new Set(['content-type', 'vary', 'x-content-type-options']);
const ownFields = ({ headers }: Response): object => Object.fromEntries([...headers].filter(([name]) => !common.has(name)));

describe('the dialects', () => {
  for (const [cdn, expected] of Object.entries(fields)) {
    test(`a public answer for ${cdn}`, async () => {
      const { get } = serve({ cdn: cdn as CDN, staleWhileRevalidate: 30, staleIfError: 90, deploy: 'v1' });

      const response = await get('{ hello }');

      const { etag, ...rest } = ownFields(response) as Record<string, string>;
      assert.deepEqual(rest, expected);
      assert.match(etag ?? '', /^W\//);
    });

    test(`a private answer for ${cdn} has no other caching fields`, async () => {
      const { get } = serve({ cdn: cdn as CDN });

      const response = await get('{ personal }');

      const { 'netlify-vary': _key, ...rest } = ownFields(response) as Record<string, string>;
      assert.deepEqual(rest, { 'cache-control': 'private, no-store' });
    });
  }

  for (const cdn of ['cloudflare', 'cloudfront'] as const)
    test(`all clients of ${cdn}, whose key needs no Accept, share answers of application/json`, async () => {
      const { get, decisions } = serve({ cdn });
      const refused = 'application/graphql-response+json, application/json;q=0';
      const accepts = ['application/graphql-response+json, application/json;q=0.9', '*/*', 'application/graphql-response+json', refused];

      const answers = await Promise.all(accepts.map((accept) => get('{ hello }', { headers: { accept } })));

      const [json, graphql] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
      const types = answers.map(({ headers }) => headers.get('content-type'));
      const isPublic = decisions.map((decision) => decision.public);
      assert.deepEqual(
        [types, isPublic],
        [
          [json, json, graphql, graphql],
          [true, true, false, false],
        ],
      );
    });

  test('if Accept is in the key of the CDN, each media type has a separate answer', async () => {
    const { get, decisions } = serve({ cdn: 'netlify' });

    const response = await get('{ hello }', { headers: { accept: 'application/graphql-response+json' } });

    assert.equal(response.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8');
    assert.equal(decisions[0]?.public, true);
  });

  test('netlify-vary is the same on errors, because the same URL can return either', async () => {
    const { get } = serve({ cdn: 'netlify', varyHeaders: ['accept-language'] });

    const answers = await Promise.all([get('{ hello }'), get('{ personal }'), get('{ nothing }'), get('{')]);

    assert.deepEqual([...new Set(answers.map(({ headers }) => headers.get('netlify-vary')))], ['header=accept|accept-language']);
  });

  test('browsers can cache a response if allowed, but no longer than the store', async () => {
    for (const browserMaxAge of [5, 500]) {
      const { headers } = await serve({ cdn: 'vercel', browserMaxAge }).get('{ hello }');
      assert.equal(headers.get('cache-control'), `public, max-age=${Math.min(browserMaxAge, 60)}`);
    }
  });
});

/** The number of items that can have separate tags, in addition to t:Item, l:Item and q:items. */
const most: Partial<Record<CDN, number>> = { cloudfront: 47, vercel: 125, netlify: 469, varnish: 469, cloudflare: 469, fastly: 962 };

describe('the limits of tags', () => {
  for (const [cdn, count] of Object.entries(most)) {
    const { header, separator } = {
      header: Object.keys(fields[cdn as keyof typeof fields]).find((name) => /tag|key/.test(name))!,
      separator: /varnish|fastly/.test(cdn) ? ' ' : ',',
    };
    const tagsFor = async (first: number): Promise<string[] | undefined> => {
      const response = await serve({ cdn: cdn as CDN }).get(`{ items(first: ${first}) { id } }`);
      return response.headers.get(header)?.split(separator);
    };

    test(`${cdn} allows ${count} objects`, async () => {
      const tags = await tagsFor(count);

      assert.equal(tags?.filter((tag) => tag.startsWith('e:Item:item-')).length, count);
      assert.equal(tags?.includes('u:Item'), false);
    });

    test(`with one object more than ${cdn} allows, all objects count as unnamed, so that no tag is dropped silently`, async () => {
      assert.deepEqual(await tagsFor(count + 1), ['t:Item', 'l:Item', 'q:items', 'u:Item']);
    });
  }

  test('an answer with more types and fields than the store allows tags is not kept', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
    const typeDefsOfMany = `type Query { ${names.map((name) => `${name}: String @cacheControl(maxAge: 60)`).join(' ')} }`;
    const { get, decisions } = edgeServing({ cdn: 'cloudfront', server: { typeDefs: typeDefsOfMany } });

    const response = await get(`{ ${names.join(' ')} }`);

    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions, [{ public: false, reason: 'it has more tags than the store accepts' }]);
  });
});

test('an answer whose tag is longer than the CDN allows is private, because it could not be purged', async () => {
  const long = 'x'.repeat(255);
  const { get } = edgeServing({
    cdn: 'netlify',
    server: { typeDefs: `type Query { ${long}: String @cacheControl(maxAge: 60) }`, resolvers: { Query: { [long]: () => 'world' } } },
  });

  const response = await get(`{ ${long} }`);

  assert.deepEqual([response.headers.get('cache-control'), response.headers.get('netlify-cache-tag')], ['private, no-store', null]);
});
