import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { lambda } from '../../../functions/catalogue.ts';
import { functionURLEvent } from '../../support/events.ts';

/** Serves the catalogue over HTTP, as template.yaml does with a function URL. */
export interface CatalogueServer {
  readonly url: string;
  /** The requests and the statuses of their answers: "GET /books 200". */
  readonly requests: string[];
}

export async function serveCatalogue(context: TestContext): Promise<CatalogueServer> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const body = (await text(request)) || undefined;
    const event = functionURLEvent({ method: request.method ?? '', path, query, headers, body });
    const result = (await lambda(event as never)) as { statusCode: number; headers: Record<string, string>; body: string };
    requests.push(`${request.method} ${request.url} ${result.statusCode}`);
    response.writeHead(result.statusCode, result.headers).end(result.body);
  }).listen(0, 'localhost');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, requests };
}
