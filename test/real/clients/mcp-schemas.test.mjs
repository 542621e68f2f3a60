// Execution accepts the arguments that the JSON Schemas of tools accept, and answers match the output schemas. Ajv, which official clients use, checks both.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';

import { createHandler } from '../../../dist/esm/index.js';
import { mcp, mcpDefinitions } from '../../../dist/esm/mcp.js';
import { createRandom } from '../../support/random.ts';
import { json, logger } from './served.mjs';

const values = Number(process.env.MCP_VALUES ?? 1_000);

/** Calls tools of a handler. */
function caller(options) {
  const handler = createHandler({ csrfPrevention: true, nodeEnv: 'test', logger, ...options, plugins: [mcp({ name: 'x', version: '1' })] });
  return async (method, params) => {
    const request = new Request('https://example.com/mcp', json({ jsonrpc: '2.0', id: 1, method, params }));
    const { result, error } = await (await handler.fetch(request)).json();
    assert.equal(error, undefined);
    return result;
  };
}

const inputTypes = 'Int Int! Float String Boolean! ID! Sort [Int!] [[String]!]! Filter Filter! [Filter!] Choice Choice! Range'.split(' ');
const inputs = `
  enum Sort { NEWEST OLDEST }
  input Filter { pages: Int!  sort: Sort = NEWEST  and: [Filter!]  not: Filter  by: Choice  range: Range! }
  input Choice @oneOf { author: ID  title: String  filter: Filter }
  input Range { from: Float = 1.5  to: Float }
`;

for (const kind of ['query', 'mutation']) {
  test(`arguments of a ${kind}: schema and execution accept the same`, async () => {
    const fields = inputTypes.map((type, at) => `take${at}(v: ${type}): Boolean`).join(' ');
    const documents = Object.fromEntries(
      inputTypes.map((type, at) => [`t${at}`, `${kind} Take${at}($v: ${type}) @mcpTool(description: "x") { take${at}(v: $v) }`]),
    );
    const resolver = Object.fromEntries(inputTypes.map((_, at) => [`take${at}`, () => true]));
    const call = caller({
      typeDefs: [mcpDefinitions, `type Query { ${fields} } type Mutation { ${fields} } ${inputs}`],
      resolvers: { Query: resolver, Mutation: resolver },
      trustedDocuments: { documents },
    });
    const { tools } = await call('tools/list');
    const random = createRandom(7);
    let accepted = 0;
    for (const { name, inputSchema } of tools) {
      const draft7 = new Ajv({ strict: false }).compile(inputSchema);
      const draft2020 = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(inputSchema);
      const type = inputTypes[Number(name.slice(4))];
      for (let at = 0; at < values; at++) {
        const args = random.next() < 0.05 ? {} : { v: randomInput(random, type, 3) };
        // To a query, null means the same as no value, so the schemas of queries omit null.
        if (kind === 'query' && args.v === null) continue;
        const isAccepted = draft2020(args);
        assert.equal(draft7(args), isAccepted, `${type}: ${JSON.stringify(args)}`);
        const { isError = false, content } = await call('tools/call', { name, arguments: args });
        // Execution also accepts an integer as an ID, and one item in place of a list; the schemas accept only the clearer form.
        const errors = draft2020.errors ?? [];
        const expects = (type) => errors.some(({ keyword, params }) => keyword === 'type' && type.test(params.type));
        // Ajv adds an error for each other way to write a nullable input object.
        const isLenient =
          !isAccepted &&
          expects(/string|array/) &&
          errors.every(({ keyword, params }) => keyword === 'anyOf' || (keyword === 'type' && /string|array|null/.test(params.type)));
        // An input object inside itself is any object in a schema.
        const isInsideItself = isAccepted && /\b(?:and|not|by|filter)\b/.test(content[0].text);
        if (!isLenient && !isInsideItself)
          assert.equal(!isError, isAccepted, `${type}: ${JSON.stringify(args)} ${content[0].text} ${JSON.stringify(errors)}`);
        if (isAccepted) accepted++;
      }
    }
    assert.ok(accepted > (tools.length * values) / 4, `${accepted}`);
  });
}

