import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, GraphQLError } from 'graphql';

import { AuthenticationError, ForbiddenError } from '../../../../src/entries/datasource.ts';
import { idempotency, idempotencyDefinitions, memoryStore } from '../../../../src/entries/idempotency.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { documents, modernMeta, serveTools, typeDefs } from '../../../support/mcp-serving.ts';

const json = { 'content-type': 'application/json' };
const fail = (): never => {
  throw new Error('secret');
};
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('the endpoint', () => {
  for (const [what, request, status, code] of [
    ['GET', { method: 'GET' }, 405],
    ['OPTIONS without an origin', { method: 'OPTIONS' }, 405],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no content type', { headers: {} }, 415],
    ['another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }, 415],
    ['utf-8 as the charset', { headers: { 'content-type': 'application/json; charset="UTF-8"' } }, 200],
    ['an Accept without JSON', { headers: { ...json, accept: 'text/html' } }, 406],
    ['an Accept that refuses JSON', { headers: { ...json, accept: 'application/json;q=0, text/event-stream' } }, 406],
    ['an Accept with a similar type', { headers: { ...json, accept: 'application/jsonl' } }, 406],
    ['a compressed body', { headers: { ...json, 'content-encoding': 'gzip' } }, 415],
    ['a byte order mark before JSON', { body: `\ufeff${ping}` }, 200],
    ['an origin', { headers: { ...json, origin: 'https://evil.example' } }, 403],
    ['the origin null', { headers: { ...json, origin: 'null' } }, 403],
    ['a listed origin', { headers: { ...json, origin: 'https://app.example.com' } }, 200],
    ['a body over the limit', { body: `{"a":"${'x'.repeat(2_000)}"}` }, 413],
    ['no JSON', { body: '{' }, 400, -32_700],
    ['too many objects', { body: `[${'{},'.repeat(60_000)}{}]` }, 400, -32_700],
    ['a text with too many braces for objects', { body: ping.replace('}', `,"params":{"_meta":{"text":"${'{['.repeat(30_000)}"}}}`) }, 200],
    ['nothing', { body: '' }, 400, -32_700],
    ['a batch', { body: `[${ping}]` }, 400, -32_600],
    ['a response', { body: '{"jsonrpc":"2.0","id":1,"result":{}}' }, 400, -32_600],
    ['JSON-RPC 1.0', { body: '{"id":1,"method":"ping"}' }, 400, -32_600],
    ['the id null', { body: '{"jsonrpc":"2.0","id":null,"method":"ping"}' }, 400, -32_600],
    ['an id with a fraction', { body: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' }, 400, -32_600],
    ['params as a list', { body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}' }, 400, -32_600],
    ['the id ""', { body: '{"jsonrpc":"2.0","id":"","method":"ping"}' }, 200],
    ['a session id', { headers: { ...json, 'mcp-session-id': 'x', 'last-event-id': '1' } }, 200],
    ['an unknown version', { headers: { ...json, 'mcp-protocol-version': '2024-01-01' } }, 400, -32_022],
    ['an older version', { headers: { ...json, 'mcp-protocol-version': '2025-03-26' } }, 400, -32_022],
  ] as const)
    test(`answers ${what} with ${status}`, async () => {
      const { send, runs } = serveTools({
        origins: ['https://app.example.com'],
        maxBodyBytes: what.includes('too many') ? 200_000 : 1_000,
      });

      const response = await send({
        method: 'POST',
        path: '/.netlify/functions/graphql/mcp',
        headers: json,
        ...(what !== 'GET' && { body: ping }),
        ...request,
      } as never);

      assert.equal(response.status, status, await response.clone().text());
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      assert.equal(response.headers.has('mcp-session-id'), false);
      if (status === 405) assert.equal(response.headers.get('allow'), 'POST');
      if (code !== undefined) assert.equal(((await response.json()) as any).error.code, code);
      assert.deepEqual(runs, []);
    });

  test('answers notifications with 202 and no body, and runs no tool for them', async () => {
    const { post, runs } = serveTools();

    for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/call']) {
      const response = await post({ jsonrpc: '2.0', method, params: { name: 'get_book', arguments: { id: '1' } } });
      assert.deepEqual([response.status, await response.text()], [202, '']);
    }

    assert.deepEqual(runs, []);
  });

  test('does not handle other paths, which serve GraphQL', async () => {
    const { send, post } = serveTools();

    const graphql = await post({ documentId: 'book', variables: { id: '1' } }, {}, '/graphql');
    const page = await send({ method: 'GET', path: '/mcpx', headers: { accept: 'text/html' } });

    assert.equal(((await graphql.json()) as any).data.book.title, 'Emma');
    assert.notEqual(page.status, 405);
  });
});

describe('version 2026-07-28', () => {
  const good = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_book' };
  const params = { name: 'get_book', arguments: { id: '1' }, _meta: modernMeta };
  const versionKey = 'io.modelcontextprotocol/protocolVersion';
  const future = { ...params, _meta: { ...modernMeta, [versionKey]: '2099-01-01' } };

  for (const [what, headers, given, status, code] of [
    ['fitting headers', good, params, 200],
    ['spaces around a value', { ...good, 'mcp-name': ' get_book ' }, params, 200],
    ['a name in base64', { ...good, 'mcp-name': `=?base64?${btoa('get_book')}?=` }, params, 200],
    ['a name in base64 with a byte order mark', { ...good, 'mcp-name': '=?base64?77u/Z2V0X2Jvb2s=?=' }, params, 400, -32_020],
    ['a name in invalid base64', { ...good, 'mcp-name': '=?base64?Z2V0X2Jvb2?=' }, params, 400, -32_020],
    ['another version header', { ...good, 'mcp-protocol-version': '2025-11-25' }, params, 400, -32_020],
    ['no version header', { 'mcp-method': 'tools/call', 'mcp-name': 'get_book' }, params, 400, -32_020],
    ['an unknown version', { ...good, 'mcp-protocol-version': '2099-01-01' }, future, 400, -32_022],
    ['no method header', { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'get_book' }, params, 400, -32_020],
    ['another method header', { ...good, 'mcp-method': 'TOOLS/CALL' }, params, 400, -32_020],
    ['no name header', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }, params, 400, -32_020],
    ['another name header', { ...good, 'mcp-name': 'rename' }, params, 400, -32_020],
    ['no _meta', good, { name: 'get_book', arguments: { id: '1' } }, 400, -32_602],
    ['no capabilities', good, { ...params, _meta: { [versionKey]: '2026-07-28' } }, 400, -32_602],
    ['client information', good, { ...params, _meta: { ...modernMeta, 'io.modelcontextprotocol/clientInfo': {}, more: 1 } }, 200],
  ] as const)
    test(`answers a call with ${what} with ${status}`, async () => {
      const { post, runs } = serveTools();

      const response = await post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: given }, headers);
      const answer = (await response.json()) as any;

      assert.deepEqual([response.status, answer.id, answer.error?.code], [status, 'x', code]);
      assert.equal(runs.length, status === 200 ? 1 : 0);
    });

  for (const header of [{ 'mcp-method': 'tools/list' }, { 'mcp-name': 'rename' }] as const)
    test(`is not needed to refuse a call whose ${Object.keys(header)[0]} differs from the body`, async () => {
      const { post, runs } = serveTools();

      const call = { name: 'get_book', arguments: { id: '1' } };
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, header);

      assert.deepEqual([response.status, ((await response.json()) as any).error.code, runs], [400, -32_020, []]);
    });

  test('has discovery, a list of tools, and calls', async () => {
    const { modern } = serveTools();

    const resultOf = async (...given: [method: string, params?: object]): Promise<any> =>
      ((await (await modern(...given)).json()) as any).result;

    const discovered = await resultOf('server/discover');
    const listed = await resultOf('tools/list');
    const called = await resultOf('tools/call', { name: 'get_book', arguments: { id: '2' } });

    const serverInfo = { name: 'shop', version: '1.4.0' };
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    const hints = { ttlMs: 300_000, cacheScope: 'private' };
    assert.deepEqual(discovered, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      instructions: 'Ask for books.',
      ...hints,
      _meta,
    });
    const listedNames = listed.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(listedNames, ['fails', 'get_book', 'mine', 'rename', 'search-all']);
    assert.deepEqual({ ...listed, tools: [] }, { resultType: 'complete', tools: [], ...hints, _meta });
    assert.deepEqual(called, {
      resultType: 'complete',
      content: [{ type: 'text', text: '{"book":{"title":"Frankenstein","pages":null,"author":null}}' }],
      structuredContent: { book: { title: 'Frankenstein', pages: null, author: null } },
      _meta,
    });
  });

  test('does not have the methods of older versions', async () => {
    const { modern } = serveTools();

    for (const method of ['initialize', 'ping', 'prompts/list', 'toString']) {
      const response = await modern(method);
      assert.deepEqual([response.status, ((await response.json()) as any).error.code], [404, -32_601], method);
    }
  });
});

