import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import type { GraphQLRequestListener } from '../../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';

const hello = post({ query: '{ hello }' });
const hooks = (listener: GraphQLRequestListener): Partial<ServerOptions> => ({ plugins: [{ requestDidStart: () => listener }] });

const deny = (code: string, http?: object) => (): never => {
  throw new GraphQLError('Not you', { extensions: { code, ...(http ? { http } : {}) } });
};

describe('a status that is set', () => {
  it('by an error of a resolver overrides the table, and is not shown as its other extensions are', async () => {
    const http = { status: 418, headers: { 'x-pot': 'short', 'set-cookie': 'a=1' } };
    const error = new GraphQLError('No.', { extensions: { code: 'OUT_OF_TEA', shown: true, http } });
    const endpoint = createEndpoint({ resolvers: { Query: { hello: () => Promise.reject(error) } } });

    const response = await endpoint.send(hello);

    assert.deepEqual([response.status, response.headers.get('x-pot'), response.setCookies], [418, 'short', ['a=1']]);
    assert.deepEqual(json(response).errors[0].extensions, { code: 'OUT_OF_TEA', shown: true });
  });

  it('by context overrides everything', async () => {
    const context: ServerOptions['context'] = ({ response }) => ((response.status = 207), {});

    const { send } = createEndpoint({ context, resolvers: { Query: { hello: deny('OUT_OF_TEA', { status: 418 }) } } });

    assert.equal((await send(hello)).status, 207);
  });

  for (const status of [204, 205, 304])
    it(`and never has a body (${status}) is sent without one`, async () => {
      const response = await createEndpoint({ resolvers: { Query: { hello: deny('X', { status }) } } }).send(hello);

      assert.deepEqual([response.status, response.body], [status, '']);
    });

  it('is not taken from an unexpected error, even one with similar properties', async () => {
    const upstream = Object.assign(new Error('upstream'), {
      extensions: { code: 'FORBIDDEN', http: { status: 418, headers: { 'set-cookie': 'a=b' } } },
    });
    const fail = (): Promise<never> => Promise.reject(upstream);
    const inResolver = await createEndpoint({ resolvers: { Query: { hello: fail } } }).send(hello);
    const inContext = await createEndpoint({ context: fail }).send(hello);

    assert.deepEqual([inResolver.status, inContext.status], [200, 500]);
    assert.deepEqual([...inResolver.setCookies, ...inContext.setCookies], []);
    assert.equal(json(inContext).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
  });

  it('invalid headers of an error are omitted, the others are sent', async () => {
    const headers = { 'x-good': 'yes', 'x-split': 'a\r\nset-cookie: b=c', 'bad name': 'x', 'x-number': 7 };
    const endpoint = createEndpoint({ resolvers: { Query: { hello: deny('X', { headers }) } } });

    for (const body of [{ query: '{ hello }' }, [{ query: '{ hello }' }]]) {
      const response = await endpoint.send(post(body));

      assert.deepEqual([response.status, response.headers.get('x-good'), response.setCookies], [200, 'yes', []]);
      for (const name of ['x-split', 'bad name', 'x-number']) assert.equal(response.headers.has(name), false, name);
    }
  });
});

describe('extensions.http of the result', () => {
  const answering = (extensions: Record<string, unknown>): Partial<ServerOptions> =>
    hooks({ willSendResponse: ({ response }) => void (response.result = { data: null, extensions }) });

  it('sets status and headers, and is not sent', async () => {
    const endpoint = createEndpoint(answering({ http: { status: 299, headers: { 'x-a': '1' } }, cost: 5 }));

    const response = await endpoint.send(hello);

    assert.deepEqual([response.status, response.headers.get('x-a')], [299, '1']);
    assert.deepEqual(json(response), { data: null, extensions: { cost: 5 } });
  });

  it('leaves no empty extensions, and does not set the status of a batch', async () => {
    const endpoint = createEndpoint(answering({ http: { status: 299, headers: [['x-a', '1']] } }));

    const response = await endpoint.send(post([{ query: '{ hello }' }]));

    assert.deepEqual([response.status, response.headers.get('x-a')], [200, '1']);
    assert.deepEqual(json(response), [{ data: null }]);
  });
});

describe('a status that no response can have is logged, and 500 is sent', () => {
  for (const status of [199, 600, Number.NaN, 200.5, '200'] as number[]) {
    const set: Readonly<Record<string, Partial<ServerOptions>>> = {
      context: { context: ({ response }) => ((response.status = status), {}) },
      willSendResponse: hooks({ willSendResponse: ({ response }) => void (response.http.status = status) }),
      'extensions.http of the result': hooks({ responseForOperation: () => ({ data: null, extensions: { http: { status } } }) }),
      'extensions.http of an error': { context: deny('X', { status }) },
      'request, in place': { plugins: [{ request: async (_call, next) => Object.assign(await next(), { status }) }] },
    };
    for (const [name, options] of Object.entries(set)) {
      it(`${status}, by ${name}`, async () => {
        const { send, lines } = createEndpoint(options);

        assert.equal((await send(hello)).status, 500);
        assert.match(lines.map(({ message }) => message).join('\n'), /^Expected the status of a response to be from 200 to 599, got /m);
      });
    }
  }
});
