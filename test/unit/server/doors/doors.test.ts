import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { GraphQLError } from 'graphql';

import { AuthenticationError } from '../../../../src/entries/datasource.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import { HeaderMap, createHandler } from '../../../../src/entries/index.ts';
import type {
  Door,
  DoorRules,
  HTTPResponse,
  OperationOutcome,
  RequestBody,
  RequestCall,
  ServerPlugin,
} from '../../../../src/entries/index.ts';
import { openTelemetry } from '../../../../src/entries/opentelemetry.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = 'type Query { me: String } type Mutation { receive(event: JSON): String } scalar JSON';
const documents = { receive: 'mutation Receive($event: JSON) { receive(event: $event) }', me: '{ me }' };

function respond(status: number, body: string | null, headers: Record<string, string> = {}): HTTPResponse {
  return { status, headers: new HeaderMap({ 'content-type': 'text/plain', ...headers }), body };
}

/** A door at `…/hook` that runs a mutation with the body. */
const hook: Door = {
  name: 'hook',
  rules: () => ({ methods: ['POST'] }),
  read: async (_call, body) => ({
    request: { documentId: 'receive', variables: { event: await body.json() } },
    write: ({ errors }) => (errors.length === 0 ? respond(204, null) : respond(500, 'failed')),
  }),
  refuse: ({ status, error }) => respond(status, `refused: ${error.message}`),
};

function pluginWith(door: Partial<Door>, end = '/hook'): ServerPlugin {
  return { doors: () => (request) => (request.path.endsWith(end) ? { ...hook, ...door } : undefined) };
}

interface Served {
  readonly post: (body?: string, headers?: Record<string, string>, init?: RequestInit) => Promise<Response>;
  readonly received: unknown[];
  readonly lines: ReturnType<typeof recordingLogger>[1];
}

function serve(plugins: readonly ServerPlugin[], options: object = {}): Served {
  const received: unknown[] = [];
  const [logger, lines] = recordingLogger();
  const receive = (_: unknown, { event }: { event: unknown }): string => {
    if (event === 'fail') throw new Error('secret');
    received.push(event);
    return 'done';
  };
  const handler = createHandler({
    nodeEnv: 'production',
    csrfPrevention: true,
    logger,
    typeDefs,
    resolvers: { Query: { me: () => 'Ada' }, Mutation: { receive } },
    trustedDocuments: { documents, only: true },
    plugins,
    ...options,
  } as never);
  const post: Served['post'] = async (body = '{"a":1}', headers = {}, init = {}) =>
    handler(
      new Request('https://shop.example/graphql/hook', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        ...init,
      }),
      { waitUntil: () => {} } as never,
    ) as Promise<Response>;
  return { post, received, lines };
}

const shown = async (response: Response): Promise<[number, string]> => [response.status, await response.text()];

