import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { LimitsOptions } from '../../../../../src/entries/limits.ts';
import { createHandler } from '../../../../../src/entries/index.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { cases } from '../../../../support/long-form.ts';
import { json, post } from '../../../../support/plain-http.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';

const typeDefs = `
  scalar Big
  type Query {
    version: String
    tags: [String!]!
    books(first: Int, last: Int, limit: Big, page: Page, pages: [Page!], skip: Int): [Book!]!
    found(by: Search = {}): [Book!]!
    picked(by: Found = {}): [Book!]!
    grid(first: Int): [[Book!]!]!
    recent(first: Int = 3): [Book!]!
    part(first: Float, by: Part): [Book!]!
    named(first: String): [Book!]!
    result(first: Int): Result!
    shelf(first: Int, limit: Int): Shelf!
    any: Any
  }
  type Shelf { count: Int! edges: [Edge!]! groups: [Author!]! meta: Meta! }
  type Result { rows(first: Int): [Book!]! sorted(first: Int = 3): [Book!]! }
  type Edge { node: Book! }
  type Meta { owners: [Author!]! }
  type Book { title: String! author: Author! }
  type Author { name: String! books(first: Int): [Book!]! }
  union Any = Book | Author
  input Page { limit: Int first: Int offset: Int inner: Page }
  input Search { text: String page: Found = {} more: [Found!] }
  input Found { first: Int = 40 after: String }
  input Part { limit: Float }
`;

const onShelf = 'fragment S on Shelf { edges { ...E } } fragment E on Edge { node { title } }';

