import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { PlainRequest } from '../../support/plain-http.ts';
import { restAPI } from '../../support/sources.ts';

type Handler = (event: unknown, context: object) => Promise<unknown>;

/** A REST API of API Gateway with the stage "prod", which is part of the URL, but not of the path in the event. */
export async function serveStage(handler: Handler): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const result = await handler(restAPI.build(await toPlainRequest(incoming)), {});
      const { status, headers, body } = await restAPI.read(result);
      outgoing.writeHead(status, Object.fromEntries(headers)).end(body);
    })();
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}/prod/graphql`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function toPlainRequest(incoming: IncomingMessage): Promise<PlainRequest> {
  const [path = '', query = ''] = (incoming.url ?? '').split('?');
  const names = incoming.rawHeaders.filter((_, index) => index % 2 === 0);
  return {
    method: incoming.method ?? 'GET',
    path: path.replace(/^\/prod/, ''),
    query,
    headers: names.map((name, index) => [name, incoming.rawHeaders[2 * index + 1] ?? ''] as const),
    body: incoming.method === 'POST' ? await text(incoming) : undefined,
  };
}
