import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest } from '../../support/plain-http.ts';

/** A row of the interface's table of statuses and codes, written from the document and not from the code. */
interface Row {
  readonly name: string;
  readonly request: PlainRequest;
  readonly status: number;
  /** The status of an application/json answer. Default: the same. */
  readonly json?: number;
  /** The status in the classic profile. Default: the same. */
  readonly classic?: number;
  readonly code?: string;
  readonly options?: Partial<ServerOptions>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly runs?: readonly string[];
  /** Whether the request determines the media type of the answer. */
  readonly fixedAccept?: boolean;
}

const deny = (code: string, http?: object) => (): never => {
  throw new GraphQLError('Not you', { extensions: { code, ...(http ? { http } : {}) } });
};

const rows: readonly Row[] = [
  { name: 'data without errors', request: post({ query: '{ hello }' }), status: 200, runs: ['hello'] },
  { name: 'data without errors, by GET', request: get({ query: '{ hello }' }), status: 200, runs: ['hello'] },
  {
    name: 'data and errors',
    request: post({ query: '{ hello explode }' }),
    status: 294,
    json: 200,
    classic: 200,
    code: 'INTERNAL_SERVER_ERROR',
    runs: ['hello', 'explode'],
  },
  {
    name: 'data null after execution',
    request: post({ query: '{ hello }' }),
    options: { rootValue: {}, fieldResolver: () => null, resolvers: {} },
    status: 294,
    json: 200,
    classic: 200,
    code: 'INTERNAL_SERVER_ERROR',
  },
  { name: 'a document that does not parse', request: post({ query: '{ hello' }), status: 400, code: 'GRAPHQL_PARSE_FAILED' },
  { name: 'a document without content', request: post({ query: '#' }), status: 400, code: 'GRAPHQL_PARSE_FAILED' },
  {
    name: 'more tokens than allowed',
    request: post({ query: '{ hello }' }),
    options: { maxTokens: 2 },
    status: 400,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'a deeper nesting than allowed',
    request: post({ query: `${'{ ... '.repeat(200)}{ hello }${' }'.repeat(200)}` }),
    status: 400,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'a document that does not validate',
    request: post({ query: '{ nothing }' }),
    status: 422,
    classic: 400,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'an operation that the document does not have',
    request: post({ query: 'query A { hello }', operationName: 'B' }),
    status: 422,
    classic: 400,
    code: 'OPERATION_RESOLUTION_FAILURE',
  },
  {
    name: 'an ambiguous operation',
    request: post({ query: 'query A { hello } query B { hello }' }),
    status: 422,
    classic: 400,
    code: 'OPERATION_RESOLUTION_FAILURE',
  },
  {
    name: 'a subscription',
    request: post({ query: 'subscription { ticks }' }),
    status: 422,
    classic: 400,
    code: 'OPERATION_RESOLUTION_FAILURE',
  },
  {
    name: 'a variable of a wrong type',
    request: post({ query: 'query ($n: String) { hello(name: $n) }', variables: { n: 1 } }),
    status: 422,
    classic: 400,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a missing variable',
    request: post({ query: 'query ($n: [Int!]!) { sum(numbers: $n) }' }),
    status: 422,
    classic: 400,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a context that is not ready at the deadline',
    request: post({ query: '{ hello }' }),
    options: { context: () => new Promise(() => {}), deadline: { ms: 20 } },
    status: 504,
    code: 'DEADLINE_EXCEEDED',
  },
  { name: 'no query', request: post({}), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'an empty query', request: post({ query: '' }), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'a query that is null', request: post({ query: null }), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'a query that is no string', request: post({ query: 7 }), status: 422, classic: 400, code: 'BAD_REQUEST' },
  {
    name: 'an operationName that is not a string',
    request: post({ query: '{ hello }', operationName: 7 }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'variables that are a string',
    request: post({ query: '{ hello }', variables: '{}' }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'variables that are an array',
    request: post({ query: '{ hello }', variables: [] }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'extensions that are a number',
    request: post({ query: '{ hello }', extensions: 7 }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'a body that is a string', request: post('"{ hello }"'), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'a body that is null', request: post('null'), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'a body that is a number', request: post('7'), status: 422, classic: 400, code: 'BAD_REQUEST' },
  { name: 'a GET without a query', request: get({}), status: 422, classic: 400, code: 'BAD_REQUEST' },
  {
    name: 'a GET parameter twice',
    request: plainRequest({ query: 'query={hello}&query={hello}' }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a GET with variables that are not JSON',
    request: get({ query: '{ hello }', variables: '{' }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a GET with variables that are not an object',
    request: get({ query: '{ hello }', variables: '[1]' }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a GET with extensions that are not JSON',
    request: get({ query: '{ hello }', extensions: 'x' }),
    status: 422,
    classic: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'JSON that does not parse', request: post('{"query":'), status: 400, code: 'BAD_REQUEST' },
  { name: 'an empty body', request: post(''), status: 400, code: 'BAD_REQUEST' },
  { name: 'no body', request: post('', { body: undefined }), status: 400, code: 'BAD_REQUEST' },
  { name: 'a body that is not UTF-8', request: post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])), status: 400, code: 'BAD_REQUEST' },
  {
    name: 'a CSRF refusal',
    request: plainRequest({ query: 'query={hello}' }),
    options: { csrfPrevention: true },
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a content type that is not supported',
    request: plainRequest({ method: 'POST', headers: [['content-type', 'text/xml']], body: '<hello/>' }),
    status: 415,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a charset that is not supported',
    request: plainRequest({ method: 'POST', headers: [['content-type', 'application/json; charset=utf-16']], body: '{}' }),
    status: 415,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a content encoding',
    request: post({ query: '{ hello }' }, { headers: [['content-encoding', 'gzip']] }),
    status: 415,
    code: 'BAD_REQUEST',
  },
  {
    name: 'an Accept that allows neither type',
    request: post({ query: '{ hello }' }, { headers: [['accept', 'image/png']] }),
    fixedAccept: true,
    status: 406,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a mutation over GET',
    request: get({ query: 'mutation { write }' }),
    status: 405,
    code: 'BAD_REQUEST',
    headers: { allow: 'POST' },
  },
  {
    name: 'another method',
    request: plainRequest({ method: 'PUT' }),
    status: 405,
    code: 'BAD_REQUEST',
    headers: { allow: 'GET, POST, QUERY' },
  },
  {
    name: 'a body that is too large',
    request: post({ query: '{ hello }' }),
    options: { maxBodyBytes: 5 },
    status: 413,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a query string that is too long',
    request: get({ query: '{ hello }' }),
    options: { maxBodyBytes: 5 },
    status: 414,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a batch where batches are off',
    request: post([{ query: '{ hello }' }]),
    options: { allowBatchedHttpRequests: false },
    status: 400,
    code: 'BAD_REQUEST',
  },
  { name: 'an empty batch', request: post([]), status: 400, code: 'BAD_REQUEST' },
  {
    name: 'a batch with too many elements',
    request: post(Array.from({ length: 11 }, () => ({ query: '{ hello }' }))),
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a context function that throws',
    request: post({ query: '{ hello }' }),
    options: { context: () => JSON.parse('?') },
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
  },
  {
    name: 'a context function that throws UNAUTHENTICATED',
    request: post({ query: '{ hello }' }),
    options: { context: deny('UNAUTHENTICATED') },
    status: 401,
    code: 'UNAUTHENTICATED',
  },
  {
    name: 'a context function that throws FORBIDDEN',
    request: post({ query: '{ hello }' }),
    options: { context: deny('FORBIDDEN') },
    status: 403,
    code: 'FORBIDDEN',
  },
  {
    name: 'a context function that throws a custom code',
    request: post({ query: '{ hello }' }),
    options: { context: deny('OUT_OF_TEA') },
    status: 500,
    code: 'OUT_OF_TEA',
  },
  {
    name: 'a context function that throws BAD_USER_INPUT',
    request: post({ query: '{ hello }' }),
    options: { context: deny('BAD_USER_INPUT') },
    status: 500,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a context function that throws an error with a status',
    request: post({ query: '{ hello }' }),
    options: { context: deny('OUT_OF_TEA', { status: 418 }) },
    status: 418,
    code: 'OUT_OF_TEA',
  },
  {
    name: 'dataSources that throw',
    request: post({ query: '{ hello }' }),
    options: { dataSources: () => JSON.parse('?') },
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
  },
  {
    name: 'a hook that throws',
    request: post({ query: '{ hello }' }),
    options: { plugins: [{ requestDidStart: () => JSON.parse('?') }] },
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
  },
  {
    name: 'formatError that throws',
    request: post({ query: '{ nothing }' }),
    options: { formatError: () => JSON.parse('?') },
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
  },
];

const mediaTypes = ['application/json', 'application/graphql-response+json'] as const;

for (const profile of ['2026-09', 'classic'] as const) {
  describe(`statuses and codes, httpStatusProfile '${profile}'`, () => {
    for (const row of rows) {
      for (const mediaType of mediaTypes) {
        const inEdition = mediaType === 'application/json' ? (row.json ?? row.status) : row.status;
        const status = profile === 'classic' ? (row.classic ?? row.status) : inEdition;

        it(`${row.name}: ${status}${row.code ? ` ${row.code}` : ''} as ${mediaType}`, async () => {
          const endpoint = createEndpoint({ ...(profile === 'classic' && { httpStatusProfile: profile }), ...row.options });
          const accept: PlainRequest['headers'] = row.fixedAccept === true ? [] : [['accept', mediaType]];

          const response = await endpoint.send({ ...row.request, headers: [...row.request.headers, ...accept] });

          assert.equal(response.status, status);
          const asked = row.fixedAccept === true ? 'application/json' : mediaType;
          // The edition uses application/json only for successful answers.
          const contentType = profile === '2026-09' && status >= 300 ? 'application/graphql-response+json' : asked;
          assert.equal(response.headers.get('content-type'), `${contentType}; charset=utf-8`);
          assert.equal(json(response).errors?.[0].extensions.code, row.code);
          assertWellFormed(json(response));
          for (const [name, value] of Object.entries(row.headers ?? {})) assert.equal(response.headers.get(name), value);
          assert.deepEqual(endpoint.runs, row.runs ?? []);
        });
      }
    }
  });
}

describe('a status that is set', () => {
  it('by an error of a resolver overrides the table', async () => {
    const endpoint = createEndpoint({
      resolvers: { Query: { hello: deny('OUT_OF_TEA', { status: 418, headers: { 'x-pot': 'short' } }) } },
    });

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.equal(response.status, 418);
    assert.equal(response.headers.get('x-pot'), 'short');
    assert.deepEqual(json(response).errors[0].extensions, { code: 'OUT_OF_TEA' });
  });

  it('by context overrides everything', async () => {
    const endpoint = createEndpoint({
      context: ({ response }) => {
        response.status = 207;
        return {};
      },
      resolvers: { Query: { hello: deny('OUT_OF_TEA', { status: 418 }) } },
    });

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.equal(response.status, 207);
  });

  for (const status of [99, 100, 199, 600, 1000, 200.5, Number.NaN, '404', {}]) {
    it(`and is invalid in HTTP (${String(status)}) is a 500`, async () => {
      const endpoint = createEndpoint({ resolvers: { Query: { hello: deny('X', { status }) } } });

      const response = await endpoint.send(post({ query: '{ hello }' }));

      assert.equal(response.status, 500);
    });
  }

  for (const status of [204, 205, 304]) {
    it(`and never has a body (${status}) is sent without one`, async () => {
      const endpoint = createEndpoint({ resolvers: { Query: { hello: deny('X', { status }) } } });

      const response = await endpoint.send(post({ query: '{ hello }' }));

      assert.equal(response.status, status);
      assert.equal(response.body, '');
    });
  }

  it('is not taken from an unexpected error, even one with similar properties', async () => {
    const upstream = Object.assign(new Error('upstream'), {
      extensions: { code: 'FORBIDDEN', http: { status: 418, headers: { 'set-cookie': 'a=b' } } },
    });
    const fail = (): never => {
      throw upstream;
    };
    const inResolver = await createEndpoint({ resolvers: { Query: { hello: fail } } }).send(post({ query: '{ hello }' }));
    const inContext = await createEndpoint({ context: fail }).send(post({ query: '{ hello }' }));

    assert.deepEqual([inResolver.status, inContext.status], [200, 500]);
    assert.deepEqual([...inResolver.setCookies, ...inContext.setCookies], []);
    assert.equal(json(inContext).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
  });

  it('invalid headers of an error are omitted, the others are sent', async () => {
    const headers = { 'x-good': 'yes', 'x-split': 'a\r\nset-cookie: b=c', 'bad name': 'x', 'x-number': 7 };
    const endpoint = createEndpoint({ resolvers: { Query: { hello: deny('X', { headers }) } } });

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.equal(response.headers.get('x-good'), 'yes');
    assert.deepEqual(
      ['x-split', 'bad name', 'x-number'].filter((name) => response.headers.has(name)),
      [],
    );
    assert.deepEqual(response.setCookies, []);
  });

  it('a code that is a property name of Object.prototype works like any other', async () => {
    for (const code of ['constructor', '__proto__', 'toString']) {
      const response = await createEndpoint({ context: deny(code) }).send(post({ query: '{ hello }' }));

      assert.equal(response.status, 500);
      assert.equal(json(response).errors[0].extensions.code, code);
    }
  });
});

describe('a start that fails', () => {
  for (const [httpStatusProfile, type] of [
    ['2026-09', 'application/graphql-response+json'],
    ['classic', 'application/json'],
  ] as const) {
    it(`is a 500 labeled as httpStatusProfile '${httpStatusProfile}' labels it`, async () => {
      const endpoint = createEndpoint({
        httpStatusProfile,
        plugins: [{ serverWillStart: () => Promise.reject(new Error('no database')) }],
      });

      const response = await endpoint.send(post({ query: '{ hello }' }, { headers: [['accept', 'application/json']] }));

      assert.equal(response.status, 500);
      assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
    });
  }
});

describe('extensions.http of the result', () => {
  const answering = (extensions: Record<string, unknown>): Partial<ServerOptions> => ({
    plugins: [{ requestDidStart: () => ({ willSendResponse: ({ response }) => void (response.result = { data: null, extensions }) }) }],
  });

  it('sets status and headers, and is not sent', async () => {
    const endpoint = createEndpoint(answering({ http: { status: 299, headers: { 'x-a': '1' } }, cost: 5 }));

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.equal(response.status, 299);
    assert.equal(response.headers.get('x-a'), '1');
    assert.deepEqual(json(response), { data: null, extensions: { cost: 5 } });
  });

  it('leaves no empty extensions, and does not set the status of a batch', async () => {
    const endpoint = createEndpoint(answering({ http: { status: 299, headers: [['x-a', '1']] } }));

    const response = await endpoint.send(post([{ query: '{ hello }' }]));

    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-a'), '1');
    assert.deepEqual(json(response), [{ data: null }]);
  });

  for (const http of [5, null, 'x', { status: 9999 }, { headers: 7 }, { headers: [1, null] }]) {
    it(`of an invalid shape is ignored: ${JSON.stringify(http)}`, async () => {
      const response = await createEndpoint(answering({ http })).send(post({ query: '{ hello }' }));

      assert.ok(response.status === 200 || response.status === 500);
    });
  }
});

describe('a result that JSON cannot represent', () => {
  it('fails only its field, if it is the BigInt of a scalar, and names the field', async () => {
    const typeDefs = 'scalar Any type Query { a: Int } type Mutation { add: Int any: Any }';
    const endpoint = createEndpoint({ typeDefs, resolvers: { Mutation: { add: () => 1, any: () => 1n } } });

    const response = await endpoint.send(post({ query: 'mutation { add any }' }));

    assert.equal(response.status, 200);
    assert.deepEqual(json(response).data, { add: 1, any: null });
    assert.deepEqual(json(response).errors[0].path, ['any']);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  for (const [name, value] of Object.entries({ 'a cycle': cyclic, 'a BigInt in an object': { big: 1n } })) {
    it(`${name}: 500, masked`, async () => {
      const typeDefs = 'scalar Any type Query { any: Any }';
      const endpoint = createEndpoint({ typeDefs, resolvers: { Query: { any: () => value } } });

      const response = await endpoint.send(post({ query: '{ any }' }));

      assert.equal(response.status, 500);
      assert.equal(json(response).errors[0].message, 'Internal server error');
    });
  }
});

describe('a status that no response can have is logged, and 500 is sent', () => {
  for (const status of [99, 100, 1000, Number.NaN, 200.5, '200', -1, 0, Infinity] as number[]) {
    const set: Readonly<Record<string, Partial<ServerOptions>>> = {
      context: {
        context: ({ response }) => {
          response.status = status;
          return {};
        },
      },
      willSendResponse: {
        plugins: [{ requestDidStart: async () => ({ willSendResponse: ({ response }) => void (response.http.status = status) }) }],
      },
      'extensions.http of the result': {
        plugins: [{ requestDidStart: () => ({ responseForOperation: () => ({ data: null, extensions: { http: { status } } }) }) }],
      },
      'extensions.http of an error': {
        context: () => {
          throw new GraphQLError('No.', { extensions: { http: { status } } });
        },
      },
      request: { plugins: [{ request: async (_call, next) => ({ ...(await next()), status }) }] },
      'request, in place': { plugins: [{ request: async (_call, next) => Object.assign(await next(), { status }) }] },
    };
    for (const [name, options] of Object.entries(set)) {
      it(`${status}, by ${name}`, async () => {
        const endpoint = createEndpoint(options);
        const response = await endpoint.send(post({ query: '{ hello }' }));

        assert.equal(response.status, 500);
        assert.ok(
          endpoint.lines.some(({ message }) => message.startsWith('Expected the status of a response to be from 200 to 599, got ')),
        );
      });
    }
  }
});

/** The specification of GraphQL, section 7.1: no other entries, and errors that are never empty. */
function assertWellFormed(body: Record<string, unknown>): void {
  assert.deepEqual(
    Object.keys(body).filter((key) => !['data', 'errors', 'extensions'].includes(key)),
    [],
  );
  if ('errors' in body) assert.ok(Array.isArray(body['errors']) && body['errors'].length > 0);
  if (!('errors' in body)) assert.ok(typeof body['data'] === 'object' && body['data'] !== null);
}