describe('versions 2025-11-25 and 2025-06-18', () => {
  test('start with a version that both sides support', async () => {
    const { legacy } = serveTools();

    for (const [asked, expected = '2025-11-25'] of [
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25'],
      ['2025-03-26'],
      ['2024-11-05'],
      ['2026-07-28'],
    ]) {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: {} };
      assert.equal((await legacy('initialize', params)).result.protocolVersion, expected);
    }
    assert.equal((await legacy('initialize')).error.code, -32_602);
  });

  test('list and call tools without the fields of the newer version', async () => {
    const { legacy } = serveTools();
    const called = (await legacy('tools/call', { name: 'get_book', arguments: { id: '1' } })).result;

    assert.deepEqual(Object.keys((await legacy('tools/list')).result), ['tools']);
    assert.deepEqual(Object.keys(called), ['content', 'structuredContent']);
    assert.deepEqual((await legacy('ping')).result, {});
    assert.equal((await legacy('server/discover')).error.code, -32_601);
    assert.equal((await legacy('tools/list', { cursor: '' })).error.code, -32_602);
  });
});

describe('the directive', () => {
  const schema = buildSchema('type Query { a: Int }');
  const tool = 'query A @mcpTool(description: "x") { a }';
  const codeFirst = {
    typeDefs: undefined,
    resolvers: undefined,
    schema,
    rootValue: { a: 1 },
    trustedDocuments: { documents: { a: tool } },
  };

  test('needs no definition in a schema of code, and is not part of it', async () => {
    const { call, post } = serveTools({ hidden: undefined }, { ...codeFirst, introspection: true });
    const query = async (text: string, documentId?: string): Promise<any> => (await post({ query: text, documentId }, {}, '/')).json();

    assert.deepEqual((await call('a')).structuredContent, { a: 1 });
    assert.deepEqual(await query(tool), { data: { a: 1 } });
    const [other, listed] = [await query(`${tool} #`), await query('{ __schema { directives { name } } }')];
    assert.equal(other.errors[0].message, 'Unknown directive "@mcpTool".');
    assert.doesNotMatch(JSON.stringify(listed), /mcpTool/);
  });

  test('is validated with its definition', async () => {
    const documents = { a: 'query A @mcpTool(name: 1) { a }', b: tool };
    const { legacy } = serveTools({ hidden: undefined }, { ...codeFirst, nodeEnv: 'production', trustedDocuments: { documents } });

    const { result } = await legacy('tools/list');

    assert.deepEqual(
      result.tools.map(({ name }: { name: string }) => name),
      ['a'],
    );
    assert.deepEqual(result.tools[0].description, 'x');
  });
});

