import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { authorization } from '../../../../src/entries/authorization.ts';
import { edge } from '../../../../src/entries/edge.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../../../src/entries/idempotency.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { mcp } from '../../../../src/entries/mcp.ts';
import { rest } from '../../../../src/entries/rest.ts';
import type { RESTOptions } from '../../../../src/entries/rest.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { patternOf, rowsOf } from '../../../support/text-table.ts';

const typeDefs = /* GraphQL */ `
  directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean, scope: CacheControlScope) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum CacheControlScope {
    PUBLIC
    PRIVATE
  }
  enum Genre {
    NOVEL
    POEM
  }
  scalar Count @specifiedBy(url: "https://scalars.graphql.org/chillicream/short.html")
  scalar Anything
  input Price {
    min: Float
    max: Float
  }
  input Filter {
    price: Price
    genre: Genre
  }
  input BookInput {
    id: ID
    title: String!
    price: Price
  }
  type Book @cacheControl(inheritMaxAge: true) {
    id: ID!
    title: String
    secret: String
  }
  type Query {
    book(id: ID!): Book @cacheControl(maxAge: 60)
    echo(id: ID, int: Int, float: Float, flag: Boolean, genre: Genre, count: Count, any: Anything, ids: [ID!], filter: Filter): String!
    fail(code: String!, status: Int): Int
    partial: Partial!
    again: Query!
  }
  type Partial {
    good: Int
    bad: Int
  }
  type Mutation {
    addBook(book: BookInput!): Book
    rename(id: ID!, title: String): Book
    remove(id: ID!): Boolean
  }
`;

const documents = {
  book: 'query Book($id: ID!) @http(method: GET, route: "/books/{id}") { book(id: $id) { ...BookModel } } fragment BookModel on Book { id title }',
  newest: 'query Newest @http(method: GET, route: "/books/newest") { book(id: "9") { id } }',
  both: 'query Both($flag: Boolean = true) @http(method: GET, route: "/both") { a: book(id: 1) { id } b: book(id: 2) @include(if: $flag) { id } }',
  maybe: 'query Maybe($flag: Boolean!) @http(method: GET, route: "/maybe") { book(id: 1) @include(if: $flag) { id } }',
  echo: `query Echo($id: ID, $int: Int, $float: Float, $flag: Boolean, $genre: Genre, $count: Count, $any: Anything, $ids: [ID!], $filter: Filter)
    @http(method: GET, route: "/echo") {
    echo(id: $id, int: $int, float: $float, flag: $flag, genre: $genre, count: $count, any: $any, ids: $ids, filter: $filter)
  }`,
  prices: `query Prices($filter: Filter) @http(method: GET, route: "/prices/{genre:$filter.genre}", queryParameters: ["from:$filter.price.min"]) {
    echo(filter: $filter)
  }`,
  search: 'query Search($filter: Filter!) @http(method: POST, route: "/search") { echo(filter: $filter) }',
  add: 'mutation Add($book: BookInput! @body) @http(method: POST, route: "/books", status: 201) { addBook(book: $book) { id title } }',
  put: 'mutation Put($book: BookInput! @body) @http(method: PUT, route: "/books/{id:$book.id}") { addBook(book: $book) { id title } }',
  price:
    'mutation Price($book: BookInput! @body) @http(method: PUT, route: "/prices/{min:$book.price.min}") { addBook(book: $book) { title } }',
  rename:
    'mutation Rename($id: ID!, $title: String) @http(method: PATCH, route: "/books/{id}") { rename(id: $id, title: $title) { id title } }',
  touch: 'mutation Touch($id: ID!) @http(method: PUT, route: "/touched/{id}") { rename(id: $id) { id } }',
  remove: 'mutation Remove($id: ID!) @http(method: DELETE, route: "/books/{id}", status: 204) { remove(id: $id) }',
  start: 'mutation Start @http(method: POST, route: "/start") { remove(id: 1) }',
  fail: 'query Fail($code: String!, $status: Int) @http(method: GET, route: "/fail/{code}") { fail(code: $code, status: $status) }',
  partial: 'query Half @http(method: GET, route: "/partial") { partial { good bad } }',
  unrouted: '{ book(id: 1) { secret } }',
};

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function serve(options: RESTOptions = {}, more: object = {}): (method: string, path: string, sent?: Sent) => Promise<Answer> {
  const handler = createHandler({
    nodeEnv: 'production',
    csrfPrevention: true,
    logger: recordingLogger()[0],
    typeDefs,
    resolvers: {
      Query: {
        book: (_: unknown, { id }: { id: string }) => (id === 'none' ? null : { id, title: `Book ${id}` }),
        echo: (_: unknown, values: object) => JSON.stringify(values),
        fail: (_: unknown, { code, status }: { code: string; status?: number }) => {
          throw new GraphQLError('Failed.', { extensions: { code, ...(status !== undefined && { http: { status } }) } });
        },
        partial: () => ({
          good: 1,
          bad: () => {
            throw new Error('secret');
          },
        }),
      },
      Mutation: {
        addBook: (_: unknown, { book }: { book: { id?: string } }) => ({ id: 'new', ...book, title: JSON.stringify(book) }),
        rename: (_: unknown, { id, title }: { id: string; title?: string }) => ({ id, title: title ?? null }),
        remove: () => null,
      },
    },
    trustedDocuments: { only: true, documents },
    plugins: [edge({ cdn: 'netlify' }), rest(options), mcp({ name: 'shop', version: '1' })],
    ...more,
  } as never);
  return async (method, path, { body, headers = {} } = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = text === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...type, ...headers }, ...(text !== undefined && { body: text }) };
    const response = await (handler(new Request(`https://shop.example${path}`, init), {} as never) as Promise<Response>);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const send = serve({ otherParameters: ['utm_source'] });

