import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../support/endpoint.ts';
import { post } from '../../../support/plain-http.ts';

const json1 = 'application/json';
const graphql = 'application/graphql-response+json';

/** Accept → the media type of the answer; undefined: 406. */
const cases: readonly (readonly [accept: string, mediaType: string | undefined])[] = [
  ['', json1],
  ['  ', json1],
  // The default values of clients are recognized without parsing; with another parameter they are parsed.
  ...['', ';round=1'].flatMap(
    (parameter) =>
      [
        [`*/*${parameter}`, json1],
        [`application/json${parameter}`, json1],
        [`application/json${parameter}, text/plain, */*`, json1],
        [`${graphql}${parameter},application/json;q=0.9`, graphql],
        [`${graphql}${parameter}, application/json`, graphql],
      ] as const,
  ),
  ['application/*', json1],
  ['APPLICATION/JSON', json1],
  [graphql, graphql],
  [`${graphql}, application/json`, graphql],
  [`application/json, ${graphql}`, json1],
  [`application/json;q=0.5, ${graphql};q=0.6`, graphql],
  [`application/json ; q=0.5 , ${graphql} ; q=0.6`, graphql],
  [`${graphql};q=0, */*`, json1],
  [`application/json;q=0, */*`, graphql],
  [`application/json;q=0, application/*;q=0.1`, graphql],
  [`${graphql};q=0.1, */*`, json1],
  [`${graphql}, */*;q=0.1`, graphql],
  ['application/json;q=1.0001', json1],
  ['application/json;q="0"', json1],
  ['application/json;ext=1;q=0', undefined],
  // Only the beginning of a very long range counts.
  [`application/json${';a=b'.repeat(1000)};q=0`, json1],
  ['*/*;q=0', undefined],
  ['image/png', undefined],
  ['text/event-stream', undefined],
  ['application/jsonp', undefined],
  [';q=1', undefined],
  [',,,', undefined],
];

describe('media type negotiation', () => {
  for (const [accept, mediaType] of cases) {
    it(`accept: ${accept || '(empty)'} is ${mediaType ?? '406'}`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(post({ query: '{ hello }' }, { headers: [['Accept', accept]] }));

      const fields = [response.headers.get('content-type'), response.headers.get('vary')];
      assert.deepEqual(fields, [`${mediaType ?? graphql}; charset=utf-8`, 'Accept']);
      assert.deepEqual([response.status, endpoint.runs], mediaType === undefined ? [406, []] : [200, ['hello']]);
    });
  }

  it('combines repeated Accept fields', async () => {
    const headers: [string, string][] = Object.entries({ Accept: 'application/json;q=0.5', accept: graphql });

    const response = await createEndpoint().send(post({ query: '{ hello }' }, { headers }));

    assert.equal(response.headers.get('content-type'), `${graphql}; charset=utf-8`);
  });

  it('a long Accept does not produce a long response (Yoga)', async () => {
    const accept = Array.from({ length: 1000 }, (_, index) => `x${index}/y${index};q=0.5`).join(', ');

    const response = await createEndpoint().send(post({ query: '{ hello }' }, { headers: [['accept', accept]] }));

    assert.equal(response.status, 406);
    const size = response.body.length + [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    assert.ok(size < 600, `${size} characters`);
  });
});
