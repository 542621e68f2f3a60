import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLError } from 'graphql';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { AuthenticationError, ForbiddenError } from '../../src/datasources/errors.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

const failureOf = (call: Promise<unknown>): Promise<GraphQLError> =>
  call.then(
    () => assert.fail('the call succeeded'),
    (error: GraphQLError) => error,
  );

describe('an unsuccessful response', () => {
  for (const [status, kind, code] of [
    [401, AuthenticationError, 'UNAUTHENTICATED'],
    [403, ForbiddenError, 'FORBIDDEN'],
    [404, GraphQLError, 'INTERNAL_SERVER_ERROR'],
    [500, GraphQLError, 'INTERNAL_SERVER_ERROR'],
  ] as const) {
    it(`of ${status} becomes an error with the code ${code}`, async (t) => {
      const origin = await startOrigin(t, () => ({ status, body: { reason: 'no' } }));

      const error = await failureOf(new API(origin.url).read('x'));

      assert.ok(error instanceof kind);
      assert.ok(error instanceof GraphQLError);
      assert.equal(error.extensions['code'], code);
    });
  }

  it('describes the response in extensions.response, without the query', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404, body: { reason: 'no' } }));

    const error = await failureOf(new API(origin.url).read('books/1', { api_key: 'secret' }));

    assert.deepEqual(error.extensions['response'], {
      url: `${origin.url}/books/1`,
      method: 'GET',
      status: 404,
      statusText: 'Not Found',
      body: { reason: 'no' },
    });
  });

  it('with invalid JSON in its body keeps its status', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 502, headers: { 'content-type': 'application/json' }, body: '<html>Bad' }));

    const error = await failureOf(new API(origin.url).read('x'));

    assert.deepEqual(
      [error.extensions['response']].map((response: any) => [response.status, response.body]),
      [[502, '<html>Bad']],
    );
  });

  it('keeps its status when an overridden parseBody fails', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 502, body: 'text' }));
    class Strict extends API {
      protected override async parseBody(response: Response): Promise<unknown> {
        return JSON.parse(await response.text());
      }
    }

    assert.equal(((await failureOf(new Strict(origin.url).read('x'))).extensions['response'] as any).status, 502);
  });
});

describe('errorFromResponse', () => {
  it('keeps the status after didReceiveResponse has read the body', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 502, body: 'text' }));
    class Reading extends API {
      protected override async didReceiveResponse<T>(response: Response, request: DataSourceRequest): Promise<T> {
        await response.text();
        throw await this.errorFromResponse(response, request);
      }
    }

    assert.equal((await failureOf(new Reading(origin.url).read('x'))).message, '502: Bad Gateway (GET)');
  });

  it('keeps the status when an overridden parseBody throws synchronously', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 502, body: 'text' }));
    class Throwing extends API {
      protected override parseBody(): Promise<unknown> {
        throw new Error('not yet');
      }
    }

    assert.equal((await failureOf(new Throwing(origin.url).read('x'))).message, '502: Bad Gateway (GET)');
  });
});

describe('no response', () => {
  it('names the call and the cause, without the query', async (t) => {
    const origin = await startOrigin(t, () => ({}));
    origin.close();

    await assert.rejects(new API(origin.url).read('x', { api_key: 'secret' }), {
      name: 'NetworkError',
      message: 'GET got no answer: ECONNREFUSED',
      code: 'ECONNREFUSED',
      extensions: { response: { url: `${origin.url}/x`, method: 'GET' } },
    });
  });

  for (const control of ['no-store', 'max-age=60']) {
    it(`includes a response that breaks off in the middle (${control})`, async () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"a":'));
          controller.error(new TypeError('terminated'));
        },
      });
      const api = new API('http://a.test', { httpFetch: async () => new Response(body, { headers: { 'cache-control': control } }) });
      api.cacheIdentity = '';
      void api.initialize({ context: {}, cache: new InMemoryLRUCache() });

      await assert.rejects(api.read('x', { api_key: 'secret' }), {
        message: 'GET got no answer',
        cause: new TypeError('terminated'),
        extensions: { response: { url: 'http://a.test/x', method: 'GET' } },
      });
    });
  }

  it('is not a GraphQLError, so it is masked for clients', async (t) => {
    const origin = await startOrigin(t, () => 'hang up');

    await assert.rejects(new API(origin.url).create('x'), (error) => !(error instanceof GraphQLError));
  });
});

describe('a successful response with invalid JSON', () => {
  it('is an error that names the call', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'content-type': 'application/json' }, body: '{oops' }));

    await assert.rejects(new API(origin.url).read('x', { api_key: 'secret' }), {
      message: 'GET answered with JSON that cannot be parsed',
      extensions: { response: { url: `${origin.url}/x`, method: 'GET' } },
    });
  });
});

it('is printed under its public name', async () => {
  const error = await failureOf(new API('http://localhost:1/').read('x'));

  assert.match(inspect(error), /^Error \[NetworkError\]: GET got no answer/);
});
