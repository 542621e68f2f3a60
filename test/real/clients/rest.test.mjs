// The OpenAPI documents of rest() are valid, answers match them, and a client that is generated from one can use the routes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import createClient from 'openapi-fetch';

import { createHandler } from '../../../dist/esm/index.js';
import { rest } from '../../../dist/esm/rest.js';
import { createRandom } from '../../support/random.ts';
import { logger, startServer } from './served.mjs';

const schemas = Number(process.env.REST_SCHEMAS ?? 300);

const leaves = ['Int', 'Float', 'String', 'Boolean', 'ID', 'Kind', 'Anything', 'Moment'];
const composites = ['A', 'B', 'C', 'Node', 'Any'];

/** Types of fields by object, interface and name. Interface fields are in all objects. */
function randomTypes(random) {
  const wrapped = (name) => {
    const item = random.chance(0.4) ? `${name}!` : name;
    const list = random.chance(0.3) ? `[${item}]` : item;
    return list.startsWith('[') && random.chance(0.4) ? `${list}!` : list;
  };
  const field = (at) => [`f${at}`, wrapped(random.pick(at < 3 ? leaves : composites))];
  const shared = Object.fromEntries([0, 3].map((at) => field(at)));
  const own = () => ({ id: 'ID!', ...shared, ...Object.fromEntries([1, 2, 4, 5].map((at) => field(at))) });
  // Fields of one name have one type, so that every selection is valid.
  const all = own();
  const some = () => Object.fromEntries(Object.entries(all).filter(([name]) => name in shared || name === 'id' || random.chance(0.7)));
  return { Node: { id: 'ID!', ...shared }, A: some(), B: some(), C: some() };
}

const nameOf = (type) => type.replaceAll(/[[\]!]/g, '');

function typeDefsOf(types, args) {
  const fields = (all) =>
    Object.entries(all)
      .map(([name, type]) => `${name}: ${type}`)
      .join(' ');
  return `
    enum Kind { "The first." ONE TWO @deprecated }
    scalar Anything
    scalar Moment @specifiedBy(url: "https://scalars.graphql.org/andimarek/date-time.html")
    input In { "A text." text: String! = "x" all: [In!] kind: Kind one: Choice }
    input Choice @oneOf { a: Int b: String }
    interface Node { ${fields(types.Node)} }
    union Any = A | B | C
    ${['A', 'B', 'C'].map((name) => `"The type ${name}." type ${name} implements Node { ${fields(types[name])} }`).join('\n')}
    type Query { a(${args}): A b(${args}): [Any!] c(${args}): Node! text: String moment: Moment! }
    type Mutation { a(${args}): A c(${args}): Node! }
  `;
}

function randomSelection(random, types, type, fragments, depth) {
  const known = types[type] ?? {};
  const condition = () => random.pick(['', '', '', ' @include(if: $flag)', ' @skip(if: $flag)']);
  const parts = Object.keys(known)
    .filter(() => random.chance(0.5))
    .flatMap((name) => {
      const below = nameOf(known[name]);
      const alias = random.chance(0.2) ? `x${name}: ` : '';
      if (leaves.includes(below)) return `${alias}${name}${condition()}`;
      const one = () => `${alias}${name}${condition()} ${randomSelection(random, types, below, fragments, depth - 1)}`;
      if (depth === 0) return [];
      return random.chance(0.3) ? [one(), one()] : one();
    });
  for (const on of composites) {
    if (depth === 0 || random.chance(0.75) || !(on === type || ['Node', 'Any'].includes(type) || ['Node', 'Any'].includes(on))) continue;
    // A union has no fields, so it needs a type inside.
    const selection = randomSelection(random, types, on, fragments, depth - 1);
    if (random.chance(0.5)) parts.push(`... on ${on}${condition()} ${selection}`);
    else {
      const name = random.pick(['F', 'Problem', 'A', `F${fragments.length}`]);
      const free = fragments.some((one) => one.startsWith(`fragment ${name} `)) ? `G${fragments.length}` : name;
      fragments.push(`fragment ${free} on ${on} ${selection}`);
      parts.push(`...${free}${condition()}`);
    }
  }
  if (random.chance(0.3) || parts.length === 0) parts.push('__typename');
  return `{ ${parts.join(' ')} }`;
}

const given = 'id: ID, in: In, kind: Kind, ids: [ID!], n: Int, flag: Boolean';

