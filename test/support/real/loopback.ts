// Servers on the loopback interface, which end with their test.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

import type { PlainRequest } from '../plain-http.ts';
import { readResult } from '../results.ts';
import type { ResultContract } from '../results.ts';

/** Serves on a free port. Returns the origin. */
export async function serveOnLoopback(t: Pick<TestContext, 'after'>, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that responds when the test allows it, which delays the probe that sent the request. */
export async function startGateServer(t: TestContext): Promise<{ url: string; open: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const url = await serveOnLoopback(t, (_request, response) => void promise.then(() => response.end()));
  return { url, open: resolve };
}

/** A server that background work of a probe calls when it has ended. */
export async function startReportServer(t: TestContext): Promise<{ url: string; received: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const url = await serveOnLoopback(t, (_request, response) => {
    response.end();
    resolve();
  });
  return { url, received: promise };
}

/** How a platform calls a function: the event of a request, and what it makes of the result. */
interface EventSource {
  readonly build: (request: PlainRequest) => object;
  readonly contract: ResultContract;
  /** The beginning of the URL's path that is not in the event. */
  readonly stage?: string;
}

/** Serves a function as its platform does. Returns the origin. */
export function serveEvents(
  t: Pick<TestContext, 'after'>,
  { build, contract, stage = '' }: EventSource,
  invoke: (event: object) => Promise<unknown>,
): Promise<string> {
  return serveOnLoopback(t, async (incoming, outgoing) => {
    const [path = '', query = ''] = incoming.url!.slice(stage.length).split('?');
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => [name, value] as const),
    );
    const body = Buffer.concat(await incoming.toArray()).toString() || undefined;
    const result = await invoke(build({ method: incoming.method!, path, query, headers, body }));
    const response = readResult(contract, result);
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'set-cookie': [...response.setCookies] });
    outgoing.end(response.body);
  });
}