test('a path of many segments is read once, however often it has the path of rest()', async (t) => {
  const decode = t.mock.method(globalThis, 'decodeURIComponent');
  const before = decode.mock.callCount();

  const answer = await send('GET', '/rest'.repeat(300));

  assert.deepEqual([answer.status, decode.mock.callCount() - before < 3_000], [404, true]);
});

describe('a request is answered by its document:', () => {
  const rows = rowsOf(String.raw`
    the value of the only response key is the answer → GET /rest/books/7 → 200 {"id":"7","title":"Book 7"}
    a literal segment comes before a parameter → GET /rest/books/newest → 200 {"id":"9"}
    a trailing slash is the same route → GET /rest/books/7/ → 200 {"id":"7","title":"Book 7"}
    the routes may be anywhere in the path → GET /prod/rest/rest/books/7 → 200 {"id":"7","title":"Book 7"}
    segments are split, then decoded → GET /rest/books/a%2Fb%20c → 200 {"id":"a/b c","title":"Book a/b c"}
    a percent sign is decoded once → GET /rest/books/100%2525 → 200 {"id":"100%25","title":"Book 100%25"}
    several response keys are an object → GET /rest/both → 200 {"a":{"id":"1"},"b":{"id":"2"}}
    a response key with a condition is in an object → GET /rest/maybe?flag=false → 200 {}
    a parameter that is not given is not a variable → GET /rest/echo → 200 "{}"
    an empty parameter is the empty text → GET /rest/echo?id= → 200 "{\"id\":\"\"}"
    IDs stay as they are → GET /rest/echo?id=007 → 200 "{\"id\":\"007\"}"
    numbers and booleans are read → GET /rest/echo?int=-2&float=1e3&flag=true → 200 "{\"int\":-2,\"float\":1000,\"flag\":true}"
    an enum is its name → GET /rest/echo?genre=POEM → 200 "{\"genre\":\"POEM\"}"
    a scalar is read as its specification says → GET /rest/echo?count=3&any=3 → 200 "{\"count\":3,\"any\":\"3\"}"
    repeated keys are a list → GET /rest/echo?ids=a&ids=b → 200 "{\"ids\":[\"a\",\"b\"]}"
    one key is a list of one → GET /rest/echo?ids=a → 200 "{\"ids\":[\"a\"]}"
    an input object is JSON → GET /rest/echo?filter=%7B%22genre%22%3A%22POEM%22%7D → 200 "{\"filter\":{\"genre\":\"POEM\"}}"
    members come from path and query → GET /rest/prices/NOVEL?from=2.5 → 200 "{\"filter\":{\"price\":{\"min\":2.5},\"genre\":\"NOVEL\"}}"
    listed other parameters go to no variable → GET /rest/echo?utm_source=mail&id=1 → 200 "{\"id\":\"1\"}"
    a query may be a POST with a body → POST /rest/search {"filter":{"genre":"POEM"}} → 200 "{\"filter\":{\"genre\":\"POEM\"}}"
    the body is the variable with @body → POST /rest/books {"title":"T"} → 201 {"id":"new","title":"{\"title\":\"T\"}"}
    the path replaces a member of the body → PUT /rest/books/9 {"id":"1","title":"T"} → 200 {"id":"9","title":"{\"id\":\"9\",\"title\":\"T\"}"}
    at any depth → PUT /rest/prices/2 {"title":"T","price":{"min":1,"max":3}} → 200 {"title":"{\"title\":\"T\",\"price\":{\"min\":2,\"max\":3}}"}
    members of the body are variables → PATCH /rest/books/7 {"title":"New"} → 200 {"id":"7","title":"New"}
    a PUT whose route reads no body needs none → PUT /rest/touched/7 → 200 {"id":"7"}
    a status without content has no body → DELETE /rest/books/7 → 204
    null is a value for methods other than GET → POST /rest/start {} → 200 null
    a route whose variables all come from the path takes an empty body → PUT /rest/touched/7 {} → 200 {"id":"7"}
  `);
  for (const [title, request = '', expected = ''] of rows)
    test(title!, async () => {
      const answer = await sendLine(request);

      assert.equal(`${answer.status} ${answer.text}`.trim(), expected);
      if (answer.text !== '') assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    });
});

