import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import { HeaderMap, createHandler } from '../../../../src/entries/index.ts';
import type { Door, DoorRules, HTTPResponse, RequestBody, RequestCall, ServerPlugin } from '../../../../src/entries/index.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = 'type Query { me: String } type Mutation { receive(event: JSON): String } scalar JSON';
const documents = { receive: 'mutation Receive($event: JSON) { receive(event: $event) }', me: '{ me }' };

function plain(status: number, body: string | null, headers: Record<string, string> = {}): HTTPResponse {
  return { status, headers: new HeaderMap({ 'content-type': 'text/plain', ...headers }), body };
}

/** A door at `…/hook` that runs a mutation with the body. */
const hook: Door = {
  name: 'hook',
  rules: () => ({ methods: ['POST'] }),
  read: async (_call, body) => ({
    request: { documentId: 'receive', variables: { event: await body.json() } },
    write: ({ errors }) => (errors.length === 0 ? plain(204, null) : plain(500, 'failed')),
  }),
  refuse: ({ status, error }) => plain(status, `refused: ${error.message}`),
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
  const sent: readonly (readonly [string, RequestInit])[] = [['a stream', { body: exact }]];
  for (const [what, init] of sent)
    test(`as ${what} is read as the exact text, and as JSON, in any order`, async () => {
      const seen: unknown[] = [];
      const read = async (_call: RequestCall, body: RequestBody): Promise<HTTPResponse> => {
        seen.push(await body.text(), await body.json(), await body.text(), await body.json());
        return plain(200, 'ok');
      };
      const { post } = serve([pluginWith({ read })]);

      const response = await post(undefined, {}, init);

      assert.deepEqual([response.status, seen], [200, [exact, { a: 'é' }, exact, { a: 'é' }]]);
    });

  for (const order of ['text', 'json'] as const)
    test(`is refused when ${order} reads too many bytes`, async () => {
      const { post } = serve([pluginWith({ read: async (_call, body) => plain(200, String(await body[order]())) })], { maxBodyBytes: 20 });

      assert.deepEqual(await shown(await post(`"${'é'.repeat(10)}"`)), [413, 'refused: Expected a body of at most 20 bytes, got more.']);
    });

  test('has a signature over its text', async () => {
    const sign = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');
    const read: Door['read'] = async ({ request: { headers } }, body) => {
      if (headers.get('x-signature') !== sign(await body.text())) return plain(401, 'Wrong signature.');
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
  const answering = (name: string): Partial<Door> => ({ name, read: () => plain(200, name) });

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
});
