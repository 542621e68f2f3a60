import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseAccept } from '../../../../../../src/server/doors/accept.ts';
import { chooseForms } from '../../../../../../src/server/doors/graphql/streams/streaming.ts';

const apollo = 'application/graphql-response+json,application/json;q=0.9';
const urql = 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

describe('the response to an operation with @defer', () => {
  for (const [client, accept, expected] of [
    ['Apollo Client 4, current format', `multipart/mixed;incrementalSpec=v0.2,${apollo}`, 'multipart current incrementalSpec=v0.2'],
    ['Apollo Client 3, and 4 with the older format', `multipart/mixed;deferSpec=20220824,${apollo}`, 'multipart legacy deferSpec=20220824'],
    ['urql', urql, 'events legacy'],
    ['a parameter in quotes and capitals', 'Multipart/Mixed; IncrementalSpec="v0.2"', 'multipart current incrementalSpec=v0.2'],
    ['events in the current format', 'text/event-stream;incrementalSpec=v0.2, */*', 'events current incrementalSpec=v0.2'],
    [
      'two formats with the same weight',
      'multipart/mixed;incrementalSpec=v0.2, multipart/mixed;deferSpec=20220824',
      'multipart current incrementalSpec=v0.2',
    ],
    ['a stream with the weight 0', 'application/json, multipart/mixed;q=0', 'whole'],
    ['a wildcard for multipart', 'multipart/*, application/json', 'whole'],
    ['an unknown format', 'multipart/mixed;deferSpec=20990101, application/json', 'whole'],
    ["the multipart form of Apollo's subscriptions", `multipart/mixed;boundary="graphql";subscriptionSpec=1.0,${apollo}`, 'whole'],
  ] as const) {
    it(`${client}: ${expected}`, () => {
      const parts = chooseForms(parseAccept(accept), true)?.parts;

      equal(parts === undefined ? 'whole' : [parts.container, parts.format, parts.spec].filter(Boolean).join(' '), expected);
    });
  }

  it('there is none if Accept is a property name of Object.prototype', () => {
    equal(chooseForms(parseAccept('constructor'), true), undefined);
    equal(chooseForms(parseAccept('__proto__'), true), undefined);
  });

  it('is a single response if the server cannot write multipart', () => {
    equal(chooseForms(parseAccept('multipart/mixed;deferSpec=20220824,application/json'), false)?.parts, undefined);
    equal(chooseForms(parseAccept('multipart/mixed'), false), undefined);
  });
});

describe('the response to an operation with one result', () => {
  for (const [accept, expected] of [
    [urql, ['application/graphql-response+json', undefined]],
    [`multipart/mixed;deferSpec=20220824,${apollo}`, ['application/graphql-response+json', undefined]],
    ['text/event-stream, application/json', ['application/json', 'events']],
    ['multipart/mixed', [undefined, 'multipart']],
  ] as const) {
    it(`${accept}: ${expected[1] ?? expected[0]}`, () => {
      const forms = chooseForms(parseAccept(accept), true);

      deepEqual([forms?.mediaType, forms?.single], expected);
    });
  }
});