/** Sends a method, a path, and a body if there is one. */
async function sendLine(request: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const [method = '', path = '', ...body] = request.split(' ');
  return send(method, path, { headers, ...(body.length > 0 && { body: body.join(' ') }) });
}

describe('a request that cannot be answered is a problem:', () => {
  const rows = rowsOf(`
    GET of nothing → GET /rest/books/none → 404 Expected an existing resource, found none.
    a path without route → GET /rest/authors → 404 Expected the path of a route below "/rest". If [...] set the option path of rest().
    an empty segment → GET /rest/books//7 → 404 Expected the path of a route[...]
    another method → PATCH /rest/both → 405 Expected GET or HEAD, got PATCH.
    a malformed path → GET /rest/books/%E0%A4%A → 400 Expected the parameter "id" of the path to be percent-encoded UTF-8.
    a malformed query string → GET /rest/echo?id=%E0%A4%A → 400 Expected the query string to be percent-encoded UTF-8.
    a key twice → GET /rest/echo?id=1&id=2 → 400 Expected the parameter "id" once, got it 2 times.
    an unknown key → GET /rest/both?utm=1 → 400 Expected "flag" in the query string, got "utm".
    an input object that is no JSON → GET /rest/echo?filter=x → 400 Expected the parameter "filter" to be JSON, got a text that is none.
    a text in place of a number → GET /rest/echo?int=two → 422 Variable "$int" [...] Int cannot represent non-integer value: "two"
    a missing parameter → GET /rest/maybe → 422 Variable "$flag" [...]
    a POST without a type → POST /rest/start → 415 Expected content-type application/json, got none that is valid.
    a POST that a form can send → POST /rest/start {} → 415 Expected content-type application/json, got text/plain. → content-type → text/plain
    a body that does not parse → POST /rest/books { → 400 Expected the body to be JSON, but it does not parse.
    a body that is no object → PATCH /rest/books/7 [] → 400 Expected a body that is an object with "title", got an array of 0.
    an unknown member → PATCH /rest/books/7 {"id":1} → 400 Expected "title" in the body, got "id".
    a member where there is no variable → POST /rest/start {"id":1} → 400 Expected no member in the body, got "id".
    a member of a body that the route does not read → PUT /rest/touched/7 {"id":1} → 400 Expected no member in the body, got "id".
    a malformed path before a malformed body → PUT /rest/books/%E0%A4%A { → 400 Expected the parameter "id" of the path to be percent-encoded UTF-8.
    an unknown key before a malformed body → PUT /rest/books/7?x=1 { → 400 Expected no parameter in the query string, got "x".
    a client that accepts no JSON → GET /rest/books/7 → 406 Expected Accept to allow application/json or application/problem+json. → accept → text/html
    an error with a known code → GET /rest/fail/NOT_FOUND → 404 Failed.
    an error with another code → GET /rest/fail/TEAPOT → 500 Failed.
    an error with a status → GET /rest/fail/TEAPOT?status=418 → 418 Failed.
    an error without a code → GET /rest/partial → 500 Internal server error
  `);
  for (const [title, request = '', expected = '', field, value = ''] of rows)
    test(title!, async () => {
      const answer = await sendLine(request, field === undefined ? {} : { [field]: value });
      const problem = JSON.parse(answer.text) as Record<string, unknown>;

      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer.headers.get('cache-control'), 'private, no-store');
      assert.deepEqual([problem['type'], problem['status']], ['about:blank', answer.status]);
      assert.match(`${answer.status} ${String(problem['detail'])}`, new RegExp(`^${patternOf(expected).source}$`));
    });

  test('with the errors and the data of the result', async () => {
    const { text } = await send('GET', '/rest/partial');
    const { errors, data, code } = JSON.parse(text) as { errors: { path: unknown }[]; data: unknown; code: unknown };

    assert.deepEqual(data, { partial: { good: 1, bad: null } });
    assert.deepEqual([code, errors[0]!.path], ['INTERNAL_SERVER_ERROR', ['partial', 'bad']]);
  });

  test('401 asks for a token', async () => {
    const { status, headers } = await send('GET', '/rest/fail/UNAUTHENTICATED');

    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
  });
});

