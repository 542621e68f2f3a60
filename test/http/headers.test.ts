import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerOptions } from '../../src/server/options.ts';
import { createEndpoint } from '../support/endpoint.ts';
import { get, post } from '../support/plain-http.ts';

const hello = { query: '{ hello }' };
const vary =
  (...values: readonly string[]): NonNullable<ServerOptions['context']> =>
  ({ response }) => {
    for (const value of values) response.headers.append('vary', value);
    return {};
  };

describe('Vary', () => {
  it('has what context adds before our own', async () => {
    const response = await createEndpoint({ context: vary('X-User') }).send(post(hello));

    assert.equal(response.headers.get('vary'), 'X-User, Accept');
  });

  it('stays "*" where context says so, with CORS as without', async () => {
    for (const cors of [undefined, { origin: ['https://shop.example'] }]) {
      const response = await createEndpoint({ context: vary('*'), ...(cors && { cors }) }).send(post(hello));

      assert.equal(response.headers.get('vary'), '*');
    }
  });

  it('of a batch is "*" as soon as one element says so', async () => {
    let element = 0;
    const context = (argument: any): object => vary(element++ === 0 ? 'X-User' : '*')(argument);
    const response = await createEndpoint({ context }).send(post([hello, hello, hello]));

    assert.equal(response.headers.get('vary'), '*');
  });
});

describe('X-Content-Type-Options', () => {
  const requests = {
    'an answer': post(hello),
    'an answer with an error': post({ query: '{ unknown }' }),
    'a batch': post([hello]),
    'a refusal': get({}),
  };
  for (const [name, request] of Object.entries(requests)) {
    it(`is nosniff on ${name}`, async () => {
      const plain = await createEndpoint().send(request);
      const withHeaders = await createEndpoint({ context: vary('X-User') }).send(request);

      assert.equal(plain.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(withHeaders.headers.get('x-content-type-options'), 'nosniff');
    });
  }
});