describe('a call', () => {
  test('refuses unknown arguments, hidden ones too, before anything runs', async () => {
    const { call, runs } = serveTools();

    for (const args of [{ id: '1', more: 1 }, JSON.parse('{ "id": "1", "__proto__": {} }')])
      assert.equal((await call('get_book', args)).isError, true);
    assert.equal((await call('mine', { tenant: '1' })).isError, true);
    for (const args of [[], 'x', null]) assert.equal((await call('get_book', args)).code, -32_602);
    assert.deepEqual(runs, []);
  });

  test('fills hidden variables from the context', async () => {
    const { call, runs } = serveTools();

    assert.deepEqual((await call('mine')).structuredContent, { book: { title: 'Frankenstein' } });
    assert.deepEqual(runs, ['book {"id":"2"}']);
  });

  test('shows neither names nor values of hidden variables when they are invalid', async () => {
    const [logger, lines] = recordingLogger();
    for (const value of [{ apiKey: 'SECRET' }, undefined, null]) {
      const { call, runs } = serveTools({ hidden: { tenant: () => value } }, { logger });

      const { isError, text } = await call('mine');

      assert.equal(isError, true);
      assert.doesNotMatch(text, /SECRET|tenant/);
      assert.deepEqual(runs, []);
    }
    assert.equal(lines.filter(({ level }) => level === 'error').length, 3);
  });

  test('fills only the hidden variables of the called tool', async () => {
    const { call } = serveTools({ hidden: { tenant: fail } });

    assert.deepEqual([(await call('get_book', { id: '1' })).isError, (await call('mine')).isError], [undefined, true]);
  });

  test('does not show a hidden variable in an error that quotes an argument with its name', async () => {
    const a = 'query A($tenant: ID!, $id: ID!) @mcpTool(description: "x") { book(id: $tenant) { id } other: book(id: $id) { id } }';
    const book = (_: unknown, { id }: { id: string }): never => {
      throw new GraphQLError(`There is no book "${id}".`);
    };
    const { call } = serveTools(
      { hidden: { tenant: () => '1' } },
      { trustedDocuments: { documents: { a } }, resolvers: { Query: { book } } },
    );

    assert.match((await call('a', { id: '$tenant' })).text, /There is no book/);
  });

  test('with an invalid argument returns a result that tells a model what to correct', async () => {
    const { isError, text } = await serveTools().call('get_book', { id: {} });

    assert.equal(isError, true);
    assert.match(text, /Variable .*\$id.* invalid value/);
  });

  test('with an error returns masked messages, the partial data, and no structured content', async () => {
    const { text, structuredContent } = await serveTools().call('fails');

    const { data, errors } = JSON.parse(text) as any;
    assert.deepEqual([data, errors[0].message], [{ fails: null, book: { title: 'Emma' } }, 'Internal server error']);
    assert.equal(structuredContent, undefined);
    assert.doesNotMatch(text, /password/);
  });

  const servers = { resource: 'https://shop.example.com', authorizationServers: ['https://login.example.com'] };
  const authorization = { ...servers, resource: 'https://shop.example.com/mcp', scopes: ['books:read'] };
  const call = { name: 'get_book', arguments: { id: '1' } };
  const wellKnown = '/.well-known/oauth-protected-resource';
  const atResource = `Bearer resource_metadata="https://shop.example.com${wellKnown}/mcp"`;
  const metadata = `${atResource}, scope="books:read"`;
  const lacking = (missing: readonly string[]): GraphQLError =>
    new GraphQLError('Not you.', {
      extensions: { code: 'FORBIDDEN', missing, needed: ['books:read', 'books:write', 'a"b'], http: { status: 403 } },
    });
  const needed = 'scope="books:read books:write"';
  const bearer = { authorization: 'Bearer x' };
  const [unknown, forbidden] = [new AuthenticationError('Sign in.'), new ForbiddenError('Not you.')];
  for (const [what, error, headers, status, authenticate, options] of [
    ['without a token', unknown, {}, 401, metadata, authorization],
    ['with an invalid token', unknown, bearer, 401, `${metadata}, error="invalid_token"`, authorization],
    ['without a right', forbidden, bearer, 403, `${atResource}, error="insufficient_scope"`, authorization],
    ['without a scope', lacking(['books:write']), bearer, 403, `${atResource}, ${needed}, error="insufficient_scope"`, authorization],
    ['without a right that is no scope', lacking([]), bearer, 403, atResource, authorization],
    ['without a scope, in a server without metadata', lacking(['a']), {}, 403, `Bearer ${needed}, error="insufficient_scope"`, undefined],
    ['in a server without scopes', unknown, {}, 401, `Bearer resource_metadata="${servers.resource}${wellKnown}"`, servers],
    ['in a server without metadata', unknown, {}, 401, 'Bearer', undefined],
  ] as const)
    for (const method of options === undefined ? ['tools/call'] : ['initialize', 'tools/list', 'tools/call'])
      test(`that context refuses ${what} is a ${status} for ${method}, which says where to get tokens`, async () => {
        const context = (): never => {
          throw error;
        };
        const { post, runs } = serveTools({ authorization: options }, { context });

        const response = await post({ jsonrpc: '2.0', id: 1, method, params: { ...call, protocolVersion: '2025-11-25' } }, headers);

        assert.deepEqual([response.status, response.headers.get('www-authenticate'), runs], [status, authenticate, []]);
      });

  test('that context refuses for a while has the Retry-After of the error', async () => {
    const context = (): never => {
      throw new GraphQLError('Later.', { extensions: { http: { status: 429, headers: { 'retry-after': '7' } } } });
    };

    const response = await serveTools({}, { context }).modern('tools/call', call);

    assert.equal(response.headers.get('retry-after'), '7');
  });

  test('without a token is refused by a server with authorization, whose metadata is public', async () => {
    const { post, send } = serveTools({ authorization });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    const answers = [await post(list), await post(list, bearer), await post(list, {}, `${wellKnown}/mcp`)];
    for (const prefix of ['', '/.netlify/functions/graphql'])
      for (const place of ['', '/mcp', '/graphql/mcp']) answers.push(await send({ method: 'GET', path: `${prefix}${wellKnown}${place}` }));

    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [401, 200, 405, 200, 200, 200, 200, 200, 200]);
    assert.equal(answers.at(-1)!.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await answers.at(-1)!.json(), {
      resource: 'https://shop.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['books:read'],
      bearer_methods_supported: ['header'],
    });
  });

  test('has the extensions of its result in _meta, and an explanation in development', async () => {
    const willSendResponse = ({ response }: { response: any }): void =>
      void (response.result = { ...response.result, extensions: { cost: 3 } });
    const plugins: ServerPlugin[] = [{ requestDidStart: () => ({ willSendResponse }) }, mcp({ name: 'a', version: '1' })];
    const { post, call: callLegacy, modern } = serveTools({}, { nodeEnv: 'development', plugins });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };

    const newer = ((await (await modern('tools/call', call)).json()) as any).result._meta;
    const explained = ((await (await post(body, { 'graphql-functions-explain': '1' })).json()) as any).result._meta;

    assert.deepEqual((await callLegacy('get_book', { id: '1' }))._meta, { 'graphql-functions/extensions': { cost: 3 } });
    assert.equal(newer['graphql-functions/extensions'].cost, 3);
    assert.equal(newer['io.modelcontextprotocol/serverInfo'].name, 'a');
    assert.ok('calls' in explained['graphql-functions/extensions'].explain, JSON.stringify(explained));
  });

  test('applies the limits and the deadline of operations', async () => {
    const book = () => ({ title: 'x'.repeat(1_100_000) });
    const late = serveTools({}, { deadline: { ms: 20 }, resolvers: { Query: { book: () => new Promise(() => {}) } } });

    for (const limit of [{}, { maxResultBytes: 1_000_000 }]) {
      const { isError, text } = await serveTools({}, { ...limit, resolvers: { Query: { book } } }).call('get_book', { id: '1' });
      assert.deepEqual([isError, text], [true, 'The answer is too large. Request less, for example fewer items.']);
    }
    const { isError, text } = await late.call('get_book', { id: '1' });
    assert.equal(isError, true);
    assert.match(text, /DEADLINE_EXCEEDED/);
  });

  test("has at most the server's maxBodyBytes", async () => {
    const { post } = serveTools({ maxBodyBytes: 10_000 }, { maxBodyBytes: 1_000 });

    assert.equal((await post(`{"a":"${'x'.repeat(2_000)}"}`)).status, 413);
  });
});

