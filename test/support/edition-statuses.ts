import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { get, plainRequest, post } from './plain-http.ts';
import type { PlainRequest, PlainResponse } from './plain-http.ts';

/** Fields of Query that always fail. */
interface FailingFields {
  readonly nullable: string;
  readonly nonNull: string;
}

/** A row of the table of statuses of GraphQL over HTTP, September 2026. */
interface StatusCase {
  readonly name: string;
  readonly request: PlainRequest;
  /** For clients of application/json, and for those of application/graphql-response+json. */
  readonly statuses: readonly [json: number, newer: number];
  /** The entries of the answer. */
  readonly entries: readonly string[];
}

/** What the edition says about statuses, with default options. */
export function editionStatuses({ nullable, nonNull }: FailingFields): readonly StatusCase[] {
  const sha256Hash = createHash('sha256').update('{ neverSent }').digest('hex');
  const refused = (name: string, status: number, request: PlainRequest): StatusCase => ({
    name,
    request,
    statuses: [status, status],
    entries: ['errors'],
  });
  return [
    { name: 'data', request: post({ query: '{ __typename }' }), statuses: [200, 200], entries: ['data'] },
    { name: 'data by GET', request: get({ query: '{ __typename }' }), statuses: [200, 200], entries: ['data'] },
    { name: 'data and errors', request: post({ query: `{ ${nullable} __typename }` }), statuses: [200, 294], entries: ['errors', 'data'] },
    { name: 'data that an error made null', request: post({ query: `{ ${nonNull} }` }), statuses: [200, 294], entries: ['errors', 'data'] },
    refused('a body that is not JSON', 400, post('{ "query": ')),
    refused('a document that does not parse', 400, post({ query: '{' })),
    refused('no query', 422, post({ variables: {} })),
    refused('variables that are a list', 422, post({ query: '{ __typename }', variables: [] })),
    refused('a document that is not valid', 422, post({ query: '{ nothing }' })),
    refused('an operation that cannot be determined', 422, post({ query: 'query A { __typename } query B { __typename }' })),
    refused(
      'variables of wrong types',
      422,
      post({ query: 'query ($on: Boolean!) { __typename @skip(if: $on) }', variables: { on: 'x' } }),
    ),
    refused('an unknown persisted query', 404, post({ extensions: { persistedQuery: { version: 1, sha256Hash } } })),
    refused('a mutation by GET', 405, get({ query: 'mutation { __typename }' })),
    refused('another method', 405, plainRequest({ method: 'PUT' })),
    refused(
      'another type of content',
      415,
      plainRequest({ method: 'POST', headers: [['Content-Type', 'application/xml']], body: '<query/>' }),
    ),
    refused('a body that is too large', 413, post({ query: '{ __typename }', padding: 'x'.repeat(2 ** 20) })),
  ];
}

/** Sends a request for each media type, and checks statuses, labels and the entries of the body. */
export async function assertStatuses(
  { request, statuses, entries }: StatusCase,
  send: (request: PlainRequest) => Promise<PlainResponse>,
): Promise<void> {
  for (const [at, accept] of [json, newer].entries()) {
    const response = await send({ ...request, headers: [...request.headers, ['Accept', accept]] });

    const label = response.status < 300 ? accept : newer;
    assert.deepEqual([response.status, response.headers.get('content-type')], [statuses[at], `${label}; charset=utf-8`], response.body);
    assert.deepEqual(Object.keys(JSON.parse(response.body) as object), entries);
    if (response.status === 405) assert.match(response.headers.get('allow') ?? '', /POST/);
  }
}

const json = 'application/json';
const newer = 'application/graphql-response+json';
