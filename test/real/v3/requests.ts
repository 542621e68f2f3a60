import { createHash } from 'node:crypto';

import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';

/** One request of the comparison: the handler, and the arguments of its call. */
export interface GeneratedRequest {
  readonly shape: string;
  readonly event: Readonly<Record<string, any>>;
}

const documents = [
  '{ hello }',
  '{ hello(name: "you") }',
  'query Named($a: Int!, $b: Int!) { add(a: $a, b: $b) }',
  'query Kept { hello }',
  'query Refused { hello }',
  'query Teapot { hello }',
  'query One { hello } query Two { context }',
  '{ book(id: "1") { id title author { name books(limit: 1) { title } } } }',
  '{ book(id: "1") { title broken } }',
  '{ books { title colour secret } }',
  '{ books { title } }',
  'query Filtered($filter: Filter) { books(filter: $filter) { title author { name } } }',
  '{ node(id: "a") { id ... on Author { name } ... on Book { title } } }',
  '{ things { __typename ... on Book { title } ... on Author { name } } }',
  '{ boom }',
  '{ mustBoom hello }',
  '{ auth forbidden }',
  '{ input coded plain }',
  '{ late dynamic }',
  '{ dynamic }',
  '{ inherited { title } }',
  '{ context }',
  '{ nulls }',
  '{ thrown }',
  'mutation Set($value: String) { set(value: $value) }',
  'mutation { fail }',
  'mutation Two { a: set(value: "1") b: set(value: "2") }',
  '{ __schema { queryType { name } } }',
  '{ __typename }',
  '{ nope }',
  '{ hello',
  '{ book { id } }',
  'fragment F on Query { hello } { ...F }',
  'fragment F on Query { hello } ',
  'subscription { nope }',
  '{ hello @include(if: false) context }',
  '{ add(a: "x", b: 1) }',
  '# only a comment',
  '{ a: hello b: hello(name: "b") }',
  'query ($id: ID!) { book(id: $id) { title } }',
];
const variables = [
  undefined,
  {},
  null,
  { a: 1, b: 2 },
  { a: 'x', b: 2 },
  { filter: { name: 'n' } },
  { filter: { colour: 'BLUE', name: 'n' } },
  { filter: 1 },
  { value: 'v' },
  { id: '2' },
  { id: null },
  '{"a":3,"b":4}',
  '{bad',
];
const operationNames = [undefined, undefined, undefined, 'Named', 'Two', 'Kept', 'Nobody', '', null];
const origins = [undefined, undefined, 'https://shop.example', 'https://a.dev', 'https://evil.example', 'null'];
const contentTypes = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  undefined,
  'application/x-www-form-urlencoded',
  'application/graphql',
  'nonsense',
];

/** Random requests, which are the same for the same seed. */
export function generateRequests(shapes: readonly string[], count: number, seed = 1): GeneratedRequest[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, at) => ({ shape: shapes[at % shapes.length]!, event: eventOf(random) }));
}

function eventOf(random: Random): Record<string, any> {
  const { pick } = random;
  const method = random.next() < 0.62 ? 'POST' : pick(['GET', 'GET', 'GET', 'OPTIONS', 'PUT', 'DELETE', 'HEAD', 'PATCH']);
  const headers: Record<string, string> = { host: 'api.example.com', 'x-forwarded-proto': 'https' };
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) headers[name] = value;
  };
  set('origin', pick(origins));
  set('x-user', pick([undefined, 'u1', 'u2']));
  if (method === 'OPTIONS' && random.next() < 0.8) {
    set('access-control-request-method', 'POST');
    set('access-control-request-headers', pick([undefined, 'content-type', 'content-type,x-user']));
  }
  if (random.next() < 0.2) set('x-apollo-operation-name', pick(['Named', '']));
  if (random.next() < 0.1) set('x-mine', '1');
  const path = pick(['/', '/', '/graphql', '/graphql/', '/api', '/.well-known/apollo/server-health']);
  if (method === 'GET' || method === 'HEAD') {
    if (random.next() < 0.15) set('content-type', pick(contentTypes));
    return payload2(method, path, headers, queryOf(random));
  }
  if (method === 'OPTIONS') return payload2(method, path, headers, '');
  set('content-type', pick(contentTypes));
  const body = bodyOf(random);
  return random.next() < 0.3 ? payload1(method, path, headers, body) : payload2(method, path, headers, '', body);
}

function payload2(method: string, path: string, headers: object, rawQueryString: string, body?: string): Record<string, any> {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString,
    headers,
    requestContext: {
      http: { method, path, sourceIp: '192.0.2.1', userAgent: 'test', protocol: 'HTTP/1.1' },
      domainName: 'api.example.com',
      stage: '$default',
    },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  };
}

function payload1(method: string, path: string, headers: object, body: string): Record<string, any> {
  const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    multiValueHeaders,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    requestContext: { identity: { sourceIp: '192.0.2.1' }, httpMethod: method, path, stage: 'dev', resourcePath: '/{proxy+}' },
    body,
    isBase64Encoded: false,
  };
}

function bodyOf(random: Random): string {
  const { pick } = random;
  const kind = random.next();
  if (kind < 0.05)
    return pick([
      '',
      '{}',
      '[]',
      'null',
      '"text"',
      '{ "query": ',
      '7',
      '[null]',
      '[1]',
      '{"query":1}',
      '{"query":{"kind":"Document"}}',
      '{"query":""}',
      '{"query":null}',
    ]);
  if (kind < 0.2) return JSON.stringify(Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => operationOf(random)));
  return JSON.stringify(operationOf(random));
}

function operationOf(random: Random): Record<string, unknown> {
  const { pick } = random;
  const query = pick(documents);
  const operation: Record<string, unknown> = { query };
  if (random.next() < 0.5) operation['variables'] = pick(variables);
  if (random.next() < 0.4) operation['operationName'] = pick(operationNames);
  if (random.next() < 0.12) operation['extensions'] = persisted(random, query);
  if (random.next() < 0.05) operation['extensions'] = pick([{}, 'text', '{"a":1}', null, []]);
  if ('extensions' in operation && random.next() < 0.4) delete operation['query'];
  return operation;
}

function persisted({ pick }: Random, query: string): unknown {
  const hash = createHash('sha256').update(query).digest('hex');
  return {
    persistedQuery: pick([
      { version: 1, sha256Hash: hash },
      { version: 1, sha256Hash: hash },
      { version: 2, sha256Hash: hash },
      { version: 1, sha256Hash: 'bad' },
    ]),
  };
}

function queryOf(random: Random): string {
  const { pick } = random;
  if (random.next() < 0.05)
    return pick([
      '',
      'query',
      'query=',
      'other=1',
      'query={hello}&query={boom}',
      'variables={bad',
      'query={hello}&extensions={bad',
      'query[a]=1',
    ]);
  const { query, variables: values, operationName, extensions } = operationOf(random);
  const parameters = new URLSearchParams();
  if (query !== undefined) parameters.set('query', query as string);
  if (values !== undefined) parameters.set('variables', typeof values === 'string' ? values : JSON.stringify(values));
  if (operationName) parameters.set('operationName', operationName as string);
  if (extensions !== undefined) parameters.set('extensions', typeof extensions === 'string' ? extensions : JSON.stringify(extensions));
  return parameters.toString();
}