/** The costs of operations, calculated by hand. */
const costs: readonly { readonly query: string; readonly cost: number; readonly variables?: object }[] = [
  { query: '{ version }', cost: 1 },
  { query: '{ __schema { types { name } } }', cost: 0 },
  { query: '{ tags }', cost: 1 },
  { query: '{ a: version b: version }', cost: 2 },
  { query: '{ books { title } }', cost: 1 + 10 },
  { query: '{ books(first: 20) { title author { name } } }', cost: 1 + 20 * 3 },
  { query: '{ books(first: 0) { title } }', cost: 1 + 10 },
  { query: '{ books(first: 2, last: 5) { title } }', cost: 1 + 5 },
  { query: '{ books(first: -1) { title } }', cost: 1 + 10 },
  { query: '{ books(skip: 50) { title } }', cost: 1 + 10 },
  { query: '{ books(limit: "40") { title } }', cost: 1 + 40 },
  { query: '{ books(page: { limit: 12, offset: 100 }) { title } }', cost: 1 + 12 },
  { query: '{ books(first: 20, page: { limit: 12 }) { title } }', cost: 1 + 20 },
  { query: '{ books(first: 2, page: { limit: 12 }) { title } }', cost: 1 + 12 },
  { query: '{ books(first: 2, last: -5) { title } }', cost: 1 + 10 },
  { query: 'query ($n: Big) { books(limit: $n) { title } }', variables: { n: 999.5 }, cost: 1 + 1000 },
  { query: '{ part(first: 999.5) { title } }', cost: 1 + 1000 },
  { query: '{ part(first: 0.2) { title } }', cost: 1 + 1 },
  { query: '{ part(first: 2, by: { limit: 999.5 }) { title } }', cost: 1 + 1000 },
  { query: 'query ($by: Part) { part(by: $by) { title } }', variables: { by: { limit: 999.5 } }, cost: 1 + 1000 },
  { query: '{ named(first: "1000abc") { title } }', cost: 1 + 1000 },
  { query: '{ named(first: "1e3") { title } }', cost: 1 + 1000 },
  { query: '{ named(first: "0x3e8") { title } }', cost: 1 + 1000 },
  { query: '{ named(first: " 999.5") { title } }', cost: 1 + 1000 },
  { query: 'query ($n: String) { named(first: $n) { title } }', variables: { n: '2000 rows' }, cost: 1 + 2000 },
  { query: '{ named(first: "many") { title } }', cost: 1 + 10 },
  { query: '{ result(first: 1) { rows { title } } }', cost: 1 + 1 + 10 },
  { query: '{ result(first: 1) { sorted { title } } }', cost: 1 + 1 + 3 },
  { query: '{ result(first: 100) { rows { title } } }', cost: 1 + 1 + 10 },
  { query: '{ result(first: 1) { rows(first: 4) { title } } }', cost: 1 + 1 + 4 },
  { query: 'query ($n: Big) { books(limit: $n) { title } }', variables: { n: { first: 1 } }, cost: 1 + 10 },
  { query: 'query ($p: Page = { limit: 18 }) { books(page: $p) { title } }', cost: 1 + 18 },
  { query: 'query ($n: Int) { books(page: { first: $n }) { title } }', variables: { n: 80 }, cost: 1 + 80 },
  { query: '{ picked { title } }', cost: 1 + 40 },
  { query: '{ picked(by: { first: 2 }) { title } }', cost: 1 + 10 },
  { query: 'query ($by: Found) { picked(by: $by) { title } }', variables: { by: {} }, cost: 1 + 40 },
  { query: '{ grid(first: 3) { title } }', cost: 1 + 3 * 10 },
  { query: '{ shelf(first: 2) { groups { books(first: 100) { title } } } }', cost: 1 + 1 + 2 * (1 + 100) },
  { query: '{ shelf(first: 0) { groups { books(first: 100) { title } } } }', cost: 1 + 1 + 10 * (1 + 100) },
  { query: '{ recent { title } }', cost: 1 + 3 },
  { query: 'query ($n: Int) { books(first: $n) { title } }', variables: { n: 4 }, cost: 1 + 4 },
  { query: 'query ($n: Int = 6) { books(first: $n) { title } }', cost: 1 + 6 },
  { query: 'query ($n: Int = 6) { books(first: $n) { title } }', variables: { n: 2 }, cost: 1 + 2 },
  { query: 'query ($n: Int) { recent(first: $n) { title } }', cost: 1 + 3 },
  { query: '{ books(first: 2) { author { books(first: 3) { title } } } }', cost: 1 + 2 * (1 + 1 + 3) },
  { query: '{ shelf(first: 50) { count edges { node { title } } } }', cost: 1 + 1 + 1 + 50 * 2 },
  { query: '{ shelf { edges { node { title } } } }', cost: 1 + 1 + 10 * 2 },
  { query: '{ shelf(first: 50) { meta { owners { name } } } }', cost: 1 + 1 + 1 + 10 },
  { query: '{ shelf(first: 2) { meta { owners { name } } edges { node { title } } } }', cost: 1 + 1 + 1 + 10 + 1 + 2 * 2 },
  { query: '{ books(first: 20) { a: __typename title b: __typename } }', cost: 1 + 20 * 3 },
  { query: '{ books(first: 2) { ... @include(if: true) { __typename } author { books(first: 3) { __typename } } } }', cost: 1 + 2 * 6 },
  { query: '{ books(pages: [{ limit: 5 }, { limit: 30 }]) { title } }', cost: 1 + 30 },
  { query: '{ books(page: { inner: { first: 30 } }) { title } }', cost: 1 + 10 },
  { query: 'query ($p: [Page!]) { books(pages: $p) { title } }', variables: { p: [{ inner: { first: 30 } }] }, cost: 1 + 10 },
  { query: 'query ($p: Page) { books(pages: [{ inner: $p }]) { title } }', variables: { p: { limit: 30 } }, cost: 1 + 10 },
  { query: '{ found { title } }', cost: 1 + 10 },
  { query: '{ found(by: { page: { first: 2 } }) { title } }', cost: 1 + 10 },
  { query: `{ shelf(first: 50) { ...S } } ${onShelf}`, cost: 1 + 1 + 50 * 2 },
  { query: `{ a: shelf(first: 5) { ...S } b: shelf(first: 7) { ...S } } ${onShelf}`, cost: 2 + 2 + 12 * 2 },
  { query: '{ any { ... on Book { title } ... on Author { name } } }', cost: 1 + 2 },
  { query: '{ books(first: 2) { title @skip(if: true) } }', cost: 1 + 2 },
  { query: 'query A { version } query B { books { title } }', cost: 1 },
];

