import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ContextArgument } from '../../../../src/entries/index.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { get, post } from '../../../support/plain-http.ts';
import { sources } from '../../../support/sources.ts';

const query = '{ hello }';
const marked = ({ response }: ContextArgument): object => (response.headers.set('cache-control', 'public, max-age=60'), {});

describe('a cacheable response', () => {
  for (const source of sources)
    it(`has an ETag, and is a 304 without a body for clients that have it, behind ${source.name}`, async () => {
      const handler = createHandler({
        typeDefs: `type Query { hello: String } # ${source.name}`,
        rootValue: { hello: 'x' },
        context: marked,
      });
      const send = async (headers: [string, string][] = []): Promise<Awaited<ReturnType<typeof source.read>>> =>
        source.read(await handler(source.build(get({ query }, { headers })) as object, {}));

      const whole = await send();
      const etag = whole.headers.get('etag') ?? '';
      const again = await send([['If-None-Match', `"other", ${etag}`]]);
      const other = await send([['If-None-Match', 'W/"other"']]);

      assert.match(etag, /^W\/"[\w-]+"$/);
      assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', etag]);
      assert.deepEqual([again.headers.get('cache-control'), again.headers.get('vary')], ['public, max-age=60', 'Accept']);
      assert.deepEqual([other.status, other.body], [200, whole.body]);
    });

  it('has another ETag for other content or another media type', async () => {
    const endpoint = createEndpoint({
      typeDefs: 'type Query { hello(a: Int): Int }',
      resolvers: { Query: { hello: (_: unknown, { a }: { a: number }) => a } },
      context: marked,
    });
    const etagOf = async (query: string, accept = '*/*'): Promise<string | undefined> =>
      (await endpoint.send(get({ query }, { headers: [['Accept', accept]] }))).headers.get('etag');

    const etags = [
      await etagOf('{ hello(a: 1) }'),
      await etagOf('{ hello(a: 2) }'),
      await etagOf('{ hello(a: 1) }', 'application/graphql-response+json'),
    ];

    assert.equal(new Set(etags).size, 3);
  });

  it('does the same for QUERY, and for If-None-Match: *', async () => {
    const endpoint = createEndpoint({ context: marked });
    const asked = { ...post({ query: '{ hello }' }), method: 'QUERY' };

    const whole = await endpoint.send(asked);
    const again = await endpoint.send({ ...asked, headers: [...asked.headers, ['If-None-Match', '*']] });

    assert.ok(whole.headers.has('etag'));
    assert.equal(again.status, 304);
  });

  it('keeps an ETag set by the user', async () => {
    const context = (argument: ContextArgument): object => (argument.response.headers.set('etag', '"mine"'), marked(argument));

    const response = await createEndpoint({ context }).send(get({ query }, { headers: [['If-None-Match', 'W/"mine"']] }));

    assert.deepEqual([response.status, response.headers.get('etag')], [304, '"mine"']);
  });
});

describe('a response that must not be cached', () => {
  const requests = {
    'has no cache-control of the user': [get({ query }), {}],
    'has errors': [get({ query: '{ explode }' }), { context: marked }],
    'comes by POST': [post({ query }), { context: marked }],
    'is a batch': [post([{ query }]), { context: marked, allowBatchedHttpRequests: true }],
    'is a refused HEAD': [{ ...get({ query }), method: 'HEAD' }, { context: marked }],
  } as const;
  for (const [name, [request, options]] of Object.entries(requests))
    it(`has no ETag, and is never a 304: one that ${name}`, async () => {
      const response = await createEndpoint(options as object).send({ ...request, headers: [...request.headers, ['If-None-Match', '*']] });

      assert.equal(response.headers.has('etag'), false);
      assert.notEqual(response.status, 304);
    });
});

it('a response that edge makes public has the same ETag from the server and from its store', async () => {
  const work: Promise<unknown>[] = [];
  let runs = 0;
  const handler = createHandler({
    typeDefs: [cacheControlDefinitions, 'type Query { hello: String @cacheControl(maxAge: 60) me: String }'],
    resolvers: { Query: { hello: () => `run ${++runs}` } },
    plugins: [edge({ cdn: 'varnish', store: new MapCache(), deploy: 'v1' })],
  });
  const send = async (text: string, headers: Record<string, string> = {}): Promise<Response> => {
    const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) };
    const response = (await handler(new Request(`https://example.com/?query=${text}`, { headers }), context as never)) as Response;
    await Promise.all(work);
    return response;
  };

  const whole = await send('{hello}');
  const again = await send('{hello}', { 'if-none-match': whole.headers.get('etag')! });
  const personal = await send('{me}', { 'if-none-match': '*' });

  assert.deepEqual([again.status, runs, again.headers.get('xkey')], [304, 1, whole.headers.get('xkey')]);
  assert.deepEqual([personal.status, personal.headers.get('etag')], [200, null]);
});