/** A value that often fits the type. */
function randomInput(random, type, depth) {
  if (random.next() < 0.08) return random.pick([null, null, 'x', 1.5, true, {}, 2 ** 31]);
  const nullable = type.replace(/!$/, '');
  if (nullable.startsWith('[')) {
    if (random.next() < 0.05) return {};
    return Array.from({ length: Math.floor(random.next() * 3) }, () => randomInput(random, nullable.slice(1, -1), depth - 1));
  }
  const object = (fields) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([key, field]) =>
        random.next() < (field.endsWith('!') ? 0.95 : 0.4) && depth > 0 ? [[key, randomInput(random, field, depth - 1)]] : [],
      ),
    );
  const kinds = {
    Int: () => Math.floor(random.next() * 2 ** 33) - 2 ** 32,
    Float: () => random.next() * 100,
    String: () => random.pick(['', 'a', 'ü']),
    Boolean: () => random.next() < 0.5,
    ID: () => random.pick(['1', 'x']),
    Sort: () => random.pick(['NEWEST', 'OLDEST', 'newest']),
    Range: () => object({ from: 'Float', to: 'Float', ...(random.next() < 0.05 && { more: 'Int' }) }),
    Choice: () =>
      object(random.pick([{ author: 'ID!' }, { title: 'String!' }, { filter: 'Filter!' }, { author: 'ID', title: 'String' }, {}])),
    Filter: () => object({ pages: 'Int!', sort: 'Sort', and: '[Filter!]', not: 'Filter', by: 'Choice', range: 'Range!' }),
  };
  return kinds[nullable]();
}

test('answers match the output schemas', async () => {
  const random = createRandom(11);
  const maybe = (make) => (random.next() < 0.3 ? null : make());
  const thing = (depth) => (random.next() < 0.5 ? book(depth) : author(depth));
  const author = (depth) => ({ __typename: 'Author', name: 'A', born: maybe(() => 1_800), wrote: depth > 0 ? [book(depth - 1)] : [] });
  const book = (depth) => ({
    __typename: 'Book',
    id: random.pick(['1', 2]),
    title: 'B',
    sort: random.pick(['NEWEST', 'OLDEST', null]),
    price: maybe(() => random.next() * 10),
    by: maybe(() => author(depth - 1)),
    grid: maybe(() => [[1, null], null, []]),
    any: random.pick([1, 'x', { a: [] }, null]),
  });
  const typeDefs = `
    type Query { things: [Thing!]! node: Named one: Book }
    interface Named { name: String }
    type Author implements Named { name: String born: Int wrote: [Book!]! }
    type Book { id: ID! title: String! sort: Sort price: Float by: Author grid: [[Int]] any: Any }
    union Thing = Book | Author
    enum Sort { NEWEST OLDEST }
    scalar Any`;
  const call = caller({
    typeDefs: [mcpDefinitions, typeDefs],
    resolvers: {
      Query: {
        things: () => Array.from({ length: Math.floor(random.next() * 4) }, () => thing(2)),
        node: () => maybe(() => author(1)),
        one: () => maybe(() => book(2)),
      },
    },
    trustedDocuments: {
      documents: {
        a: `query A($more: Boolean! = false, $less: Boolean! = true) @mcpTool(description: "x") {
          things { ... on Book { id t: title sort price any ...Rest @include(if: $more) } ... on Named { __typename name @skip(if: $less) } }
          one { by { wrote { id } } by { born } grid __typename }
        }
        fragment Rest on Book { grid id by { name ...Born } }
        fragment Born on Author { born }`,
        b: 'query B @mcpTool(description: "x") { node { name ... on Author { wrote { title } } } never: one @skip(if: true) { id } things { __typename } }',
      },
    },
  });
  const { tools } = await call('tools/list');
  for (const { name, outputSchema } of tools) {
    assert.equal(outputSchema.type, 'object');
    const compiled = [new Ajv({ strict: false }).compile(outputSchema), new Ajv2020({ strict: false }).compile(outputSchema)];
    for (let at = 0; at < values; at++) {
      const args = name === 'a' && random.next() < 0.5 ? { more: random.next() < 0.5, less: random.next() < 0.5 } : {};
      const { structuredContent, isError } = await call('tools/call', { name, arguments: args });
      assert.equal(isError, undefined);
      for (const validate of compiled)
        assert.ok(
          validate(structuredContent),
          `${JSON.stringify(structuredContent)} ${JSON.stringify(validate.errors)} ${JSON.stringify(outputSchema)}`,
        );
    }
  }
});
