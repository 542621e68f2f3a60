import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import { echoServer } from '../support/echo-server.ts';
import type { Event } from '../support/events.ts';
import { json, post } from '../support/plain-http.ts';
import { functionURL, httpAPI, lambdaSources, netlifyV1, netlifyVite } from '../support/sources.ts';

/** Sets the method of a request, whose place depends on the event source. */
function setMethod(event: Event, method: unknown): void {
  const http = (event['requestContext'] as Event | undefined)?.['http'] as Event | undefined;
  (http ?? event)[http === undefined && 'httpMethod' in event ? 'httpMethod' : 'method'] = method;
}

for (const source of [...lambdaSources, netlifyV1, netlifyVite]) {
  describe(`a malformed event of ${source.name} is answered in the format of its platform`, () => {
    const send = async (bend: (event: Event) => void): Promise<{ status: number; message: string; log: number }> => {
      const { options, log } = echoServer();
      const event = structuredClone(source.build(post({ query: '{ __typename }' }))) as Event;
      bend(event);
      const response = await source.read(await createHandler(options)(event));
      return { status: response.status, message: json(response).errors?.[0].message, log: log.length };
    };

    for (const method of [null, 5, '', {}, ['POST']]) {
      test(`with the method ${JSON.stringify(method)}`, async () => {
        const answer = await send((event) => setMethod(event, method));

        assert.equal(answer.status, 400);
        assert.match(answer.message, /^Expected the HTTP method of the event in \w.*, got /);
      });
    }

    test('with a number as the body, and logs nothing, because it is not an error of the server', async () => {
      const answer = await send((event) => (event['body'] = 5));

      assert.deepEqual([answer.status, answer.log], [400, 0]);
      assert.match(answer.message, /^Expected the body of the event to be a string or an object, got number/);
    });

    for (const [what, keys, value] of [
      ['a path that is no text', ['path', 'rawPath', 'raw_path'], null],
      ['cookies that are no list', ['cookies'], 5],
      ['a query string that is no text', ['rawQueryString', 'rawQuery'], 5],
    ] as const)
      test(`with ${what}: treated as if it had none`, async () => {
        const answer = await send((event) => {
          for (const key of keys) if (key in event || key === 'cookies') event[key] = value;
        });

        assert.deepEqual([answer.status, answer.log], [200, 0]);
      });

    test('with headers that are not an object: treated as a POST without a content type', async () => {
      const answer = await send((event) => {
        for (const key of ['headers', 'multiValueHeaders']) if (key in event) event[key] = key === 'headers' ? 'accept: a' : {};
      });

      assert.equal(answer.status, 400);
    });
  });
}

for (const source of [httpAPI, functionURL])
  test(`an event of ${source.name} without requestContext is a 400`, async () => {
    const event = { ...(source.build(post({ query: '{ __typename }' })) as Event), requestContext: null };

    const response = await source.read(await createHandler(echoServer().options)(event));

    assert.equal(response.status, 400);
  });