describe('after a mutation has run', () => {
  for (const [what, title, maxResultBytes, scalar] of [
    ['too large', 'x'.repeat(300_000), undefined, 'String'],
    ['too large in bytes', 'ä'.repeat(200_000), undefined, 'String'],
    ['larger than maxResultBytes', 'x'.repeat(600), 1_000, 'String'],
    ['an object whose toJSON throws', { toJSON: fail }, undefined, 'Odd'],
  ] as const)
    test(`an answer that is ${what} says in JSON-RPC that the tool has run and must not be called again`, async () => {
      let runs = 0;
      const types = [mcpDefinitions, typeDefs.replace('title: String! pages', `title: ${scalar}! pages`)];
      const resolvers = { Mutation: { rename: () => ({ id: ++runs, title }) } };
      const { call } = serveTools({}, { typeDefs: types, resolvers, maxResultBytes });

      const { isError, text } = await call('rename', { id: '1', title: 'a' });

      assert.match(text, /^The tool has run.* Do not call it again\.$/);
      assert.deepEqual([isError, runs], [true, 1]);
    });

  test('its replay whose answer is too large says the same', async () => {
    const rename = 'mutation R($id: ID!, $key: String!) @mcpTool(description: "x") { rename(id: $id) @idempotent(key: $key) { title } }';
    let runs = 0;
    const { call } = serveTools(
      { hidden: {} },
      {
        typeDefs: [mcpDefinitions, idempotencyDefinitions, typeDefs],
        trustedDocuments: { documents: { rename } },
        resolvers: { Mutation: { rename: () => ({ title: `${++runs}`.repeat(150_000) }) } },
        plugins: [idempotency({ store: memoryStore(), identity: () => 'everyone', maxAnswerBytes: 1_000_000 }) as ServerPlugin],
        maxResultBytes: 200_000,
      },
    );

    for (let round = 0; round < 2; round++)
      assert.equal((await call('r', { id: '1', key: 'k' })).text, 'The tool has run, but its answer is too large. Do not call it again.');
    assert.equal(runs, 1);
  });
});