function randomDocument(random, types, at) {
  const fragments = [];
  const isQuery = random.chance(0.7);
  const field = random.pick(isQuery ? ['a', 'b', 'c'] : ['a', 'c']);
  const type = { a: 'A', b: 'Any', c: 'Node' }[field];
  const variables = '$flag: Boolean! = true, $id: ID!, $in: In, "A kind." $kind: Kind = ONE, $ids: [ID!], $n: Int';
  const select = () =>
    `${field}(id: $id, in: $in, kind: $kind, ids: $ids, n: $n, flag: $flag) ${randomSelection(random, types, type, fragments, 2)}`;
  const parts = [select(), ...(random.chance(0.3) ? [select()] : []), ...(isQuery && random.chance(0.3) ? ['moment text'] : [])];
  const method = isQuery ? random.pick(['GET', 'GET', 'POST']) : random.pick(['POST', 'PUT', 'PATCH', 'DELETE']);
  const status = random.chance(0.2) ? ', status: 202' : '';
  const http = `@http(method: ${method}, route: "/r${at}/{id}", queryParameters: ["flag", "ids"]${status})`;
  const body = method === 'PUT' || method === 'PATCH' ? ' @body' : '';
  const text = `"Route ${at}." ${isQuery ? 'query' : 'mutation'} R${random.below(4)}(${variables.replace('$in: In', `$in: In${body}`)}) ${http} { ${parts.join(' ')} } ${fragments.join(' ')}`;
  return { text, method, path: `/r${at}/{id}` };
}

/** Values of the declared types, by a resolver for each field. */
function resolversOf(random, types) {
  const leaf = {
    Int: () => random.below(1000) - 500,
    Float: () => random.next() * 10,
    String: () => 'text',
    Boolean: () => random.chance(0.5),
    ID: () => String(random.below(9)),
    Kind: () => random.pick(['ONE', 'TWO']),
    Anything: () => random.pick([1, 'x', null, { a: [1] }]),
    Moment: () => '2026-11-28T20:00:00Z',
  };
  const value = (type) => {
    if (type.endsWith('!')) return nonNull(type.slice(0, -1));
    return random.chance(0.3) ? null : nonNull(type);
  };
  const nonNull = (type) => {
    if (type.startsWith('[')) return Array.from({ length: random.below(3) }, () => value(type.slice(1, -1)));
    if (type === 'Anything') return random.pick([1, 'x', { a: [1] }]);
    return leaf[type]?.() ?? { __typename: ['Node', 'Any'].includes(type) ? random.pick(['A', 'B', 'C']) : type };
  };
  const objects = ['A', 'B', 'C'].map((name) => [
    name,
    Object.fromEntries(Object.entries(types[name]).map(([field, type]) => [field, () => value(type)])),
  ]);
  const roots = { a: () => value('A'), b: () => value('[Any!]'), c: () => value('Node!') };
  return {
    ...Object.fromEntries(objects),
    Query: { ...roots, text: () => value('String'), moment: () => value('Moment!') },
    Mutation: { a: roots.a, c: roots.c },
  };
}

test(`the OpenAPI documents of ${schemas} random schemas are valid, and every answer matches them`, async () => {
  const random = createRandom(70);
  const counts = { answers: 0, problems: 0, required: 0 };
  for (let at = 0; at < schemas; at++) {
    const types = randomTypes(random);
    const documents = Array.from({ length: 5 }, (_, number) => randomDocument(random, types, number));
    const handler = createHandler({
      nodeEnv: 'test',
      logger: { ...logger, error: (...all) => assert.fail(String(all[1]?.message ?? all[0])) },
      typeDefs: typeDefsOf(types, given),
      resolvers: resolversOf(random, types),
      trustedDocuments: { documents: Object.fromEntries(documents.map(({ text }, number) => [`d${number}`, text])) },
      plugins: [rest()],
    });
    const openapi = await (await handler.fetch(new Request('https://shop.example/rest/openapi.json'))).json();
    const about = `${documents.map(({ text }) => text).join('\n')}\n${JSON.stringify(types)}`;
    const validator = new Validator();
    const validity = await validator.validate(structuredClone(openapi));
    assert.deepEqual(validity.errors, undefined, about);
    assert.equal(validator.version, '3.1');
    const references = new Set([...JSON.stringify(openapi).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));
    assert.deepEqual(Object.keys(openapi.components.schemas), [...references].toSorted(), about);
    counts.required += JSON.stringify(openapi).split('"required"').length;

    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(openapi, 'openapi');
    for (const { method, path } of documents) {
      const { responses } = openapi.paths[path][method.toLowerCase()];
      for (let number = 0; number < 6; number++) {
        const flag = random.chance(0.5);
        const isJSON = method === 'POST' || method === 'PUT' || method === 'PATCH';
        const request = new Request(`https://shop.example/rest${path.replace('{id}', '1')}?flag=${flag}&ids=a&ids=b`, {
          method,
          ...(isJSON && { headers: { 'content-type': 'application/json' }, body: method === 'POST' ? '{"n":1}' : '{"text":"x"}' }),
        });
        const response = await handler.fetch(request);
        const body = await response.json();
        const key = String(response.status) in responses ? String(response.status) : 'default';
        const isProblem = response.headers.get('content-type') === 'application/problem+json';
        counts[isProblem ? 'problems' : 'answers']++;
        // Fields fail where a value cannot be null.
        const pointer = isProblem
          ? 'openapi#/components/schemas/' +
            openapi.components.responses.Problem.content['application/problem+json'].schema.$ref.split('/').at(-1)
          : `openapi#/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method.toLowerCase()}/responses/${key}/content/application~1json/schema`;
        assert.ok(isProblem || key !== 'default', `${response.status} ${about}`);
        const validate = ajv.getSchema(pointer) ?? assert.fail(pointer);
        assert.ok(
          validate(body),
          `${JSON.stringify(validate.errors)}\n${JSON.stringify(body)}\n${JSON.stringify(openapi.paths[path], null, 1)}\n${about}`,
        );
      }
    }
  }
  assert.ok(counts.answers > schemas * 10 && counts.required > schemas * 5, JSON.stringify(counts));
});

