import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HeaderMap } from '../../../../src/shared/header-map.ts';
import type { HTTPResponse } from '../../../../src/shared/http-messages.ts';
import type { PlatformAdapter } from '../../../../src/server/platform/adapter.ts';
import { findAdapter } from '../../../../src/server/platform/adapter.ts';
import { lambdaAdapters } from '../../../../src/server/platform/aws.ts';
import { netlifyV1 } from '../../../../src/server/platform/netlify.ts';
import { plainRequest } from '../../../support/plain-http.ts';
import {
  alb,
  albMulti,
  functionURL,
  httpAPI,
  httpAPIv1,
  latticeV1,
  latticeV2,
  netlifyV1 as netlify,
  restAPI,
} from '../../../support/sources.ts';
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

const empty: HTTPResponse = { status: 204, headers: new HeaderMap({ allow: 'GET' }), body: null };

describe('REST API and HTTP API 1.0: any other key than these is a 502', () => {
  for (const source of [restAPI, httpAPIv1]) {
    test(`without cookies (${source.name})`, () => {
      assert.deepEqual(resultOf(source, answer([])), { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
    });

    test(`cookies are a list (${source.name})`, () => {
      assert.deepEqual(resultOf(source, answer(['a=1', 'b=2'])), {
        statusCode: 200,
        headers: { 'content-type': 'application/json' },
        multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
        body: '{}',
      });
    });
  }
});

describe('HTTP API 2.0 and function URL: cookies have a separate key', () => {
  for (const source of [httpAPI, functionURL]) {
    test(`with cookies (${source.name})`, () => {
      assert.deepEqual(resultOf(source, answer(['a=1', 'b=2'])), {
        statusCode: 200,
        headers: { 'content-type': 'application/json' },
        cookies: ['a=1', 'b=2'],
        body: '{}',
      });
    });

    test(`no body, no key (${source.name})`, () => {
      assert.deepEqual(resultOf(source, empty), { statusCode: 204, headers: { allow: 'GET' } });
    });
  }
});

describe('Application Load Balancer: the kind of map that the event uses', () => {
  test('one value per header, and only the first cookie', () => {
    assert.deepEqual(resultOf(alb, answer(['a=1', 'b=2'])), {
      statusCode: 200,
      statusDescription: '200 OK',
      headers: { 'content-type': 'application/json', 'set-cookie': 'a=1' },
      body: '{}',
      isBase64Encoded: false,
    });
  });

  test('lists only, when the event has lists', () => {
    assert.deepEqual(resultOf(albMulti, answer(['a=1', 'b=2'])), {
      statusCode: 200,
      statusDescription: '200 OK',
      multiValueHeaders: { 'content-type': ['application/json'], 'set-cookie': ['a=1', 'b=2'] },
      body: '{}',
      isBase64Encoded: false,
    });
  });

  for (const description of [
    '204 No Content',
    '400 Bad Request',
    '401 Unauthorized',
    '403 Forbidden',
    '404 Not Found',
    '405 Method Not Allowed',
    '406 Not Acceptable',
    '413 Content Too Large',
    '414 URI Too Long',
    '415 Unsupported Media Type',
    '422 Unprocessable Content',
    '429 Too Many Requests',
    '500 Internal Server Error',
    '503 Service Unavailable',
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

describe('VPC Lattice: one value per header', () => {
  for (const source of [latticeV1, latticeV2]) {
    test(`only the first cookie (${source.name})`, () => {
      assert.deepEqual(resultOf(source, answer(['a=1', 'b=2'])), {
        statusCode: 200,
        headers: { 'content-type': 'application/json', 'set-cookie': 'a=1' },
        body: '{}',
        isBase64Encoded: false,
      });
    });
  }
});

describe('Netlify 1: lists are refused in "headers", and an empty body beside 204 by its Vite plug-in', () => {
  test('cookies are a list', () => {
    assert.deepEqual(resultOf(netlify, answer(['a=1', 'b=2'])), {
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
      body: '{}',
    });
  });

  test('no body, no key', () => {
    assert.deepEqual(resultOf(netlify, empty), { statusCode: 204, headers: { allow: 'GET' } });
  });
});

describe('cookies that a platform cannot carry', () => {
  for (const source of [alb, latticeV1, latticeV2]) {
    test(`are reported with a remedy (${source.name})`, () => {
      const event = source.build(plainRequest());

      const words = findAdapter(adapters, event).losses?.(answer(['a=1', 'b=2']), event);

      assert.match(String(words), /^Only the first of 2 set-cookie headers can be sent here\. \w/);
    });
  }

  for (const source of [albMulti, restAPI, httpAPI, netlify]) {
    test(`are not reported when lists are supported (${source.name})`, () => {
      const event = source.build(plainRequest());

      assert.equal(findAdapter(adapters, event).losses?.(answer(['a=1', 'b=2']), event), undefined);
    });
  }
});