describe("a plugin's door", () => {
  test('runs a trusted mutation, and writes its answer', async () => {
    const { post, received } = serve([pluginWith({})]);

    const answers = [await post(), await post('"fail"')];

    assert.deepEqual(
      [await Promise.all(answers.map(shown)), received],
      [
        [
          [204, ''],
          [500, 'failed'],
        ],
        [{ a: 1 }],
      ],
    );
  });

  for (const [what, headers, init, expected] of [
    ['a GET', {}, { method: 'GET', body: null }, [405, 'refused: Expected POST, got GET.']],
    ['no content type', { 'content-type': '' }, {}, [415, 'refused: Expected content-type application/json, got none that is valid.']],
    [
      'a type that pages of other sites can send',
      { 'content-type': 'text/plain' },
      {},
      [415, 'refused: Expected content-type application/json, got text/plain.'],
    ],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, {}, [415, 'refused: Expected charset utf-8, got latin1.']],
    ['a compressed body', { 'content-encoding': 'gzip' }, {}, [415, 'refused: Expected a body without content-encoding, got one.']],
    ['a body that is too large', {}, { body: `"${'x'.repeat(100)}"` }, [413, 'refused: Expected a body of at most 100 bytes, got more.']],
    [
      'bytes that are not UTF-8',
      {},
      { body: new Uint8Array([0x22, 0xff, 0x22]) },
      [400, 'refused: Expected the body to be UTF-8 text, but its bytes are not.'],
    ],
    ['a body that is not JSON', {}, { body: '{' }, [400, 'refused: Expected the body to be JSON, but it does not parse.']],
    ['no body', {}, { body: '' }, [400, 'refused: Expected a JSON body, got an empty one.']],
    ['an Accept that refuses its type', { accept: 'text/plain;q=0, image/*' }, {}, [406, 'refused: Expected Accept to allow text/plain.']],
  ] as const)
    test(`refuses ${what}, in the form of the door`, async () => {
      const rules: DoorRules = { methods: ['POST'], gives: ['text/plain'], maxBodyBytes: 100 };
      const { post, received } = serve([pluginWith({ rules: () => rules })]);

      const response = await post(undefined, headers, init);

      assert.deepEqual([await shown(response), received], [expected, []]);
    });

  test('refuses a body that nests too deep, or has too many objects', async () => {
    const { post } = serve([pluginWith({})]);

    const deep = await shown(await post(`${'['.repeat(300)}${']'.repeat(300)}`));
    const wide = await shown(await post(`[${'{},'.repeat(60_000)}{}]`));

    assert.deepEqual([deep[0], wide[0]], [422, 422]);
    assert.match(deep[1], /^refused: Expected a request to nest at most \d+ levels deep/);
    assert.match(wide[1], /^refused: Expected a request of at most \d+ objects and lists/);
  });

  test('names its methods to a client that asks, and allows them to other origins', async () => {
    const { post } = serve([pluginWith({ rules: () => ({ methods: ['PUT', 'DELETE'], cors: { origin: 'https://app.example' } }) })]);
    const asking = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };

    const answers = [await post('', asking, { method: 'OPTIONS', body: null }), await post('', asking)];

    const fields = ['allow', 'access-control-allow-origin', 'access-control-allow-methods', 'vary', 'cache-control'];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, ...fields.map((name) => headers.get(name))]),
      [
        [204, 'PUT, DELETE, OPTIONS', 'https://app.example', 'PUT, DELETE', 'Origin', 'private, no-store'],
        [405, 'PUT, DELETE', 'https://app.example', null, 'Origin', 'private, no-store'],
      ],
    );
  });

  test('has its own methods in a preflight, whatever the option cors allows', async () => {
    const { post } = serve([pluginWith({})], { cors: { methods: ['GET'], origin: '*' } });

    const { headers } = await post(
      '',
      { origin: 'https://a.example', 'access-control-request-method': 'POST' },
      { method: 'OPTIONS', body: null },
    );

    assert.equal(headers.get('access-control-allow-methods'), 'POST');
  });

  test('masks what it throws, in its form, and passes on what it refuses', async () => {
    const failing = serve([pluginWith({ read: () => assert.fail('secret') })]);
    const http = { status: 403, headers: { 'x-why': 'signature' } };
    const refusing = serve([
      pluginWith({ read: () => Promise.reject(new GraphQLError('Wrong signature.', { extensions: { code: 'FORBIDDEN', http } })) }),
    ]);

    const answers = [await failing.post(), await refusing.post()];

    assert.equal(answers[1]!.headers.get('x-why'), 'signature');
    assert.deepEqual(await Promise.all(answers.map(shown)), [
      [500, 'refused: Internal server error'],
      [403, 'refused: Wrong signature.'],
    ]);
  });

  for (const [what, door] of [
    ['rules', { rules: () => undefined }],
    ['read', { read: () => undefined }],
    ['read, as a response without headers', { read: () => ({ status: 200 }) }],
    ['write', { read: () => ({ request: { documentId: 'me' }, write: () => ({ status: 200, headers: {}, body: 3 }) }) }],
  ] as const)
    test(`is a masked 500 if it returns nothing useful from ${what}`, async () => {
      const [response] = [await serve([pluginWith(door as never)]).post()];

      assert.deepEqual(await shown(response), [500, 'refused: Internal server error']);
    });

  test('that cannot refuse leaves it to the form of GraphQL', async () => {
    const { post } = serve([pluginWith({ refuse: () => assert.fail('secret') })]);

    const [status, text] = await shown(await post('{'));

    assert.equal(status, 500);
    assert.deepEqual(JSON.parse(text).errors[0].message, 'Internal server error');
  });

  test('may return headers as an object', async () => {
    const write = (): HTTPResponse => ({ status: 200, headers: { 'x-a': '1' } as never, body: 'text' });
    const { post } = serve([pluginWith({ read: () => ({ request: { documentId: 'me' }, write }) })]);

    const response = await post();

    assert.deepEqual(
      [response.status, response.headers.get('x-a'), response.headers.get('cache-control')],
      [200, '1', 'private, no-store'],
    );
  });
});

