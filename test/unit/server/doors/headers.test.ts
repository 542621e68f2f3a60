import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { post } from '../../../support/plain-http.ts';

const hello = { query: '{ hello }' };
const vary =
  (...values: readonly string[]): NonNullable<ServerOptions['context']> =>
  ({ response }) => {
    for (const value of values) response.headers.append('vary', value);
    return {};
  };

describe('Vary', () => {
  it('stays "*" when context sets it, with and without CORS', async () => {
    for (const cors of [undefined, { origin: ['https://shop.example'] }]) {
      const response = await createEndpoint({ context: vary('*'), ...(cors && { cors }) }).send(post(hello));

      assert.equal(response.headers.get('vary'), '*');
    }
  });

  it('of a batch is "*" if one element sets it', async () => {
    let element = 0;
    const context = (argument: any): object => vary(element++ === 0 ? 'X-User' : '*')(argument);
    const response = await createEndpoint({ context }).send(post([hello, hello, hello]));

    assert.equal(response.headers.get('vary'), '*');
  });
});

describe('response headers replaced by a Headers object or a plain object', () => {
  const fields = (): Headers =>
    new Headers([
      ['x-mine', '1'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['vary', 'X-User'],
    ]);
  const replaced: Readonly<Record<string, Partial<ServerOptions>>> = {
    'by context': { context: ({ response }) => ((response as { headers: unknown }).headers = fields()) && {} },
    'by context, a record': {
      context: ({ response }) => Object.assign(response, { headers: { 'x-mine': '1', vary: 'X-User', 'set-cookie': 'a=1' } }) && {},
    },
    'by a hook': {
      plugins: [
        { requestDidStart: async () => ({ willSendResponse: ({ response }) => void Object.assign(response.http, { headers: fields() }) }) },
      ],
    },
    'by request': {
      plugins: [{ request: async (_call, next) => Object.assign(await next(), { headers: fields() as never }) }],
    },
  };
  for (const [name, options] of Object.entries(replaced)) {
    for (const body of [hello, [hello, hello], { query: '{ unknown }' }]) {
      it(`are sent: ${name}, for ${JSON.stringify(body)}`, async () => {
        const response = await createEndpoint({ ...options, cors: { origin: 'https://shop.example' } }).send(post(body));

        assert.equal(response.headers.get('x-mine'), '1');
        assert.match(response.headers.get('vary') ?? '', /X-User/);
        assert.equal(response.setCookies[0], 'a=1');
      });
    }
  }
});
