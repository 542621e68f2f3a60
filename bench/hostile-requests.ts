/** Hostile requests of up to 1 MiB, and the schema to which they are sent. */
import { createHash } from 'node:crypto';

const node = { id: 1, name: 'n', tags: ['a', 'b'] } as Record<string, unknown>;
Object.assign(node, { node, nodes: ({ first = 2 }: { first?: number }) => Array.from({ length: first }, () => node) });

export const typeDefs: string = `
  type Query {
    hello(name: String): String sum(n: [Int!]): Int any(input: Input): Int node: Node nodes(first: Int): [Node!]! either: Either
    filled(list: [Filled!]): Int nested(list: [Nested!]): Int thing: Thing
  }
  type Mutation { write(input: Input): Int change(first: Int): [Node!]! }
  union Either = Left | Right
  type Left { x: String node: Node }
  type Right { x: Int node: Node }
  type Node { id: ID name: String tags: [String!] node: Node nodes(first: Int): [Node!]! fails(of: String): Int }
  input Filled { ${Array.from({ length: 200 }, (_, index) => `f${index}: Int = ${index}`).join(' ')} }
  input Nested { a: Point = { x: 1, list: [1, 2, 3] } b: Point = { x: 2 } }
  input Point { x: Int list: [Int!] }
  input Input { number: Int inner: Input list: [Input!] }
  interface Thing { id: ID owner: Thing }
  ${Array.from({ length: 1000 }, (_, index) => `type T${index} implements Thing @requiresScopes(scopes: [["s${index % 9}"]]) { id: ID owner: Thing }`).join('\n')}
`;
export const resolvers: Record<string, Record<string, (...given: any[]) => unknown>> = {
  Query: {
    hello: () => 'x',
    sum: (_: unknown, { n }: { n?: number[] }) => n?.length ?? 0,
    node: () => node,
    nodes: (_: unknown, { first = 2 }: { first?: number }) => Array.from({ length: first }, () => node),
    either: () => ({ __typename: 'Left', x: 'y', node }),
  },
  Mutation: {
    change: (_: unknown, { first = 2 }: { first?: number }) => Array.from({ length: first }, (_item, id) => ({ id, name: 'n' })),
  },
  Node: {
    fails: (_: unknown, { of = '' }: { of?: string }) => {
      throw new Error(`No row ${(failures += 1)} ${of.repeat(100)}`);
    },
  },
};
let failures = 0;

/** The routes of `rest()`. */
export const documents: Readonly<Record<string, string>> = {
  sum: 'query Sum($n: [Int!]) @http(method: GET, route: "/sum") { sum(n: $n) }',
  any: 'query Any($input: Input @body) @http(method: POST, route: "/any") { any(input: $input) }',
  hello: 'query Hello($name: String) @http(method: GET, route: "/hello/{name}") { hello(name: $name) }',
};

export interface Sent {
  /** Default: '/' */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
  /** Extensions that the server has in any case. */
  readonly needs?: readonly string[];
}

