import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { deferred } from '../support/deferred.ts';
import { API, Operations } from './api.ts';

/** Starts a server that sends these bytes for each request. They can depend on the request line. */
async function listen(t: TestContext, answer: (line: string, socket: Socket) => string | Uint8Array): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => void socket.write(answer(bytes.toString('latin1').split('\r\n')[0]!, socket)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an unusual status line keeps its code and status', () => {
  for (const [line, name, code, status] of [
    ['401 Nicht erlaubt \u2713', 'AuthenticationError', 'UNAUTHENTICATED', 401],
    ['403 \u7981\u6b62', 'ForbiddenError', 'FORBIDDEN', 403],
    ['600 Beyond', 'GraphQLError', 'INTERNAL_SERVER_ERROR', 600],
    ['999 Request Denied', 'GraphQLError', 'INTERNAL_SERVER_ERROR', 999],
  ] as const) {
    it(line, async (t) => {
      const url = await listen(t, () => Buffer.from(`HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nno`));

      await assert.rejects(
        new API(url).read('a'),
        (error: Error & { extensions: { code: string; response: { status: number; body: unknown } } }) => {
          const { response, ...rest } = error.extensions;
          assert.deepEqual([error.name, rest.code, response.status, response.body], [name, code, status, 'no']);
          return true;
        },
      );
    });
  }

  it('a hook reads the status and the reason phrase, also of a clone', async (t) => {
    class Reading extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        const { status, statusText, ok } = response.clone();
        return [status, statusText, ok, response.status, await response.text()] as T;
      }
    }
    const url = await listen(t, () => Buffer.from('HTTP/1.1 799 \u2713\r\nContent-Length: 2\r\n\r\nno'));

    assert.deepEqual(await new Reading(url).read('a'), [799, '\u2713', false, 799, 'no']);
  });
});

describe('a Location in UTF-8', () => {
  for (const [kind, headers] of [
    ['fetch', {}],
    ['the data source', { authorization: 'Bearer x' }],
  ] as const) {
    it(`is followed by ${kind} to the same URL`, async (t) => {
      const url = await listen(t, (line) => {
        const found = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${line.length}\r\n\r\n${line}`);
        return line.startsWith('GET /a ')
          ? Buffer.from('HTTP/1.1 302 Found\r\nLocation: /b\u00fc\u2713\r\nContent-Length: 0\r\n\r\n')
          : found;
      });

      assert.equal(await new API(url).read('a', {}, { headers }), 'GET /b%C3%BC%E2%9C%93 HTTP/1.1');
    });
  }
});

describe('a body left unread by a hook closes its connection', () => {
  const hooks: Readonly<Record<string, (response: Response) => unknown>> = {
    'when it returns something else': (response) => response.status,
    'when it throws': () => {
      throw new Error('refused');
    },
  };
  for (const [name, hook] of Object.entries(hooks)) {
    it(name, async (t) => {
      const closed = deferred();
      class Leaving extends API {
        protected override async didReceiveResponse<T>(response: Response): Promise<T> {
          return hook(response) as T;
        }
      }
      const url = await listen(t, (_, socket) => {
        socket.on('close', () => closed.resolve());
        return 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
      });

      await new Leaving(url).read('a').catch(() => {});

      await closed.promise;
    });
  }

  it('when cacheOptionsFor throws', async (t) => {
    const closed = deferred();
    const url = await listen(t, (_, socket) => {
      socket.on('close', () => closed.resolve());
      return 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
    });
    const cacheOptions = (): never => {
      throw new Error('refused');
    };

    await assert.rejects(new Operations(url).begin().read('a', {}, { cacheOptions }), { message: 'refused' });

    await closed.promise;
  });

  it('but not one that it returns', async (t) => {
    class Returning extends API {
      protected override didReceiveResponse<T>(response: Response): Promise<T> {
        return Promise.resolve({ stream: response.body } as T);
      }
    }
    const url = await listen(t, () => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

    const { stream } = await new Returning(url).read('a', {}, { cache: 'no-store' });

    assert.equal(await new Response(stream).text(), 'ok');
  });
});
