import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, GraphQLError, parse, specifiedRules, validate } from 'graphql';

import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { limits } from '../../../src/entries/limits.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';

type Level = 'MUST' | 'SHOULD' | 'MAY';

interface Requirement {
  readonly level: Level;
  /** The requirement in our words. */
  readonly text: string;
  readonly check: () => Promise<void>;
}

const newer = 'application/graphql-response+json';
const accepting = (accept: string): Pick<PlainRequest, 'headers'> => ({ headers: [['accept', accept]] });
const hello = { query: '{ hello }' };
const greeting = { data: { hello: 'Hello, world!' } };

/** Sends a request to a server with these options, and defaults for the others. */
async function ask(request: PlainRequest, options: Partial<ServerOptions> = {}): Promise<PlainResponse & { readonly runs: string[] }> {
  const endpoint = createEndpoint(options);
  return { ...(await endpoint.send(request)), runs: endpoint.runs };
}

/** Sends a body once for each media type. */
async function askBoth(body: object, options: Partial<ServerOptions> = {}): Promise<readonly [json: PlainResponse, newer: PlainResponse]> {
  return [await ask(post(body, accepting('application/json')), options), await ask(post(body, accepting(newer)), options)];
}

function assertBoth(responses: readonly PlainResponse[], status: number): void {
  for (const response of responses) {
    assert.equal(response.status, status);
    assert.equal(response.headers.get('content-type'), `${newer}; charset=utf-8`);
    assert.deepEqual(Object.keys(json(response)), ['errors']);
  }
}

function deny(code: string): Partial<ServerOptions> {
  return {
    context: () => {
      throw new GraphQLError('No.', { extensions: { code } });
    },
  };
}

const violated = `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD
  type Query { hello(name: String): String! sum(numbers: [Int!]!): Int! books(filter: Filter): [Book!]! }
  type Subscription { ticks: Int more: Int }
  type Book { title: String! author: Author! }
  type Author { name: String! }
  input Filter { author: String }
`;

/** A document for each rule of the specification that violates it. */
const violations: Readonly<Record<string, string>> = {
  ExecutableDefinitionsRule: '{ hello } type Other { a: Int }',
  KnownOperationTypesRule: 'mutation { write }',
  UniqueOperationNamesRule: 'query A { hello } query A { books { title } }',
  LoneAnonymousOperationRule: '{ hello } query A { hello }',
  SingleFieldSubscriptionsRule: 'subscription { ticks more }',
  KnownTypeNamesRule: '{ books { ... on Unknown { title } } }',
  FragmentsOnCompositeTypesRule: '{ books { ... on Filter { title } } }',
  VariablesAreInputTypesRule: 'query ($book: Book) { hello(name: $book) }',
  ScalarLeafsRule: '{ hello { length } }',
  FieldsOnCorrectTypeRule: '{ unknown }',
  UniqueFragmentNamesRule: '{ ...F } fragment F on Query { hello } fragment F on Query { hello }',
  KnownFragmentNamesRule: '{ ...Unknown }',
  NoUnusedFragmentsRule: '{ hello } fragment F on Query { hello }',
  PossibleFragmentSpreadsRule: '{ books { ... on Author { name } } }',
  NoFragmentCyclesRule: '{ ...F } fragment F on Query { hello ...F }',
  UniqueVariableNamesRule: 'query ($name: String, $name: String) { hello(name: $name) }',
  NoUndefinedVariablesRule: '{ hello(name: $name) }',
  NoUnusedVariablesRule: 'query ($unused: Int) { hello }',
  KnownDirectivesRule: '{ hello @unknown }',
  UniqueDirectivesPerLocationRule: '{ hello @skip(if: true) @skip(if: true) }',
  DeferStreamDirectiveOnRootFieldRule: 'subscription { ticks ... @defer { more } }',
  DeferStreamDirectiveOnValidOperationsRule: 'subscription { ... @defer { ticks } }',
  DeferStreamDirectiveLabelRule: '{ ... @defer(label: "a") { hello } ... @defer(label: "a") { books { title } } }',
  StreamDirectiveOnListFieldRule: '{ hello @stream }',
  KnownArgumentNamesRule: '{ hello(unknown: 1) }',
  UniqueArgumentNamesRule: '{ hello(name: "a", name: "b") }',
  ValuesOfCorrectTypeRule: '{ hello(name: 5) }',
  ProvidedRequiredArgumentsRule: '{ sum }',
  VariablesInAllowedPositionRule: 'query ($number: Int) { sum(numbers: [$number]) }',
  OverlappingFieldsCanBeMergedRule: '{ hello(name: "a") hello(name: "b") }',
  UniqueInputFieldNamesRule: '{ books(filter: { author: "a", author: "b" }) { title } }',
  MaxIntrospectionDepthRule: `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} } '.repeat(4)} } } }`,
};

