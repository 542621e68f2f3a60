import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HeaderMap } from '../../../../src/shared/header-map.ts';
import type { HTTPResponse } from '../../../../src/shared/http-messages.ts';
import type { PlatformAdapter } from '../../../../src/server/platform/adapter.ts';
import { findAdapter } from '../../../../src/server/platform/adapter.ts';
import { lambdaAdapters } from '../../../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../../../src/server/platform/netlify.ts';
import { plainRequest } from '../../../support/plain-http.ts';
import { alb, albMulti, httpAPI, latticeV1, latticeV2, netlifyV1 as netlify, restAPI } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';

const adapters: readonly PlatformAdapter<never>[] = [...lambdaAdapters, netlifyV1];

/** The result that a source gets for a response. */
function resultOf(source: Source, response: HTTPResponse): unknown {
  const event = source.build(plainRequest());
  return findAdapter(adapters, event).toResult(response, event);
}

function answer(cookies: readonly string[]): HTTPResponse {
  return {
    status: 200,
    headers: new HeaderMap([['content-type', 'application/json'], ...cookies.map((line) => ['set-cookie', line] as const)]),
    body: '{}',
  };
}

describe('Application Load Balancer', () => {
  for (const description of [
    '201 Created',
    '204 No Content',
    '409 Conflict',
    '413 Content Too Large',
    '422 Unprocessable Content',
    '504 Gateway Timeout',
    '294 Response',
  ])
    test(`the status description: ${description}`, () => {
      const response = { ...answer([]), status: Number.parseInt(description, 10) };

      assert.equal((resultOf(alb, response) as { statusDescription: unknown }).statusDescription, description);
    });

  test('a header can have a property name of Object.prototype', () => {
    const response = { ...answer([]), headers: new HeaderMap({ constructor: 'a' }) };

    assert.deepEqual((resultOf(albMulti, response) as { multiValueHeaders: unknown }).multiValueHeaders, { constructor: ['a'] });
  });
});

// Netlify's Vite plug-in refuses an empty body beside 204.
for (const source of [netlify, httpAPI])
  test(`a response without a body has no key for it (${source.name})`, () => {
    const empty: HTTPResponse = { status: 204, headers: new HeaderMap({ allow: 'GET' }), body: null };

    assert.deepEqual(resultOf(source, empty), { statusCode: 204, headers: { allow: 'GET' } });
  });

for (const [sources, words] of [
  [[alb, latticeV1, latticeV2], /^Only the first of 2 set-cookie headers can be sent here\. \w/],
  [[albMulti, restAPI, httpAPI, netlify], /^undefined$/],
] as const)
  for (const source of sources)
    test(`cookies that a platform cannot carry are reported with a remedy (${source.name})`, () => {
      const event = source.build(plainRequest());

      assert.match(String(findAdapter(adapters, event).losses?.(answer(['a=1', 'b=2']), event)), words);
    });

test('the result of a direct invocation keeps the numbers that JSON.rawJSON wrote, and is an ordinary value otherwise', () => {
  const directInvoke = adapters.find(({ name }) => name === 'direct invocation')!;
  const ofBody = (body: string): unknown => directInvoke.toResult({ ...answer([]), body }, {} as never);

  for (const body of ['{"data":{"id":12345678901234567890,"price":1.10,"rows":[{"b":1,"a":-0}]}}', '{"data":{"id":1}}'])
    assert.equal(JSON.stringify(ofBody(body)), body);
  assert.deepEqual(ofBody('{"data":{"id":1}}'), { data: { id: 1 } });
});
