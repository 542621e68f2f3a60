import type { TestContext } from 'node:test';

import { serveOnLoopback } from '../../support/real/loopback.ts';

/** A server that receives the data of exporters, and answers data sources. */
export interface Collector {
  readonly url: string;
  readonly bodies: { readonly path: string; readonly text: string }[];
}

export async function startCollector(t: TestContext): Promise<Collector> {
  const bodies: Collector['bodies'] = [];
  const url = await serveOnLoopback(t, async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    if (request.method !== 'GET') bodies.push({ path: request.url ?? '', text });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { url, bodies };
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
