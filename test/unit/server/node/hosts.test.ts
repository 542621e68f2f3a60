import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';

import { createListener, serve } from '../../../../src/entries/node.ts';
import type { ListenOptions, NodeExchange } from '../../../../src/entries/node.ts';
import type { OptionsSource, ServerOptions } from '../../../../src/entries/index.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const closing: (() => unknown)[] = [];
after(() => Promise.all(closing.map((close) => close())));

let schemas = 0;
const optionsFor = (nodeEnv: string | undefined): ServerOptions => ({
  typeDefs: `type Query { a: Int } # hosts ${++schemas}`,
  rootValue: { a: 1 },
  logger: recordingLogger()[0],
  ...(nodeEnv !== undefined && { nodeEnv }),
});

async function served(nodeEnv: string | undefined, options: Pick<ListenOptions, 'allowedHosts' | 'host'> = {}): Promise<number> {
  const { port, close } = await serve(optionsFor(nodeEnv), { port: 0, signals: false, ...options });
  closing.push(close);
  return port;
}

async function listening(
  options: OptionsSource<ServerOptions<object, object, NodeExchange>>,
  listen?: Pick<ListenOptions, 'allowedHosts'>,
): Promise<number> {
  const server = createServer(createListener(options, listen)).listen(0);
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function ask(port: number, host: string, address = '127.0.0.1'): Promise<{ status: number | undefined; body: string }> {
  const headers = { host, 'content-type': 'application/json' };
  const sent = request({ host: address, port, method: 'POST', headers }).end('{"query":"{ a }"}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

const servers: Readonly<Record<string, (nodeEnv?: string, options?: Pick<ListenOptions, 'allowedHosts'>) => Promise<number>>> = {
  'serve()': served,
  'createListener()': (nodeEnv, options) => listening(optionsFor(nodeEnv), options),
  'createListener() with options that load': (nodeEnv, options) => listening(async () => optionsFor(nodeEnv), options),
};

for (const [name, start] of Object.entries(servers)) {
  describe(`${name} in development`, () => {
    for (const host of ['localhost.evil.test', '127.0.0.1.evil.test', '192.168.0.7:4000', 'notlocalhost'])
      it(`answers 403 to a request for ${host}, because a page may have pointed this name to the server`, async () => {
        const { status, body } = await ask(await start('development'), host);

        assert.equal(status, 403);
        assert.match(body, /answers only requests for localhost.*allowedHosts/);
        assert.equal(JSON.parse(body).errors[0].extensions.code, 'FORBIDDEN');
      });

    for (const host of ['localhost', 'localhost:4000', 'LOCALHOST:4000', 'shop.localhost:4000', '127.0.0.1:4000', '[::1]:4000'])
      it(`answers a request for ${host}`, async () => {
        assert.equal((await ask(await start('development'), host)).body, '{"data":{"a":1}}');
      });

    it('answers requests for allowedHosts, with any port, and for localhost', async () => {
      const port = await start('development', { allowedHosts: ['api', 'Shop.example'] });

      const statuses = await Promise.all(
        ['api:4000', 'shop.example', 'localhost', 'evil.test'].map(async (host) => (await ask(port, host)).status),
      );

      assert.deepEqual(statuses, [200, 200, 200, 403]);
    });
  });

  describe(`${name} elsewhere`, () => {
    for (const nodeEnv of ['production', 'test', ''])
      it(`answers requests for any host with NODE_ENV=${nodeEnv}`, async () => {
        assert.equal((await ask(await start(nodeEnv), 'api.example')).status, 200);
      });
  });
}

it('serve() with another interface as host answers requests for any host, also in development', async () => {
  assert.equal((await ask(await served('development', { host: '0.0.0.0' }), 'api')).status, 200);
  assert.equal((await ask(await served('development', { host: '127.0.0.1', allowedHosts: ['api'] }), 'evil.test')).status, 403);
});

for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', 'LOCALHOST', '::1'])
  it(`serve() with host ${host} answers 403 in development to a name that a page may have pointed to this machine`, async (t) => {
    let port: number;
    try {
      port = await served('development', { host });
    } catch {
      t.skip(`${host} is no address of this machine`);
      return;
    }

    const connected = host === '::1' ? '::1' : host.toLowerCase();
    assert.equal((await ask(port, 'evil.test', connected)).status, 403);
    assert.equal((await ask(port, 'localhost', connected)).status, 200);
  });

it('createListener() answers 403 while its options fail to load, because other sites must not read the error', async () => {
  const port = await listening(async () => {
    throw new Error('no database');
  });

  const { status, body } = await ask(port, 'evil.test');

  assert.equal(status, 403);
  assert.doesNotMatch(body, /database/);
});

it('wrong allowedHosts are refused', async () => {
  for (const wrong of ['api', ['http://api'], ['api:4000'], [7]]) {
    const listen = { allowedHosts: wrong as never };
    assert.throws(() => createListener(optionsFor(''), listen), /allowedHosts of createListener to be a list of host names/);
    await assert.rejects(() => serve(optionsFor(''), listen), /allowedHosts of serve to be a list of host names/);
  }
  assert.throws(() => createListener(optionsFor(''), { host: 'a' } as never), /Unknown option "host" of createListener/);
});
