import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';

import { compression } from '../../../../src/entries/compression.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { edge } from '../../../../src/entries/edge.ts';
import type { ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import type { CompressionOptions } from '../../../../src/entries/compression.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import {
  alb,
  albMulti,
  functionURL,
  httpAPI,
  httpAPIv1,
  latticeV1,
  latticeV2,
  netlifyV1,
  restAPI,
  webRequest,
} from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';
import { after } from '../../../support/stages.ts';

const accepting = (codings: string): PlainRequest['headers'] => [['Accept-Encoding', codings]];
const both = accepting('gzip, br');

interface Settings {
  readonly source?: Source;
  readonly options?: CompressionOptions;
  readonly server?: Partial<ServerOptions>;
}

/** Sends one request to a new server. */
async function answer(request: PlainRequest, { source = httpAPI, options, server }: Settings = {}): Promise<PlainResponse> {
  const handler = createHandler({
    typeDefs: 'type Query { text(length: Int = 100000): String random(length: Int!): String }',
    resolvers: {
      Query: {
        text: (_root: unknown, { length }: { length: number }) => 'ä"'.repeat(length / 2),
        random: (_root: unknown, { length }: { length: number }) => randomBytes(length).toString('base64url').slice(0, length),
      },
    },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    nodeEnv: 'production',
    plugins: [compression(options)],
    ...server,
  });
  return source.read(await handler(source.build(request) as never, {} as never));
}

const large = post({ query: '{ text }' }, { headers: both });
const textOf = (response: PlainResponse): number => (json(response) as { data: { text: string } }).data.text.length;

for (const source of [httpAPI, httpAPIv1, functionURL, alb, albMulti, restAPI]) {
  describe(source.name, () => {
    const options = source === restAPI ? { restAPI: true } : {};

    for (const [length, codings, coding] of [
      [100_000, 'gzip, br', 'br'],
      [100_000, 'gzip', 'gzip'],
      // The limit of the platform counts the compressed bytes.
      [7_000_000, 'gzip, br', 'br'],
      [100_000, undefined, undefined],
      [100_000, 'deflate', undefined],
      [100_000, 'gzip;q=0', undefined],
      [40_000, 'gzip, br', undefined],
    ] as const)
      test(`an answer of ${length} characters with Accept-Encoding: ${codings} has the coding ${coding ?? 'none'}`, async () => {
        const headers = codings === undefined ? [] : accepting(codings);

        const response = await answer(post({ query: `{ text(length: ${length}) }` }, { headers }), { source, options });

        assert.equal(response.headers.get('content-encoding'), coding);
        assert.equal(response.headers.get('vary')?.includes('Accept-Encoding') ?? false, length > 65_536);
        assert.equal(coding !== undefined && response.headers.has('content-length'), false);
        assert.equal(textOf(response), length);
      });

    test('an answer that is too large without compression is refused without it', async () => {
      const response = await answer(post({ query: '{ text(length: 7000000) }' }), { source, options });

      assert.match(response.body, /too large|at most/i);
    });

    test('an answer that is too large even when compressed is refused', async () => {
      const response = await answer(post({ query: '{ random(length: 9000000) }' }, { headers: both }), { source, options });

      assert.equal(response.headers.has('content-encoding'), false);
      assert.match(response.body, /"errors"/);
      assert.ok(response.body.length < 1000);
    });
  });
}

// A REST API decodes base64 only if it is set up for it, so compression is off by default.
for (const source of [latticeV1, latticeV2, netlifyV1, webRequest, restAPI])
  test(`${source.name}: answers are not compressed`, async () => {
    const response = await answer(large, { source });

    assert.equal(response.headers.has('content-encoding'), false);
    assert.equal(textOf(response), 100_000);
  });

test('a batch is compressed as a whole', async () => {
  const response = await answer(post([{ query: '{ text(length: 4000000) }' }, { query: '{ text(length: 4000000) }' }], { headers: both }));

  assert.equal(response.headers.get('content-encoding'), 'br');
  const lengths = (json(response) as { data: { text: string } }[]).map(({ data }) => data.text.length);
  assert.deepEqual(lengths, [4_000_000, 4_000_000]);
});

test('requests with cookies are compressed only if the option allows it', async () => {
  const request = post({ query: '{ text }' }, { headers: [...both, ['Cookie', 'session=1']] });

  assert.equal((await answer(request)).headers.has('content-encoding'), false);
  assert.equal((await answer(request, { options: { withCookies: true } })).headers.get('content-encoding'), 'br');
});

/** Sets header fields of every response. */
const setting = (fields: Readonly<Record<string, string>>): ServerPlugin => ({
  request: after((_call, { headers }) => {
    for (const [name, value] of Object.entries(fields)) headers.set(name, value);
  }),
});

for (const fields of [{ 'set-cookie': 'a=1' }, { 'cache-control': 'public, no-transform' }]) {
  test(`an answer with ${Object.keys(fields)[0]}: ${Object.values(fields)[0]} is not compressed`, async () => {
    const response = await answer(large, {
      options: { withCookies: true },
      server: { plugins: [compression({ withCookies: true }), setting(fields)] },
    });

    assert.equal(response.headers.has('content-encoding'), false);
    assert.equal(textOf(response), 100_000);
  });
}

describe('an answer that caches may store', () => {
  const cacheable = setting({ 'cache-control': 'public, max-age=60' });
  const server = { plugins: [compression(), cacheable], csrfPrevention: false };
  const query = { query: '{ text }' };

  test('has the same weak ETag in every coding, and a 304 has no coding', async () => {
    const tags = new Set<string | undefined>();
    for (const codings of ['gzip', 'br', 'identity']) {
      const response = await answer(get(query, { headers: accepting(codings) }), { server });
      assert.equal(response.headers.get('content-encoding'), codings === 'identity' ? undefined : codings);
      tags.add(response.headers.get('etag'));
    }
    const [etag = ''] = tags;

    assert.equal(tags.size, 1);
    assert.match(etag, /^W\//);
    const known = await answer(get(query, { headers: [...both, ['If-None-Match', etag]] }), { server });
    assert.deepEqual([known.status, known.body, known.headers.has('content-encoding')], [304, '', false]);
  });
});

for (const source of [httpAPI, httpAPIv1, restAPI, functionURL, alb])
  test(`with edge, an answer stays public, compressed or not: ${source.name}`, async () => {
    const decisions: unknown[] = [];
    const shared = () => edge({ cdn: 'cloudfront', defaultMaxAge: 60, onDecision: (decision) => void decisions.push(decision.public) });

    for (const headers of [accepting('br'), [], [...accepting('br'), ['Cookie', 'a=1']]] as PlainRequest['headers'][])
      await answer(get({ query: '{ text(length: 100000) }' }, { headers }), {
        source,
        server: { plugins: [shared(), compression({ restAPI: true })] },
      });

    assert.deepEqual(decisions, [true, true, true]);
  });
