import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, request as sendRequest, Agent, ServerResponse } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectTwo, createServer as createServerTwo } from 'node:http2';
import type { Http2Server } from 'node:http2';
import { Readable } from 'node:stream';
import { buffer as bytesOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createListener } from '../../../../src/entries/node.ts';
import type { NodeListener } from '../../../../src/entries/node.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { postJSON } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

let listeners = 0;

function listenerOf(options: Partial<ServerOptions> = {}): NodeListener {
  return createListener({
    nodeEnv: '',
    logger: recordingLogger()[0],
    context: ({ request }: any) => ({ headers: request.headers }),
    typeDefs: `type Query { header(name: String!): String } # ${listeners++}`,
    resolvers: { Query: { header: (_parent: unknown, { name }: any, { headers }: any) => headers.get(name) } },
    ...options,
  } as ServerOptions as never);
}

type Middleware = (request: any, response: ServerResponse) => Promise<void> | void;

/** Listens until the test ends, and returns the server's URL. */
async function listen(t: TestContext, server: Server | Http2Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A server with middleware before the handler, and its response to one request. */
async function behind(t: TestContext, middleware: Middleware, options?: Partial<ServerOptions>): Promise<typeof send> {
  const listener = listenerOf(options);
  const server = createServer(async (request, response) => {
    await middleware(request, response);
    await listener(request, response);
  });
  const url = await listen(t, server);
  const send = async (query: string, own: Record<string, string> = {}): Promise<{ status: number; headers: Headers; body: any }> => {
    const response = await postJSON(url, { query }, own);
    const { status, headers } = response;
    return { status, headers, body: await response.json() };
  };
  return send;
}

describe('header fields set by middleware', () => {
  const sent = async (t: TestContext, fields: Record<string, string | string[]>, own: Record<string, string> = {}): Promise<Headers> => {
    const context = ({ response }: any): object => {
      for (const [name, value] of Object.entries(own)) response.headers.append(name, value);
      return {};
    };
    const setFields: Middleware = (_request, response) => {
      for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
    };
    const send = await behind(t, setFields, { context: context as never });
    const { headers } = await send('{ __typename }');
    return headers;
  };

  for (const [name, before, own, expected] of [
    ['Set-Cookie', ['session=1', 'seen=2'], 'user=3', ['session=1', 'seen=2', 'user=3']],
    ['Set-Cookie', 'session=1', undefined, ['session=1']],
    ['Vary', 'Origin', undefined, 'Origin, Accept'],
    ['Vary', ['Origin', 'Accept'], 'X-User', 'Origin, Accept, X-User'],
    ['Vary', '*', undefined, '*'],
  ] as const)
    test(`are kept with those of the response: ${name}: ${String(before)}`, async (t) => {
      const headers = await sent(t, { [name]: before as string }, own === undefined ? {} : { [name]: own });

      assert.deepEqual(name === 'Vary' ? headers.get(name) : headers.getSetCookie(), expected);
    });
});

describe('header fields of a response can be read after it was sent, as loggers do', () => {
  const touch: Record<string, (response: ServerResponse) => void> = {
    'where middleware has set a field': (response) => void response.setHeader('x-by', 'middleware'),
    'where middleware waits for the head': (response) => {
      const { writeHead } = response;
      response.writeHead = ((...head: never) => writeHead.apply(response, head)) as typeof writeHead;
    },
    'where a framework has its own response class, such as Express': (response) => {
      Object.setPrototypeOf(response, Object.create(ServerResponse.prototype) as object);
    },
  };

  for (const [name, touchResponse] of Object.entries(touch))
    test(name, async (t) => {
      let seen: unknown;
      const send = await behind(t, (_request, response) => {
        touchResponse(response);
        response.on('finish', () => (seen = [response.getHeader('content-length'), response.getHeader('x-content-type-options')]));
      });

      const { status, body } = await send('{ __typename }');

      assert.equal(status, 200);
      assert.deepEqual(seen, [JSON.stringify(body).length, 'nosniff']);
    });
});

describe('a body that was already read', () => {
  const middleware: Record<string, Middleware> = {
    'is used as the value that express.json() parsed': async (request) => {
      request.body = JSON.parse(String(await bytesOf(request)));
    },
    'is used as the bytes that express.raw() read': async (request) => {
      request.body = await bytesOf(request);
    },
    'is used as functions-framework and Firebase store it, with the bytes before the value': async (request) => {
      request.rawBody = await bytesOf(request);
      request.body = { not: 'what was sent' };
    },
    'is read by the handler if the middleware only left an empty object': (request) => {
      request.body = {};
    },
  };
  for (const [name, before] of Object.entries(middleware)) {
    test(name, async (t) => {
      const send = await behind(t, before);

      assert.deepEqual((await send('{ header(name: "x-user") }', { 'x-user': 'ada' })).body, { data: { header: 'ada' } });
    });
  }

  test('and not stored is a 500 that names the cause, also in the log', async (t) => {
    const [logger, lines] = recordingLogger();
    const send = await behind(t, async (request) => void (await bytesOf(request)), { logger });

    const { status, body } = await send('{ header(name: "a") }');

    assert.equal(status, 500);
    assert.match(body.errors[0].message, /was read before .* before middleware that reads bodies, such as express\.json\(\)/);
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['error', body.errors[0].message]],
    );
  });

  test('is limited by its original size', async (t) => {
    const send = await behind(t, async (request) => void (request.body = await bytesOf(request)), { maxBodyBytes: 10 });

    assert.equal((await send('{ header(name: "a") }')).status, 413);
  });
});