const repeat = (count: number, one: (index: number) => string): string => Array.from({ length: count }, (_, index) => one(index)).join(' ');
const document = (query: string, variables?: unknown): Sent => ({ body: JSON.stringify({ query, variables }) });
const batch = (one: (index: number) => string): Sent => ({
  body: JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ query: one(index) }))),
});
const withVariables = (query: string, variables: string): Sent => ({ body: `{"query":${JSON.stringify(query)},"variables":${variables}}` });
const traced = { headers: { 'apollo-federation-include-trace': 'ftv1' }, needs: ['subgraph'] };
const nested = (levels: number, name: string, inner: string): Sent => ({
  ...document(`{ node { ${`${name} { `.repeat(levels)}${inner}${' }'.repeat(levels)} } }`),
  ...traced,
});
const entities = (representations: string): Sent => ({
  ...withVariables('query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }', `{"r":[${representations}]}`),
  needs: ['subgraph'],
});
const longText = JSON.stringify(`{ hello(name: "${'x'.repeat(1_000_000)}") }`);
const persisted = (hash: string): Sent => ({
  body: `{"query":${longText},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${hash}"}}}`,
});
const keyed = { headers: { 'idempotency-key': '"a-key"' }, needs: ['idempotency'] };
const overlapping = 'node { id } '.repeat(3700);
const fan = (levels: number, spread: (name: string) => string): string =>
  `{ node { ...F0 } } ${repeat(levels, (index) => `fragment F${index} on Node { ${index + 1 < levels ? spread(`...F${index + 1}`) : 'id'} }`)}`;

export const hostileRequests: Readonly<Record<string, () => Sent>> = {
  'an ordinary query': () => document('{ node { id name node { id } } }'),
  '500,000 tokens': () => document(`{ ${'a '.repeat(500_000)} }`),
  'one field 14,990 times': () => document(`{ ${'hello '.repeat(14_990)} }`),
  '4,990 aliases': () => document(`{ ${repeat(4990, (index) => `a${index}: hello`)} }`),
  '3,700 objects': () => document(`{ ${repeat(2990, (index) => `a${index}: node { id }`)} }`),
  '14,000 unknown fields': () => document(`{ ${repeat(14_000, (index) => `x${index}`)} }`),
  '2,100 directives': () => document(`{ hello ${'@skip(if: false) '.repeat(2100)} }`),
  '7,000 unknown directives': () => document(`{ hello ${'@a '.repeat(7000)} }`),
  '2,900 operations': () => document(repeat(2900, (index) => `query Q${index} { hello }`)),
  '3,000 variables': () => document(`query (${repeat(3000, (index) => `$v${index}: Int`)}) { hello }`),
  '350,000 comments': () => document(`{ hello ${'#\n'.repeat(330_000)} }`),
  'a million commas': () => document(`{ hello ${','.repeat(1_000_000)} }`),
  'a text of 1 MB': () => document(`{ hello(name: "${'x'.repeat(1_000_000)}") }`),
  'a block text of 500,000 lines': () => document(`{ hello(name: """${'\n'.repeat(500_000)}""") }`),
  'a name of 1 MB': () => document(`{ ${'a'.repeat(1_000_000)} }`),
  'names of 65 KB that conflict': () =>
    document(`{ ${repeat(15, (index) => `${'a'.repeat(65_000)}: ${index % 2 ? 'hello' : 'node { id }'}`)} }`),
  'braces 50,000 deep': () => document('{ node '.repeat(50_000)),
  'braces 199 deep': () => document(`${'{ node '.repeat(199)}{ id ${'}'.repeat(200)}`),
  'overlapping fields': () => document(`{ ${overlapping} }`),
  'overlapping fields, three deep': () => document(`{ ${'node { node { node { id } } } '.repeat(1400)} }`),
  'overlapping inline fragments': () => document(`{ ${'... { hello } '.repeat(3700)} }`),
  'overlapping fragments': () =>
    document(
      `{ node { ${repeat(1000, (index) => `...F${index}`)} } } ${repeat(1000, (index) => `fragment F${index} on Node { node { id } }`)}`,
    ),
  'fragments of different fields': () =>
    document(
      `{ nothing node { ${repeat(1060, (index) => `...F${index}`)} } } ${repeat(1060, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'fields beside fragments': () =>
    document(
      `{ nothing node { ${repeat(1500, (index) => `f${index}: id`)} ${repeat(300, (index) => `...F${index}`)} } } ${repeat(300, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  '250 fragments of different fields': () =>
    document(
      `{ nothing node { ${repeat(250, (index) => `...F${index}`)} } } ${repeat(250, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'a batch of fragments of different fields': () =>
    batch(
      (batched) =>
        `query Q${batched} { nothing node { ${repeat(100, (index) => `...F${index}`)} } } ${repeat(100, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'just as many comparisons as allowed': () => document(`{ ${'node { id } '.repeat(220)} nothing }`),
  'overlapping members of a union': () =>
    document(`{ either { ${repeat(700, () => '... on Left { node { id } } ... on Right { node { id } }')} } }`),
  'conflicting fields': () => document(`{ ${repeat(2000, (index) => `a: ${index % 2 ? 'hello' : 'hello(name: "x")'}`)} }`),
  'a fan of 2^20 fields': () => document(fan(20, (next) => `a: node { ${next} } b: node { ${next} }`)),
  'a fan of 2^30 spreads': () => document(fan(30, (next) => `${next} ${next}`)),
  'a fan of 8,000 fields': () => document(fan(12, (next) => `a: node { ${next} } b: node { ${next} }`)),
  'a chain of 1,800 fragments': () => document(fan(1800, (next) => next)),
  'a circle of 1,000 fragments': () =>
    document(`{ node { ...F0 } } ${repeat(1000, (index) => `fragment F${index} on Node { ...F${(index + 1) % 1000} }`)}`),
  '500,000 numbers in variables': () => document('query ($n: [Int!]) { sum(n: $n) }', { n: Array.from({ length: 500_000 }, () => 1) }),
  '250,000 wrong values in variables': () =>
    document('query ($n: [Int!]) { sum(n: $n) }', { n: Array.from({ length: 250_000 }, () => 'x') }),
  '300,000 objects in variables': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":{"list":[${'{},'.repeat(300_000)}{}]}}`),
  '52,000 objects in variables': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":{"list":[${'{"number":1},'.repeat(52_000)}{}]}}`),
  'variables 120,000 deep': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":${'{"inner":'.repeat(100_000)}null${'}'.repeat(100_000)}}`),
  'lists in variables 500,000 deep': () =>
    withVariables('query ($n: [Int!]) { sum(n: $n) }', `{"n":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
  '80,000 keys in the body': () => ({ body: `{${repeat(80_000, (index) => `"k${index}":1,`)}"query":"{ hello }"}` }),
  '340,000 objects in the body': () => ({ body: `{"query":"{ hello }","x":[${'{},'.repeat(340_000)}1]}` }),
  '200 defaults in each of 7,000 objects': () =>
    withVariables('query ($l: [Filled!]) { filled(list: $l) }', `{"l":[${'{},'.repeat(7_000)}{}]}`),
  '200 defaults in each of 800 objects, one of them wrong': () =>
    withVariables('query ($l: [Filled!]) { filled(list: $l) }', `{"l":[${'{},'.repeat(800)}{"f1":"x"}]}`),
  '200 defaults in each of 800 literals': () => document(`{ filled(list: [${'{} '.repeat(800)}]) }`),
  'objects by default in 50,000 objects': () =>
    withVariables('query ($l: [Nested!]) { nested(list: $l) }', `{"l":[${'{},'.repeat(50_000)}{}]}`),
  '70,000 unknown keys in variables': () =>
    withVariables(
      'query ($i: Input) { any(input: $i) }',
      `{"i":{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":1`).join()}}}`,
    ),
  '1,000 errors of 1 KB': () => document('{ nodes(first: 1000) { fails(of: "lorem ipsum") } }'),
  'a persisted query of 1 MB, wrong hash': () => persisted('0'.repeat(64)),
  'a persisted query of 1 MB, right hash': () =>
    persisted(
      createHash('sha256')
        .update(JSON.parse(longText) as string)
        .digest('hex'),
    ),
  '1,700 fragments on an interface of 1,000 types': () => ({
    ...document(`{ thing { ${repeat(24, () => `${'... on Thing { owner { '.repeat(70)}id${' } }'.repeat(70)}`)} } }`),
    needs: ['authorization'],
  }),
  'traces of nested errors': () => nested(190, 'node', 'nodes(first: 1000) { fails }'),
  'traces of nested errors with long aliases': () => nested(150, `${'a'.repeat(250)}: node`, 'nodes(first: 1000) { fails }'),
  'traces of 19,000 rows with a long alias': () => nested(1, 'node', `nodes(first: 19000) { ${'a'.repeat(250)}: id }`),
  'traces of 9,000 rows, 180 deep': () => nested(180, 'node', 'nodes(first: 9000) { id name }'),
  '500,000 numbers as entities': () => entities(`${'1,'.repeat(500_000)}1`),
  '49,000 entities of an unknown type': () => entities(`${'{"__typename":"B"},'.repeat(49_000)}1`),
  '40,000 entities of 40,000 unknown types': () =>
    entities(Array.from({ length: 40_000 }, (_, index) => `{"__typename":"B${index}"}`).join()),
  'a key with 80,000 keys in variables': () => ({
    ...withVariables(
      'mutation ($i: Input) { write(input: $i) }',
      `{"x":{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join()}}}`,
    ),
    ...keyed,
  }),
  'a mutation of 20,000 objects that purges': () => ({ ...document('mutation { change(first: 20000) { id name } }'), needs: ['edge'] }),
  'a batch of overlapping fields': () => batch((index) => `query Q${index} { ${overlapping} }`),
  'a batch of aliases': () => batch((index) => `query Q${index} { ${repeat(4900, (alias) => `a${alias}: hello`)} }`),
  'a batch of one field 14,000 times': () => batch((index) => `query Q${index} { ${'hello '.repeat(14_000)} }`),
  'a batch of unknown fields': () => batch((index) => `query Q${index} { ${repeat(10_000, (field) => `x${field}`)} }`),
  'a batch of fans of 8,000 fields': () =>
    batch((index) => fan(12, (next) => `a: node { ${next} } b: node { ${next} }`).replace('{', `query Q${index} {`)),
  'a batch of ten that each fit': () => batch((index) => `query Q${index} { ${'node { id } '.repeat(370)} }`),
  'a GET of a million ampersands': () => ({ query: `query={hello}${'&'.repeat(1_000_000)}` }),
  'a GET of 340,000 escapes': () => ({ query: `query=${'%7B'.repeat(340_000)}` }),
  'a REST path of 200,000 segments': () => ({ path: '/rest'.repeat(200_000), query: '', needs: ['rest'] }),
  'a REST parameter of 340,000 escapes': () => ({ path: `/rest/hello/${'%7B'.repeat(340_000)}`, query: '', needs: ['rest'] }),
  'a REST list of 260,000 parameters': () => ({ path: '/rest/sum', query: 'n=1&'.repeat(260_000), needs: ['rest'] }),
  '100,000 unknown REST parameters': () => ({
    path: '/rest/sum',
    query: Array.from({ length: 100_000 }, (_, at) => `${at}=1`).join('&'),
    needs: ['rest'],
  }),
  '70,000 unknown members in a REST body': () => ({
    path: '/rest/any',
    body: `{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":1`).join()}}`,
    needs: ['rest'],
  }),
  'an Accept of 1 MB': () => ({ ...document('{ hello }'), headers: { accept: 'a/b;q=0.1,'.repeat(100_000) } }),
  'a content type of 1 MB': () => ({
    ...document('{ hello }'),
    headers: { 'content-type': `application/json;${'a="b;'.repeat(200_000)}` },
  }),
  'a body of 10 MB': () => ({ body: 'x'.repeat(10 * 1024 * 1024) }),
};

/** The nth of ordinary requests whose documents differ. */
export function ordinaryEvent(nth: number): never {
  return hostileEvent(document(`{ a${nth}: node { id ...F } } fragment F on Node { name tags }`));
}

export function hostileEvent({ path = '/', headers = {}, query, body }: Sent): never {
  const http = { method: query === undefined ? 'POST' : 'GET' };
  const fields = query === undefined ? { 'content-type': 'application/json', ...headers } : headers;
  return { version: '2.0', rawPath: path, rawQueryString: query ?? '', headers: fields, requestContext: { http }, body } as never;
}

/** A request that makes work for every extension: answers, errors, numbers, traces and a key. */
export function mixedRequest(): Sent {
  const query = (index: number): string =>
    `query Q${index} ($n: [Int!]) { sum(n: $n) nodes(first: 300) { id name } failing: nodes(first: 100) { fails } }`;
  const variables = { n: Array.from({ length: 5_000 }, () => 1) };
  return {
    headers: { 'apollo-federation-include-trace': 'ftv1', 'idempotency-key': '"a-key"', 'accept-encoding': 'gzip' },
    body: JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ query: query(index), variables }))),
  };
}