test('a response key whose type condition never holds is null', async () => {
  const types = `
    interface Node { id: ID }
    type Query implements Node { id: ID }
    type Mutation implements Node { id: ID }
    type Book implements Node { id: ID }`;
  const set = '{ ... on Node { ... on Book { id } } }';
  const given = {
    found: `query Found @http(method: GET, route: "/found") ${set}`,
    written: `mutation Written @http(method: POST, route: "/written") ${set}`,
  };
  const call = serve({}, { typeDefs: types, resolvers: {}, trustedDocuments: { documents: given } });
  const post = await call('POST', '/rest/written', { headers: { 'content-type': 'application/json' } });

  assert.deepEqual([(await call('GET', '/rest/found')).status, post.status, post.text], [404, 200, 'null']);
});

test('the path of the option alone, and every other path, is the door for GraphQL', async () => {
  for (const path of ['/rest', '/rest/', '/graphql', '/restless/books/7'])
    assert.equal(JSON.parse((await send('POST', path, { body: { documentId: 'unrouted' } })).text).data.book.secret, null, path);
});

test('OPTIONS and HEAD follow from the routes of the path', async () => {
  const options = await send('OPTIONS', '/rest/books/7');
  const head = await send('HEAD', '/rest/books/7');

  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS']);
  assert.deepEqual([head.status, head.text, head.headers.get('cache-control')], [200, '', 'private, no-store']);
});

test('a GET is public as its fields allow, and 304 for a client that has it', async () => {
  const first = await send('GET', '/rest/books/7');
  const etag = first.headers.get('etag')!;
  const second = await send('GET', '/rest/books/7', { headers: { 'if-none-match': etag } });
  const unlisted = await send('GET', '/rest/books/7?utm_source=mail');

  assert.match(first.headers.get('netlify-cdn-cache-control') ?? '', /max-age=60/);
  assert.match(first.headers.get('netlify-cache-tag') ?? first.headers.get('cache-tag') ?? '', /Book/);
  assert.equal(second.status, 304);
  assert.equal(unlisted.headers.get('netlify-cdn-cache-control'), null);
});