describe('maxCost', () => {
  for (const { query, variables, cost } of costs) {
    it(`${query}${variables ? ` with ${JSON.stringify(variables)}` : ''} costs ${cost}`, async () => {
      const body = { query, variables, ...(query.startsWith('query A') ? { operationName: 'A' } : {}) };

      const within = await endpointFor({ maxCost: Math.max(1, cost) }).send(post(body));
      const beyond = await endpointFor({ maxCost: Math.max(1, cost - 1) }).send(post(body));

      assert.equal(within.status, 200, within.body);
      assert.equal(beyond.status, cost > 1 ? 422 : 200);
      if (cost > 1) assert.match(json(beyond).errors[0].message, new RegExp(`at most ${cost - 1}, got one that costs ${cost}\\.$`));
    });
  }

  it('an operation that costs more is GRAPHQL_VALIDATION_FAILED and runs nothing', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxCost: 2 })] });

    const response = await endpoint.send(post({ query: '{ hello books { title } }' }));

    assert.equal(response.status, 422);
    assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.deepEqual(endpoint.runs, []);
  });

  it('is computed for every request: the same document costs more with another variable', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxCost: 10 })] });
    const query = 'query ($n: Int) { books(first: $n) { title } }';

    const few = await endpoint.send(post({ query, variables: { n: 5 } }));
    const many = await endpoint.send(post({ query, variables: { n: 50 } }));

    assert.deepEqual([few.status, many.status], [200, 422]);
  });

  it('holds for each operation of a batch as for a single request', async () => {
    const element = (name: string, first: number): object => ({ query: `{ ${name}: books(first: ${first}) { title } }` });

    const response = await endpointFor({ maxCost: 20 }).send(post([element('a', 19), element('b', 20), element('c', 19)]));

    const [a, b, c] = json(response);
    assert.deepEqual([a.errors, c.errors], [undefined, undefined]);
    assert.match(b.errors[0].message, /at most 20, got one that costs 21\.$/);
  });

  for (const [what, options, query, isAccepted] of [
    ['takes the size of a list without an argument from listSize', { maxCost: 5, listSize: 3 }, '{ books { title } }', true],
    ['takes sizes from the arguments listed in sizeArguments', { sizeArguments: ['skip'] }, '{ books(skip: 50) { title } }', false],
    ['takes the lengths of lists, too', { sizeArguments: ['pages'] }, `{ books(pages: [${'{} '.repeat(50)}]) { title } }`, false],
    ['takes no sizes from other arguments', { sizeArguments: ['skip'] }, '{ books(first: 50) { title } }', true],
    ['takes the default of a page', { pageLimits: { default: 30, max: 99 } }, '{ named { title } }', false],
    [
      'takes the default of a page beside a smaller size in an input',
      { pageLimits: { default: 30, max: 99 } },
      '{ picked(by: { first: 2 }) { title } }',
      false,
    ],
    ['takes the cost of a field from fields', { fields: { 'Query.version': 30 } }, '{ version }', false],
    ['takes a cost of 0 from fields', { fields: { 'Book.title': 0 } }, '{ books(first: 1000) { title } }', true],
    ['is huge for a huge number', {}, '{ books(limit: 1e308) { title } }', false],
    ['is huge for a huge numeric string', {}, '{ books(limit: "1e999") { title } }', false],
    ['is huge for a large numeric string', {}, '{ books(limit: "99999999999") { title } }', false],
  ] as const)
    it(what, async () => {
      const { status, body } = await endpointFor({ maxCost: 20, ...options }).send(post({ query }));

      assert.equal(status, isAccepted ? 200 : 422);
      if (query.includes('limit: ')) assert.match(body, /more than a billion/);
    });

  describe('of a field that is selected through an interface', () => {
    const shop = `
      interface Item { similar: [Item] parts: [Item] }
      type Query { item: Item book: Book pen: Pen }
      type Book implements Item { similar: [Item] parts(first: Int = 1000): [Item] }
      type Pen implements Item { similar: [Item] parts: [Item] }
    `;
    const costOf = async (query: string, fields: Record<string, number> = {}): Promise<number> => {
      const endpoint = createEndpoint({ typeDefs: shop, resolvers: {}, plugins: [limits({ maxCost: 1, fields })], introspection: true });
      const refused = await endpoint.send(post({ query }));
      return Number(/costs (\d+)\./.exec(json(refused).errors[0].message)![1]);
    };

    it('is that of the most expensive object', async () => {
      const fields = { 'Book.similar': 200, 'Pen.similar': 3 };

      assert.equal(await costOf('{ item { similar { __typename } } }', fields), 1 + 200 + 10);
      assert.equal(await costOf('{ book { ... on Item { similar { __typename } } } }', fields), 1 + 200 + 10);
      assert.equal(await costOf('{ item { ...F } } fragment F on Item { similar { __typename } }', fields), 1 + 200 + 10);
      assert.equal(await costOf('{ pen { similar { __typename } } }', fields), 1 + 3 + 10);
    });

    it('is that of the interface for objects without a cost of their own', async () => {
      assert.equal(await costOf('{ pen { similar { __typename } } }', { 'Item.similar': 20 }), 1 + 20 + 10);
      assert.equal(await costOf('{ item { similar { __typename } } }', { 'Item.similar': 20, 'Pen.similar': 5 }), 1 + 20 + 10);
    });

    it('has the default sizes of its objects', async () => {
      assert.ok((await costOf('{ item { parts { __typename } } }')) >= 1 + 1 + 1000);
      assert.equal(await costOf('{ pen { parts { __typename } } }'), 1 + 1 + 10);
    });
  });
});