test('a client of openapi-fetch, with the types that openapi-typescript writes, uses the routes', async (t) => {
  const server = await startServer({
    typeDefs: `
      type Query { book(id: ID!): Book books(first: Int! = 10, tags: [String!]): [Book!]! }
      type Mutation { addBook(book: BookInput!): Book start: Boolean! }
      type Book { id: ID! title: String! }
      input BookInput { id: ID title: String! }
    `,
    resolvers: {
      Query: {
        book: (_, { id }) => (id === 'none' ? null : { id, title: `Book ${id}` }),
        books: (_, { first, tags = [] }) => Array.from({ length: first }, (_none, at) => ({ id: String(at), title: tags.join() })),
      },
      Mutation: { addBook: (_, { book }) => ({ id: 'new', ...book }), start: () => true },
    },
    trustedDocuments: {
      documents: {
        book: 'query GetBook($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) { ...BookModel } } fragment BookModel on Book { id title }',
        books:
          'query ListBooks($first: Int! = 10, $tags: [String!]) @http(method: GET, route: "/books") { books(first: $first, tags: $tags) { id title } }',
        add: 'mutation AddBook($book: BookInput! @body) @http(method: POST, route: "/books", status: 201) { addBook(book: $book) { id title } }',
        put: 'mutation PutBook($book: BookInput! @body) @http(method: PUT, route: "/books/{id:$book.id}") { addBook(book: $book) { id title } }',
        start: 'mutation Start @http(method: POST, route: "/start") { start }',
      },
    },
    plugins: [rest({ info: { title: 'Books', version: '1.0.0' } })],
  });
  const directory = mkdtempSync(join(import.meta.dirname, 'generated-'));
  t.after(async () => {
    rmSync(directory, { recursive: true });
    await server.close();
  });
  const baseUrl = new URL('/graphql/rest', server.url).href;
  const openapi = await (await fetch(`${baseUrl}/openapi.json`)).text();
  writeFileSync(join(directory, 'openapi.json'), openapi);
  const bin = (name) => join(import.meta.dirname, 'node_modules', '.bin', name);
  execFileSync(bin('openapi-typescript'), [join(directory, 'openapi.json'), '-o', join(directory, 'books.d.ts')], { stdio: 'pipe' });
  writeFileSync(
    join(directory, 'use.ts'),
    `import createClient from 'openapi-fetch';
     import type { components, paths } from './books.d.ts';
     const client = createClient<paths>({ baseUrl: '' });
     const { data, error } = await client.GET('/books/{id}', { params: { path: { id: '1' } } });
     const title: string = data!.title;
     const model: components['schemas']['BookModel'] = data!;
     const detail: string = error!.detail;
     await client.GET('/books', { params: { query: { tags: ['a'] } } });
     const added = await client.POST('/books', { body: { title: 'x' } });
     const id: string | undefined = added.data?.id;
     await client.PUT('/books/{id}', { params: { path: { id: '1' } }, body: { title: 'x' } });
     await client.POST('/start', { body: {} });
     // @ts-expect-error: a body needs a title
     await client.POST('/books', { body: {} });
     // @ts-expect-error: no such parameter
     await client.GET('/books', { params: { query: { tag: 'a' } } });
     export { title, model, detail, id };`,
  );
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2022 --allowImportingTsExtensions'.split(' ');
  execFileSync(bin('tsc'), [...flags, join(directory, 'use.ts')], { stdio: 'inherit' });

  const client = createClient({ baseUrl });
  const one = await client.GET('/books/{id}', { params: { path: { id: 'a/b 100%' } } });
  assert.deepEqual(one.data, { id: 'a/b 100%', title: 'Book a/b 100%' });
  const none = await client.GET('/books/{id}', { params: { path: { id: 'none' } } });
  assert.deepEqual([none.response.status, none.error.status, none.error.code], [404, 404, 'NOT_FOUND']);
  const many = await client.GET('/books', { params: { query: { first: 1, tags: ['a', 'b'] } } });
  assert.deepEqual(many.data, [{ id: '0', title: 'a,b' }]);
  const added = await client.POST('/books', { body: { title: 'New' } });
  assert.deepEqual([added.response.status, added.data], [201, { id: 'new', title: 'New' }]);
  const put = await client.PUT('/books/{id}', { params: { path: { id: '7' } }, body: { title: 'Put' } });
  assert.deepEqual(put.data, { id: '7', title: 'Put' });
  assert.equal((await client.POST('/start', { body: {} })).data, true);
});