describe('a document that cannot be a route is refused at the start:', () => {
  const rows = rowsOf(`
    query @http(method: GET, route: "/a") { partial { good } } → expected its operation to have a name
    query A @http(method: GET, route: "/a") { partial { good } } query B { partial { good } } → expected one operation, got 2
    query A { partial { good } } query B @http(method: GET, route: "/a") { partial { good } } → expected one operation, got 2
    mutation A @http(method: GET, route: "/a") { remove(id: 1) } → a GET must not change anything, and this is a mutation
    query A @http(method: GET, route: "/a", status: 302) { partial { good } } → expected a status from 200 to 299, got 302
    query A @http(method: GET, route: "a") { partial { good } } → expected a route that starts with "/", got "a"
    query A @http(method: GET, route: "/a//b") { partial { good } } → expected each segment of the route to be a literal [...] got ""
    query A @http(method: GET, route: "/a/..") { partial { good } } → expected each segment of the route [...] got ".."
    query A @http(method: GET, route: "/a?b") { partial { good } } → expected each segment of the route [...] got "a?b"
    query A($id: ID!) @http(method: GET, route: "/{id}.json") { book(id: $id) { id } } → expected each segment of the route [...] got "{id}.json"
    query A @http(method: GET, route: "/openapi.json") { partial { good } } → expected a route other than "/openapi.json"
    query A @http(method: FETCH, route: "/a") { partial { good } } → Argument "[...]method[...]" has invalid value
    query A @http(method: GET, route: "/a/health") { partial { good } } → expected a route that does not end with "/health"
    query A @http(method: GET, route: "/{no}") { partial { good } } → expected the operation to define $no, which a parameter names
    query A($f: Filter) @http(method: GET, route: "/{x:$f.no}") { echo(filter: $f) } → expected Filter to have the field "no"
    query A($id: ID!) @http(method: GET, route: "/{id}", queryParameters: ["id"]) { book(id: $id) { id } } → expected one source for $id, got two
    query A($f: Filter @body) @http(method: GET, route: "/a") { echo(filter: $f) } → expected no @body, because a GET has no body
    mutation A($a: BookInput! @body, $b: BookInput! @body) @http(method: POST, route: "/a") { addBook(book: $a) { id } b: addBook(book: $b) { id } } → expected one variable with @body
    mutation A($b: BookInput! @body, $id: ID!) @http(method: POST, route: "/a") { addBook(book: $b) { id } remove(id: $id) } → expected the route or queryParameters to have $id, because the body is $b
    query A @http(method: GET, route: "/a") { __schema { description } } → it selects __schema
    query A @http(method: GET, route: "/a") { ... @defer { partial { good } } } → without @defer
    query A @http(method: GET, route: "/a") { no } → Cannot query field "no"
  `);
  for (const [document = '', problem = ''] of rows)
    test(`${problem}: ${document}`, async () => {
      assert.match(await startFailure({ a: document }), patternOf(`The trusted document "a" cannot be a route: [...]${problem}`));
    });

  test('two documents with one shape', async () => {
    const two = {
      a: 'query A($x: ID!) @http(method: GET, route: "/{x}") { book(id: $x) { id } }',
      b: 'query B($y: ID!) @http(method: GET, route: "/{y}") { book(id: $y) { id } }',
    };
    assert.equal(await startFailure(two), 'The trusted document "b" cannot be a route: "a" is the route GET /{x}.');
  });

  test('no document with @http', async () => {
    const a = { text: 'query A @http(method: GET, route: "/a") { partial { good } }', isReplaced: true };
    assert.match(await startFailure({ a }), /^Expected a trusted document with @http for rest\(\), such as /);
    assert.match(await startFailure({ a: '{ partial { good } }' }), /^Expected a trusted document with @http for rest\(\), such as /);
  });
});

