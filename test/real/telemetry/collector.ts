import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that receives the data of exporters, and answers data sources. */
export interface Collector {
  readonly url: string;
  readonly bodies: { readonly path: string; readonly text: string }[];
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Collector['bodies'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'GET') bodies.push({ path: request.url ?? '', text: Buffer.concat(chunks).toString() });
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A span in the JSON format of OTLP. */
export interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
}

/** The spans received by OTLP. */
export function spansIn({ bodies }: Collector): ExportedSpan[] {
  return bodies
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ text }) => JSON.parse(text).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans as ExportedSpan[]);
}