describe('tools', () => {
  const all = ['fails', 'get_book', 'mine', 'rename', 'search-all'];

  for (const [what, text, message] of [
    ['a subscription', 'subscription S @mcpTool(description: "x") { ticks }', /Unknown|may not be used|is not defined|one answer/],
    ['two operations', 'query A @mcpTool(description: "x") { fails } query B { fails }', /expected one operation, got 2/],
    ['an invalid document', 'query A @mcpTool(description: "x") { nothing }', /Cannot query field/],
    ['a name with a dot', 'query A @mcpTool(name: "a.b", description: "x") { fails }', /1 to 64 letters/],
    ['a name that another tool has', 'query A @mcpTool(name: "Get_Book", description: "x") { fails }', /got two named/],
    ['no description', 'query A @mcpTool { fails }', /needs a description/],
    ['introspection', 'query A @mcpTool(description: "x") { __type(name: "Book") { name } }', /it selects __type/],
  ] as const)
    test(`${what} fails at the start, but in production it is left out, and logged once`, async () => {
      const [logger, lines] = recordingLogger();
      const trustedDocuments = { documents: { ...documents, x: text } };
      const production = serveTools({}, { logger, nodeEnv: 'production', trustedDocuments });

      assert.equal((await serveTools({}, { logger, trustedDocuments }).post(ping)).status, 500);
      const told = lines.splice(0).map(({ message, details }) => `${message} ${String(details[0])}`);
      assert.match(told.join(), message);
      await production.names();
      assert.deepEqual(await production.names(), all);
      assert.deepEqual(
        lines.map(({ level, message }) => `${level}: ${message}`),
        ['error: An MCP tool is left out.'],
      );
    });

  test('are checked by the command check, which starts no server', () => {
    const plugin = mcp({ name: 'shop', version: '1', tools: { x: { document: 'none' } } });
    const schema = buildSchema('type Query { fails: Int }');

    const message = 'Expected the tool "x" of mcp to name a trusted document, got the id "none"';
    assert.throws(() => plugin.check?.({ schema, trustedDocuments: () => [] }), new RegExp(message));
  });

  test('need the directive itself: its name in a comment or a string does not expose a document', async () => {
    const unlisted = {
      comment: '# never: no @mcpTool here\nquery Internal { secret }',
      string: 'query Internal2 { book(id: "@mcpTool") { title } secret }',
      other: 'query Internal3 { secret } # @mcpTool @mcpToolDisabled',
    };
    const { call, names, runs } = serveTools({}, { trustedDocuments: { documents: { ...documents, ...unlisted } } });

    assert.deepEqual([await names(), (await call('internal')).code, runs], [all, -32_602, []]);
  });

  test('must use each hidden variable in at least one of them, so that a misspelled name does not expose a variable', async () => {
    const [logger, lines] = recordingLogger();
    const hidden = { tenantt: () => '2' };

    assert.equal((await serveTools({ hidden }, { logger }).post(ping)).status, 500);
    assert.deepEqual(await serveTools({ hidden }, { logger, nodeEnv: 'production' }).names(), []);
    assert.match(JSON.stringify(lines.map(({ details }) => String(details[0]))), /hidden\.tenantt of mcp/);
  });

  test('whose document is invalid use their hidden variables nevertheless', async () => {
    const mine = documents['mine']!.replace('title', 'nothing');
    const { names } = serveTools({}, { nodeEnv: 'production', trustedDocuments: { documents: { ...documents, mine }, only: true } });

    assert.deepEqual(await names(), ['fails', 'get_book', 'rename', 'search-all']);
  });

  test('from the option replace those from the directive', async () => {
    const { names } = serveTools({ tools: { rename_book: { document: 'rename', description: 'Renames', destructive: false } } });

    assert.deepEqual(await names(), ['fails', 'get_book', 'mine', 'rename_book', 'search-all']);
  });

  test('have defaults that fit their schemas', async () => {
    const a = `query A($a: ID = 5, $b: [Sort!] = TITLE, $c: Int = null) @mcpTool(description: "x") {
      book(id: $a) { title } search(text: "a", sort: $b, first: 1) { __typename } fails(c: $c) }`;
    const types = typeDefs.replace('book(id: ID!)', 'book(id: ID)').replace('fails: Int', 'fails(c: Int): Int');
    const { legacy } = serveTools({ hidden: undefined }, { typeDefs: [mcpDefinitions, types], trustedDocuments: { documents: { a } } });

    const { properties } = (await legacy('tools/list')).result.tools[0].inputSchema;

    assert.deepEqual([properties.a.default, properties.b.default, 'default' in properties.c], ['5', ['TITLE'], false]);
  });
});