describe('headers', () => {
  test('that middleware has deleted or set are used as changed', async (t) => {
    const send = await behind(t, (request) => {
      delete request.headers['x-user'];
      request.headers['x-role'] = 'reader';
      request.headers['x-new'] = 'new';
    });
    const query = '{ user: header(name: "x-user") role: header(name: "x-role") new: header(name: "x-new") }';

    const { body } = await send(query, { 'x-user': 'forged', 'x-role': 'forged' });

    assert.deepEqual(body, { data: { user: null, role: 'reader', new: 'new' } });
  });

  // A stream with `headers`, but without raw headers.
  for (const [name, complete] of [
    ['serverless-http', { complete: true, rawHeaders: [], headersDistinct: {} }],
    ['light-my-request', {}],
  ] as const) {
    test(`of a simulated request, as by ${name}, are complete`, async () => {
      const body = '{"query":"{ header(name: \\"x-user\\") }"}';
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length), 'x-user': 'ada' };
      const request: any = Object.assign(Readable.from([Buffer.from(body)]), { method: 'POST', url: '/', headers }, complete);
      const response = new ServerResponse(new IncomingMessage(null as never));
      const written: string[] = [];
      response.write = (chunk: any) => (written.push(String(chunk)), true);
      response.end = ((chunk: any) => (written.push(String(chunk)), response)) as never;

      await listenerOf()(request, response);

      assert.equal(written.join(''), '{"data":{"header":"ada"}}');
    });
  }

  test('of an HTTP/2 request without a content-length are complete, and so is its body', async (t) => {
    const server = createServerTwo(listenerOf() as never);
    const client = connectTwo(await listen(t, server));
    t.after(() => client.destroy());
    const stream = client.request({ ':method': 'POST', ':path': '/', 'content-type': 'application/json', 'x-user': 'ada' });

    stream.end('{"query":"{ header(name: \\"x-user\\") }"}');

    assert.equal(String(await bytesOf(stream)), '{"data":{"header":"ada"}}');
  });
});

describe('a body above the limit', () => {
  /** A request on a connection that is kept alive. */
  async function post(agent: Agent, url: string, body: Buffer): Promise<number | undefined> {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const [response] = (await once(sendRequest(url, { agent, method: 'POST', headers }).end(body), 'response')) as [IncomingMessage];
    await bytesOf(response);
    return response.statusCode;
  }

  for (const length of [2 ** 20 + 1, 2 ** 24])
    test(`is a 413, and the next request on its connection is answered: ${length} bytes`, async (t) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      t.after(() => agent.destroy());
      const url = await listen(t, createServer(listenerOf()));

      for (let round = 0; round < 5; round++)
        for (const [body, status] of [
          [Buffer.alloc(length, 0x20), 413],
          [Buffer.from('{"query":"{ __typename }"}'), 200],
        ] as const)
          assert.equal(await post(agent, url, body), status);
    });
});

test('a listener called with a Request names the function to use', async () => {
  const listener = createListener({ typeDefs: 'type Query { ok: Boolean }' }) as unknown as (...args: unknown[]) => Promise<void>;

  await assert.rejects(
    listener(new Request('http://localhost/'), {}),
    /createListener takes the request and the response of a Node server/,
  );
});