function endpointFor(options: LimitsOptions): ReturnType<typeof createEndpoint> {
  return createEndpoint({
    typeDefs,
    resolvers: {
      Query: {
        books: () => [],
        recent: () => [],
        tags: () => [],
        picked: () => [],
        grid: () => [],
        part: () => [],
        named: () => [],
        result: () => ({ rows: [], sorted: [] }),
        shelf: () => ({ count: 0, edges: [], groups: [], meta: { owners: [] } }),
      },
    },
    plugins: [limits(options)],
    introspection: true,
  });
}

it('the cost of a random operation is that of the size in the input object that its resolver gets', async () => {
  const random = createRandom(4_306);
  for (let round = 0; round < cases({ short: 80, long: 2_000 }); round++) {
    const literal = (depth: number): string => `{ ${fieldsIn(random, depth).join(', ')} }`;
    const value = (depth: number): object => JSON.parse(`{ ${fieldsIn(random, depth, '"').join(', ')} }`) as object;
    const withDefault = (type: string, given: () => string): string => `${type}${random.chance(0.4) ? ` = ${given()}` : ''}`;
    const size = (): string => String(1 + random.below(99));
    const typeDefs = `
      type Query { books(by: ${withDefault('A', () => literal(2))}): [Book] }
      type Book { title: String }
      input A { first: ${withDefault('Int', size)} inner: ${withDefault('B', () => literal(1))} }
      input B { limit: ${withDefault('Int', size)} inner: ${withDefault('[C]', () => literal(0))} }
      input C { last: ${withDefault('Int', size)} text: String }`;
    const [query, variables] = random.pick([
      () => ['{ books { title } }'] as const,
      () => [`{ books(by: ${literal(2)}) { title } }`] as const,
      () => ['query ($by: A) { books(by: $by) { title } }', random.chance(0.8) ? { by: value(2) } : {}] as const,
      () => [`query ($by: A = ${literal(2)}) { books(by: $by) { title } }`] as const,
      () => ['query ($n: Int) { books(by: { first: $n, inner: { limit: $n } }) { title } }', random.chance(0.5) ? { n: 7 } : {}] as const,
    ])();
    const got: string[] = [];
    const resolvers = { Query: { books: (_: unknown, args: object) => (got.push(JSON.stringify(args)), []) } };
    const run = async (options: object): Promise<string> => {
      const handler = createHandler({ nodeEnv: 'test', typeDefs, resolvers, ...options });
      const headers = { 'content-type': 'application/json' };
      const request = new Request('https://books.example/', { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await handler.fetch(request)).text();
    };

    const ran = await run({});
    const refused = await run({ plugins: [limits({ maxCost: 1 })] });

    assert.equal(ran, '{"data":{"books":[]}}', `${query} in ${typeDefs}`);
    const { by } = JSON.parse(got[0]!) as { by?: { first?: number } | null };
    const cost = 1 + Math.max(10, by?.first ?? 0);
    assert.match(refused, new RegExp(`got one that costs ${cost}\\.`), `${query} ${JSON.stringify(variables)} of ${got[0]} in ${typeDefs}`);
  }
});

/** Some fields of the input object at a depth, or null for them. */
function fieldsIn(random: Random, depth: number, mark = ''): string[] {
  const name = ['last', 'limit', 'first'][depth]!;
  const inner = (): string => (random.chance(0.1) ? 'null' : `{ ${fieldsIn(random, depth - 1, mark).join(', ')} }`);
  return [
    ...(random.chance(0.4) ? [`${mark}${name}${mark}: ${random.chance(0.2) ? 'null' : 1 + random.below(99)}`] : []),
    ...(depth > 0 && random.chance(0.6) ? [`${mark}inner${mark}: ${inner()}`] : []),
  ];
}