describe('the body for a door', () => {
  const exact = '\ufeff{ "a" :  "é" }\r\n';
  const event = {
    version: '2.0',
    rawPath: '/hook',
    rawQueryString: '',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
  };
  for (const [what, given] of [
    ['a stream', new Request('https://a.example/hook', { method: 'POST', headers: { 'content-type': 'application/json' }, body: exact })],
    ['text', { ...event, body: exact, isBase64Encoded: false }],
    ['base64', { ...event, body: Buffer.from(exact).toString('base64'), isBase64Encoded: true }],
  ] as const)
    test(`as ${what} is read as the exact text, and as JSON, in any order`, async () => {
      const seen: unknown[] = [];
      const read = async (_call: RequestCall, body: RequestBody): Promise<HTTPResponse> => {
        seen.push(await body.text(), await body.json(), await body.text(), await body.json());
        return respond(200, 'ok');
      };
      const handler = createHandler({ typeDefs, resolvers: {}, plugins: [pluginWith({ read })] } as never);

      await handler(given as never, {} as never);

      assert.deepEqual(seen, [exact, { a: 'é' }, exact, { a: 'é' }]);
    });

  for (const order of ['text', 'json'] as const)
    test(`is refused when ${order} reads too many bytes`, async () => {
      const { post } = serve([pluginWith({ read: async (_call, body) => respond(200, String(await body[order]())) })], {
        maxBodyBytes: 20,
      });

      assert.deepEqual(await shown(await post(`"${'é'.repeat(10)}"`)), [413, 'refused: Expected a body of at most 20 bytes, got more.']);
    });

  test('has a signature over its text', async () => {
    const sign = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');
    const read: Door['read'] = async ({ request: { headers } }, body) => {
      if (headers.get('x-signature') !== sign(await body.text())) return respond(401, 'Wrong signature.');
      return hook.read(undefined as never, body);
    };
    const { post, received } = serve([pluginWith({ read })]);

    const statuses = [
      (await post(exact, { 'x-signature': sign(exact) })).status,
      (await post(exact, { 'x-signature': sign('{}') })).status,
    ];

    assert.deepEqual([statuses, received], [[204, 401], [{ a: 'é' }]]);
  });
});

describe('the doors of several plugins', () => {
  const answering = (name: string): Partial<Door> => ({ name, read: () => respond(200, name) });

  test('are asked in the order of the list, whatever the position', async () => {
    const first = pluginWith(answering('first'));
    const { post } = serve([first, { ...pluginWith(answering('second')), position: 'first' }]);

    assert.deepEqual(await shown(await post()), [200, 'first']);
  });

  test('do not answer health checks, and leave other paths to GraphQL', async () => {
    const handler = createHandler({ typeDefs, resolvers: {}, plugins: [pluginWith(answering('all'), ''), pluginWith({})] } as never);
    const elsewhere = createHandler({ typeDefs, resolvers: { Query: { me: () => 'Ada' } }, plugins: [pluginWith({})] } as never);
    const get = async (target: typeof handler, path: string): Promise<string> =>
      (
        (await target(new Request(`https://a.example/${path}`, { headers: { 'vendor-require-preflight': '1' } }), {} as never)) as Response
      ).text();

    assert.deepEqual(await Promise.all([get(handler, 'health'), get(handler, 'health/x'), get(elsewhere, '?query={me}')]), [
      '{"status":"pass"}',
      'refused: Expected POST, got GET.',
      '{"data":{"me":"Ada"}}',
    ]);
  });
});

