import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, GraphQLError, parse, specifiedRules, validate } from 'graphql';

import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { limits } from '../../../src/entries/limits.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';

const newer = 'application/graphql-response+json';
const accepting = (accept: string): Pick<PlainRequest, 'headers'> => ({ headers: [['accept', accept]] });
const hello = { query: '{ hello }' };
const greeting = (name = 'world'): object => ({ data: { hello: `Hello, ${name}!` } });

/** Sends a request to a server with these options, and defaults for the others. */
async function ask(request: PlainRequest, options: Partial<ServerOptions> = {}): Promise<PlainResponse & { readonly runs: string[] }> {
  const endpoint = createEndpoint(options);
  return { ...(await endpoint.send(request)), runs: endpoint.runs };
}

const deny = (code: string): Partial<ServerOptions> => ({
  context: () => {
    throw new GraphQLError('No.', { extensions: { code } });
  },
});

/** The answer to each media type, of a server whose answer has no `data`. */
const withoutData = (body: object, status: number, options: Partial<ServerOptions> = {}): Exchange[] =>
  ['application/json', newer].map((type) => [post(body, accepting(type)), [status, `${newer}; charset=utf-8`, 'errors'], options]);

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

/** A request, and what its answer must be: its status, its JSON, or its status, its content type and the entries of its body. */
type Exchange = readonly [request: PlainRequest, expected: number | object | readonly unknown[], options?: Partial<ServerOptions>];

const typed = (accept: string, type: string): Exchange => [post(hello, accepting(accept)), [200, `${type}; charset=utf-8`, 'data']];
const simple = (...headers: [string, string][]): PlainRequest => plainRequest({ query: 'query={hello}', headers });

/** The requirements in our words. */
const requirements: Readonly<Record<string, readonly Exchange[] | (() => Promise<void>)>> = {
  'MUST: Queries and mutations use the same URL.': [
    [post(hello), greeting()],
    [post({ query: 'mutation { write }' }), { data: { write: true } }],
  ],
  'SHOULD: A client that may not send the request gets a 4xx, such as 401 or 403.': [
    [post(hello), 401, deny('UNAUTHENTICATED')],
    [post(hello), 403, deny('FORBIDDEN')],
  ],
  'MUST: POST is supported, with a body of `application/json` in UTF-8.': [[post({ query: '{ hello(name: "Ærø") }' }), greeting('Ærø')]],
  'MUST: UTF-8 is assumed where `Content-Type` names no charset.': [
    [post(Buffer.from('{"query":"{ hello(name: \\"é\\") }"}')), greeting('é')],
  ],
  'SHOULD: A POST without `Content-Type` is refused with a 4xx.': [[plainRequest({ method: 'POST', body: '{"query":"{ hello }"}' }), 415]],
  'MUST: Unknown properties of a request are ignored.': [[post({ ...hello, unknown: { a: 1 }, qeury: 7 }), greeting()]],
  'MUST: `null` counts as absent for `operationName`, `variables` and `extensions`.': [
    [post({ ...hello, operationName: null, variables: null, extensions: null }), greeting()],
  ],
  'MUST: A GET has its parameters in the query string, in the format of `URLSearchParams`, `variables` and `extensions` as JSON.': [
    [get({ query: 'query ($name: String) { hello(name: $name) }', variables: '{"name":"a b"}', extensions: '{}' }), greeting('a b')],
  ],
  'MUST: In a GET, an empty `operationName` counts as absent, and `null` is a name.': [
    [get({ ...hello, operationName: '' }), greeting()],
    [get({ query: 'query a { sum(numbers: 1) } query null { hello }', operationName: 'null' }), greeting()],
  ],
  'MUST: The body is a response of the GraphQL specification: `data`, `errors` and `extensions`, no other entries.': async () => {
    for (const query of ['{ hello }', '{ explode }', '{ nothing }', '{'])
      for (const key of Object.keys(json(await ask(post({ query }))))) assert.ok(['data', 'errors', 'extensions'].includes(key));
  },
  'MUST: `Content-Type` names the media type of the answer, and (SHOULD) its charset.': ['application/json', newer].map((type) =>
    typed(type, type),
  ),
  'MUST: `application/json` and `application/graphql-response+json` are supported; the one that `Accept` prefers is sent.': [
    typed(`application/json;q=0.5, ${newer}`, newer),
    typed(`${newer};q=0.5, application/json`, 'application/json'),
  ],
  'SHOULD: An `Accept` that allows neither is a 406, and nothing runs.': async () => {
    const response = await ask(post({ query: 'mutation { write }' }, accepting('image/png')));
    assert.deepEqual([response.status, response.runs], [406, []]);
  },
  'SHOULD: All validation rules of the GraphQL specification apply.': async () => {
    for (const rule of specifiedRules) {
      const query = violations[rule.name] ?? assert.fail(`no document violates ${rule.name}`);
      assert.notDeepEqual(validate(buildSchema(violated), parse(query), [rule]), [], `${query} does not violate ${rule.name}`);

      const response = await ask(post({ query }), { typeDefs: violated, resolvers: {}, incrementalDelivery: incrementalDelivery() });

      const { errors, ...others } = json(response);
      assert.deepEqual([response.status, response.runs, others, errors.length > 0], [422, [], {}, true], `${rule.name}: ${query}`);
      assert.ok(errors.every(({ extensions }: any) => extensions.code === 'GRAPHQL_VALIDATION_FAILED'));
    }
  },
  'MAY: Other validation rules apply: depth, cost, aliases, rules of the user.': [
    [post({ query: '{ books { title } }' }), 422, { plugins: [limits({ maxDepth: 1 })] }],
  ],
  'MUST: An answer without `data` is a 4xx or 5xx, also for an unknown persisted query (404).': [
    ...withoutData({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }, 404),
    ...withoutData(hello, 500, deny('OUT_OF_TEA')),
  ],
  'MUST: A body that is not a GraphQL response is not labeled `application/graphql-response+json`: health checks, pages.': [
    [plainRequest({ path: '/graphql/health', ...accepting(newer) }), [200, 'application/health+json', 'status']],
  ],
  'MAY: `GraphQL-Require-Preflight` shows that a request is not a simple one.': [
    [simple(), 400, { csrfPrevention: true }],
    [simple(['graphql-require-preflight', '1']), greeting(), { csrfPrevention: true }],
  ],
};

// The statuses and labels of the edition are in edition-statuses.ts, and are tested with every event source in answers.test.ts.
describe('GraphQL over HTTP, September 2026', () => {
  for (const [requirement, check] of Object.entries(requirements))
    it(requirement, async () => {
      if (typeof check === 'function') return check();
      for (const [request, expected, options] of check) {
        const response = await ask(request, options);

        if (typeof expected === 'number') assert.equal(response.status, expected);
        else if (!Array.isArray(expected)) assert.deepEqual(json(response), expected);
        else assert.deepEqual([response.status, response.headers.get('content-type'), ...Object.keys(json(response))], expected);
      }
    });
});
