import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

import type { PlainRequest } from '../plain-http.ts';
import { contracts, readResult } from '../results.ts';
import { functionURL } from '../sources.ts';
import type { LambdaFunction } from './lambda-function.ts';

/** Serves a deployed function at a URL, as the platform does, but on the loopback interface. */
export async function openFunctionURL(t: TestContext, deployed: LambdaFunction): Promise<string> {
  const server = createServer((request, response) => void forward(deployed, request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function forward(deployed: LambdaFunction, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const outcome = await deployed.invoke(functionURL.build(await plainRequestOf(request)));
  if (outcome.kind !== 'result') {
    response.writeHead(502).end(JSON.stringify(outcome));
    return;
  }
  const { status, headers, setCookies, body } = readResult(contracts.payloadV2, outcome.value);
  response.writeHead(status, { ...Object.fromEntries(headers), 'set-cookie': [...setCookies] }).end(body);
}

async function plainRequestOf(request: IncomingMessage): Promise<PlainRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = '/', query = ''] = (request.url ?? '/').split('?');
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return {
    method: request.method ?? 'GET',
    path,
    query,
    headers,
    body: chunks.length === 0 ? undefined : Buffer.concat(chunks).toString(),
  };
}