describe('at a door', () => {
  test('plugins see its name, and caches keep nothing unless it names its parameters', async () => {
    const seen: unknown[] = [];
    const watching: ServerPlugin = {
      request: async (call, next) => {
        seen.push([call.door, call.route, call.doorParameters]);
        return next();
      },
    };
    const parameters = ['a'];
    const { post } = serve([watching, pluginWith({ route: '/hook/{id}', parameters })]);

    await post();

    assert.deepEqual(seen, [['hook', '/hook/{id}', ['a']]]);
    assert.equal(Object.isFrozen(parameters), false);
  });

  test('a mutation with a key runs once', async () => {
    const { post, received } = serve([idempotency({ identity: () => 'all', store: memoryStore({ isOnlyProcess: true }) }), pluginWith({})]);

    const statuses = [];
    for (let at = 0; at < 2; at++) statuses.push((await post(undefined, { 'idempotency-key': '"k1"' })).status);

    assert.deepEqual([statuses, received], [[204, 204], [{ a: 1 }]]);
  });

  test('the cost line and spans have its name and its route, and without a route the kind of the operation', async () => {
    const records: CostRecord[] = [];
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const plugins = [costLine({ write: (_line, record) => void records.push(record) }), openTelemetry({ tracerProvider })];
    const routed = serve([...plugins, pluginWith({ route: '/hook/{id}' })]);
    const plain = serve([...plugins, pluginWith({})]);

    for (const { post } of [routed, plain]) for (const body of ['{}', '{']) await post(body);

    assert.deepEqual(
      records.map(({ door, route, type, status }) => [door, route, type, status]),
      [
        ['hook', '/hook/{id}', 'mutation', 204],
        ['hook', '/hook/{id}', null, 400],
        ['hook', undefined, 'mutation', 204],
        ['hook', undefined, null, 400],
      ],
    );
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes }) => [name, attributes['graphql_functions.door'], attributes['http.route']]);
    assert.deepEqual(spans, [
      ['POST /hook/{id}', 'hook', '/hook/{id}'],
      ['POST /hook/{id}', 'hook', '/hook/{id}'],
      ['hook mutation', 'hook', undefined],
      ['hook request', 'hook', undefined],
    ]);
  });

  test('an explanation has its name', async () => {
    const write = ({ result }: OperationOutcome): HTTPResponse => respond(200, JSON.stringify(result.extensions?.['explain']));
    const { post } = serve([pluginWith({ read: () => ({ request: { documentId: 'me' }, write }) })], { nodeEnv: 'development' });

    const report = await (await post(undefined, { 'graphql-functions-explain': '1' })).json();

    assert.equal((report as { door?: string }).door, 'hook');
  });

  test('what context refuses is an outcome, also without an operation', async () => {
    const failed: unknown[] = [];
    const contextCreationDidFail: ServerPlugin['contextCreationDidFail'] = ({ error }) => void failed.push(error.message);
    const read: Door['read'] = async (call) => {
      const { contextValue, refused } = await call.createContext();
      return refused === undefined
        ? respond(200, JSON.stringify(contextValue))
        : respond(call.statusOf(refused), refused.result.errors![0]!.message);
    };
    const context = async ({ request }: { request: { headers: HeaderMap } }): Promise<object> => {
      if (request.headers.get('authorization') === null) throw new AuthenticationError('Sign in.');
      return { user: 'Ada' };
    };
    const { post } = serve([pluginWith({ read }), { contextCreationDidFail }], { context });

    const answers = [await post('', { authorization: 'x' }), await post('')];

    assert.deepEqual(
      [await Promise.all(answers.map(shown)), failed],
      [
        [
          [200, '{"user":"Ada"}'],
          [401, 'Sign in.'],
        ],
        ['Sign in.'],
      ],
    );
  });

  test('a context that hangs is refused at the deadline', async () => {
    const read: Door['read'] = async (call) => {
      const { refused } = await call.createContext();
      return respond(call.statusOf(refused!), refused!.result.errors![0]!.extensions!['code'] as string);
    };
    const handler = serve([pluginWith({ read })], { context: () => new Promise(() => {}), deadline: { ms: 50, reserveMs: 20 } });

    assert.deepEqual(await shown(await handler.post('')), [504, 'DEADLINE_EXCEEDED']);
  });

  test('the variables that it fills replace those of the request', async () => {
    const read: Door['read'] = () => ({
      request: { documentId: 'receive', variables: { event: 'of the client' } },
      fill: (contextValue) => ({ event: contextValue }),
      write: () => respond(204, null),
    });
    const { post, received } = serve([pluginWith({ read })], { context: () => ({ user: 'Ada' }) });

    await post();

    assert.deepEqual(received, [{ user: 'Ada' }]);
  });
});