/** Starts a server with these trusted documents, and returns the message that it logs. */
async function startFailure(given: Readonly<Record<string, unknown>>): Promise<string> {
  const [logger, lines] = recordingLogger();
  const options = { nodeEnv: 'test', logger, typeDefs, trustedDocuments: { documents: given }, plugins: [rest()] };
  const handler = createHandler(options as never);
  await handler.fetch(
    new Request('https://shop.example/', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
  );
  return lines.map(({ details: [cause] }) => (cause as Error).message).join('\n');
}

describe('the OpenAPI document', () => {
  test('is the same text whatever the order of the documents', async () => {
    const one = (await serve()('GET', '/rest/openapi.json')).text;
    const reversed = Object.fromEntries(Object.entries(documents).toReversed());
    const other = (await serve({}, { trustedDocuments: { documents: reversed } })('GET', '/rest/openapi.json')).text;

    assert.equal(one, other);
    assert.equal((JSON.parse(one) as { openapi: string }).openapi, '3.1.1');
  });

  test('has components for input objects, enums and named fragments', async () => {
    const { components, paths } = JSON.parse((await send('GET', '/rest/openapi.json')).text);

    assert.deepEqual(Object.keys(components.schemas), ['BookInput', 'BookModel', 'Filter', 'Genre', 'Price', 'Problem']);
    assert.deepEqual(paths['/books/{id}'].get.responses['200'].content['application/json'].schema, {
      $ref: '#/components/schemas/BookModel',
    });
    assert.deepEqual(components.schemas.BookModel.required, ['id', 'title']);
    assert.deepEqual(paths['/books/{id}'].put.requestBody.content['application/json'].schema.required, ['title']);
  });

  test('comes before a route whose parameter matches its path, but only for its own methods', async () => {
    const given = {
      one: 'query One($id: ID!) @http(method: GET, route: "/{id}") { book(id: $id) { id } }',
      remove: 'mutation Remove($id: ID!) @http(method: DELETE, route: "/{id}") { remove(id: $id) }',
    };
    const sendTo = serve({}, { trustedDocuments: { documents: given } });

    assert.equal(JSON.parse((await sendTo('GET', '/rest/openapi.json')).text).openapi, '3.1.1');
    assert.equal((await sendTo('DELETE', '/rest/openapi.json')).text, 'null');
    assert.equal((await sendTo('GET', '/rest/openapi')).text, '{"id":"openapi"}');
  });

  test('lists only components that something refers to, and each operation by its own id', async () => {
    const given = {
      a: 'query Same($filter: Filter) @http(method: GET, route: "/a/{genre:$filter.genre}") { echo(filter: $filter) }',
      b: 'query Same @http(method: GET, route: "/b") { partial { good } }',
    };
    const { components, paths } = JSON.parse(
      (await serve({}, { trustedDocuments: { documents: given } })('GET', '/rest/openapi.json')).text,
    );

    assert.deepEqual(Object.keys(components.schemas), ['Genre', 'Problem']);
    assert.deepEqual([paths['/a/{genre}'].get.operationId, paths['/b'].get.operationId], ['Same', 'Same2']);
  });

  test('requires a property only if every answer has it', async () => {
    const given = {
      a: `query A($flag: Boolean!) @http(method: GET, route: "/a") {
        x: partial { good } x: partial @include(if: $flag) { bad } y: partial @skip(if: $flag) { good }
        ...F z: partial @include(if: $flag) { bad }
      } fragment F on Query { z: partial { good } }`,
    };
    const { components, paths } = JSON.parse(
      (await serve({}, { trustedDocuments: { documents: given } })('GET', '/rest/openapi.json')).text,
    );
    const { allOf } = paths['/a'].get.responses['200'].content['application/json'].schema;
    const [{ $ref: reference }, own] = allOf;

    assert.deepEqual([reference, components.schemas.F.properties.z.required], ['#/components/schemas/F', ['good']]);
    assert.deepEqual(own.required, ['x', 'z']);
    assert.deepEqual([own.properties.x.required, own.properties.y.required, own.properties.z.required], [['good'], ['good'], ['good']]);
  });

  test('requires in a fragment only what holds beside other selections', async () => {
    const given = {
      a: `query A($flag: Boolean!) @http(method: GET, route: "/a") { again { partial { good } ...F } again { __typename } }
        fragment F on Query { partial @include(if: $flag) { bad } }`,
    };
    const { components } = JSON.parse((await serve({}, { trustedDocuments: { documents: given } })('GET', '/rest/openapi.json')).text);

    assert.equal(components.schemas.F.properties.partial.required, undefined);
  });

  test('describes one item for a list in the path', async () => {
    const given = { a: 'query A($ids: [ID!]) @http(method: GET, route: "/a/{ids}") { echo(ids: $ids) }' };
    const { paths } = JSON.parse((await serve({}, { trustedDocuments: { documents: given } })('GET', '/rest/openapi.json')).text);

    assert.deepEqual(paths['/a/{ids}'].get.parameters[0].schema, { type: 'string' });
  });

  test('names the header of idempotency() where a mutation may or must have it', async () => {
    const route = (name: string, selection: string): string => `mutation ${name} @http(method: POST, route: "/${name}") { ${selection} }`;
    const documents = {
      a: route('may', 'remove(id: 1)'),
      b: route('must', '... on Mutation { rename(id: 1) { id } }'),
      c: route('inDocument', 'remove(id: 1) @idempotent(key: "k")'),
    };
    const plugins = [rest(), idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'a', required: ['rename'] })];
    const sendTo = serve({}, { typeDefs: [typeDefs, idempotencyDefinitions], trustedDocuments: { documents }, plugins });
    const { paths } = JSON.parse((await sendTo('GET', '/rest/openapi.json')).text);

    assert.deepEqual(
      ['may', 'must', 'inDocument'].map((path) => paths[`/${path}`].post.parameters?.map((one: any) => [one.name, one.in, one.required])),
      [[['Idempotency-Key', 'header', undefined]], [['Idempotency-Key', 'header', true]], undefined],
    );
  });

  test('names the scopes of authorization(), and a problem for callers without them', async () => {
    const given = {
      typeDefs: `
        type Query {
          open: Int
          user: Int @authenticated
          one: Int @requiresScopes(scopes: [["a"], ["b", "c"]])
          two: Int @requiresScopes(scopes: [["c"], ["d"]])
          none: Int @requiresScopes(scopes: [])
        }`,
      trustedDocuments: {
        documents: Object.fromEntries(
          ['open', 'user', 'one', 'one two', 'none'].map((fields, at) => [
            fields,
            `query Q${at} @http(method: GET, route: "/${fields.replace(' ', '-')}") { ${fields} }`,
          ]),
        ),
      },
    };
    const sendTo = serve({}, { resolvers: {}, ...given, plugins: [authorization({ claims: () => undefined }), rest()] });
    const { paths, components } = JSON.parse((await sendTo('GET', '/rest/openapi.json')).text);
    const bearer = (...scopes: readonly string[]): object => ({ bearer: scopes });

    assert.deepEqual(
      ['open', 'user', 'one', 'one-two', 'none'].map((path) => paths[`/${path}`].get.security),
      [
        undefined,
        [bearer()],
        [bearer('a'), bearer('b', 'c')],
        [bearer('a', 'c'), bearer('a', 'd'), bearer('b', 'c'), bearer('b', 'c', 'd')],
        [bearer()],
      ],
    );
    assert.deepEqual(components.securitySchemes, { bearer: { type: 'http', scheme: 'bearer' } });
    assert.deepEqual(Object.keys(paths['/one'].get.responses), ['200', '401', '403', '404', 'default']);
    assert.deepEqual(Object.keys(paths['/open'].get.responses), ['200', '404', 'default']);
    const refused = await sendTo('GET', '/rest/one');
    const { status, code, errors } = JSON.parse(refused.text);
    assert.deepEqual([refused.status, status, code, errors.length], [401, 401, 'UNAUTHENTICATED', 1]);
    assert.match(refused.headers.get('www-authenticate')!, /^Bearer/);
  });

  test('can be hidden', async () => {
    assert.equal((await serve({ openapi: false })('GET', '/rest/openapi.json')).status, 404);
  });
});

describe('an option of the wrong type is refused:', () => {
  const rows: readonly (readonly [options: object, message: RegExp])[] = [
    [{ path: 'rest' }, /Expected the option path of rest to be a part of a path such as '\/rest', got "rest"/],
    [{ info: { title: 'x' } }, /Expected the option info of rest to be an object like/],
    [{ servers: [] }, /Expected the option servers of rest to be a list such as/],
    [{ otherParameters: 'utm' }, /Expected the option otherParameters of rest to be a list of names/],
    [{ scalars: { Date: 'string' } }, /Expected the option scalars\.Date of rest to be a JSON Schema/],
    [{ openapi: 'no' }, /Expected the option openapi of rest to be true or false/],
    [{ routes: [] }, /Unknown option "routes" of rest\./],
  ];
  for (const [options, message] of rows) test(message.source.replaceAll('\\', ''), () => assert.throws(() => rest(options), message));
});