const requirements: readonly Requirement[] = [
  {
    level: 'MUST',
    text: 'Queries and mutations use the same URL.',
    check: async () => {
      assert.deepEqual(json(await ask(post(hello))), greeting);
      assert.deepEqual(json(await ask(post({ query: 'mutation { write }' }))), { data: { write: true } });
    },
  },
  {
    level: 'SHOULD',
    text: 'A client that may not send the request gets a 4xx, such as 401 or 403.',
    check: async () => {
      assert.equal((await ask(post(hello), deny('UNAUTHENTICATED'))).status, 401);
      assert.equal((await ask(post(hello), deny('FORBIDDEN'))).status, 403);
    },
  },
  {
    level: 'MUST',
    text: 'POST is supported, with a body of `application/json` in UTF-8.',
    check: async () => assert.deepEqual(json(await ask(post({ query: '{ hello(name: "Ærø") }' }))), { data: { hello: 'Hello, Ærø!' } }),
  },
  {
    level: 'MUST',
    text: 'UTF-8 is assumed where `Content-Type` names no charset.',
    check: async () => {
      const headers: PlainRequest['headers'] = [['content-type', 'application/json']];
      const body = new TextEncoder().encode('{"query":"{ hello(name: \\"é\\") }"}');
      assert.deepEqual(json(await ask(plainRequest({ method: 'POST', headers, body }))), { data: { hello: 'Hello, é!' } });
    },
  },
  {
    level: 'SHOULD',
    text: 'A POST without `Content-Type` is refused with a 4xx.',
    check: async () => assert.equal((await ask(plainRequest({ method: 'POST', body: JSON.stringify(hello) }))).status, 415),
  },
  {
    level: 'MUST',
    text: 'Unknown properties of a request are ignored.',
    check: async () => assert.deepEqual(json(await ask(post({ ...hello, unknown: { a: 1 }, qeury: 7 }))), greeting),
  },
  {
    level: 'MUST',
    text: '`null` counts as absent for `operationName`, `variables` and `extensions`.',
    check: async () =>
      assert.deepEqual(json(await ask(post({ ...hello, operationName: null, variables: null, extensions: null }))), greeting),
  },
  {
    level: 'MUST',
    text: 'A GET has its parameters in the query string, in the format of `URLSearchParams`, `variables` and `extensions` as JSON.',
    check: async () => {
      const query = 'query ($name: String) { hello(name: $name) }';
      assert.deepEqual(json(await ask(get({ query, variables: '{"name":"a b"}', extensions: '{}' }))), { data: { hello: 'Hello, a b!' } });
    },
  },
  {
    level: 'MUST',
    text: 'In a GET, an empty `operationName` counts as absent, and `null` is a name.',
    check: async () => {
      assert.deepEqual(json(await ask(get({ query: '{ hello }', operationName: '' }))), greeting);
      const query = 'query a { sum(numbers: 1) } query null { hello }';
      assert.deepEqual(json(await ask(get({ query, operationName: 'null' }))), greeting);
    },
  },
  {
    level: 'MUST',
    text: 'The body is a response of the GraphQL specification: `data`, `errors` and `extensions`, no other entries.',
    check: async () => {
      for (const query of ['{ hello }', '{ explode }', '{ nothing }', '{'])
        for (const key of Object.keys(json(await ask(post({ query }))))) assert.ok(['data', 'errors', 'extensions'].includes(key));
    },
  },
  {
    level: 'MUST',
    text: '`Content-Type` names the media type of the answer, and (SHOULD) its charset.',
    check: async () => {
      for (const type of ['application/json', newer])
        assert.equal((await ask(post(hello, accepting(type)))).headers.get('content-type'), `${type}; charset=utf-8`);
    },
  },
  {
    level: 'MUST',
    text: '`application/json` and `application/graphql-response+json` are supported; the one that `Accept` prefers is sent.',
    check: async () => {
      const preferred = { [`application/json;q=0.5, ${newer}`]: newer, [`${newer};q=0.5, application/json`]: 'application/json' };
      for (const [accept, type] of Object.entries(preferred))
        assert.equal((await ask(post(hello, accepting(accept)))).headers.get('content-type'), `${type}; charset=utf-8`);
    },
  },
  {
    level: 'SHOULD',
    text: 'An `Accept` that allows neither is a 406, and nothing runs.',
    check: async () => {
      const response = await ask(post({ query: 'mutation { write }' }, accepting('image/png')));
      assert.deepEqual([response.status, response.runs], [406, []]);
    },
  },
  {
    level: 'SHOULD',
    text: 'All validation rules of the GraphQL specification apply.',
    check: async () => {
      for (const rule of specifiedRules) {
        const query = violations[rule.name] ?? assert.fail(`no document violates ${rule.name}`);
        assert.notDeepEqual(validate(buildSchema(violated), parse(query), [rule]), [], `${query} does not violate ${rule.name}`);

        const response = await ask(post({ query }), { typeDefs: violated, resolvers: {}, incrementalDelivery: incrementalDelivery() });

        const { errors, ...others } = json(response);
        assert.deepEqual([response.status, response.runs, others, errors.length > 0], [422, [], {}, true], `${rule.name}: ${query}`);
        assert.ok(errors.every(({ extensions }: any) => extensions.code === 'GRAPHQL_VALIDATION_FAILED'));
      }
    },
  },
  {
    level: 'MAY',
    text: 'Other validation rules apply: depth, cost, aliases, rules of the user.',
    check: async () =>
      assert.equal((await ask(post({ query: '{ books { title } }' }), { plugins: [limits({ maxDepth: 1 })] })).status, 422),
  },
  {
    level: 'MUST',
    text: 'An answer without `data` is a 4xx or 5xx, also for an unknown persisted query (404).',
    check: async () => {
      assertBoth(await askBoth({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }), 404);
      assertBoth(await askBoth(hello, deny('OUT_OF_TEA')), 500);
    },
  },
  {
    level: 'MUST',
    text: 'A body that is not a GraphQL response is not labeled `application/graphql-response+json`: health checks, pages.',
    check: async () => {
      const health = await ask(plainRequest({ path: '/graphql/health', ...accepting(newer) }));
      assert.equal(health.headers.get('content-type'), 'application/health+json');
    },
  },
  {
    level: 'MAY',
    text: '`GraphQL-Require-Preflight` shows that a request is not a simple one.',
    check: async () => {
      const request = plainRequest({ query: 'query={hello}' });
      const shown: PlainRequest = { ...request, headers: [['graphql-require-preflight', '1']] };
      assert.equal((await ask(request, { csrfPrevention: true })).status, 400);
      assert.deepEqual(json(await ask(shown, { csrfPrevention: true })), greeting);
    },
  },
];

// The statuses and labels of the edition are in edition-statuses.ts, and are tested with every event source in answers.test.ts.
describe('GraphQL over HTTP, September 2026', () => {
  for (const { level, text, check } of requirements) it(`${level}: ${text}`, check);
});
