/**
 * Whether cache writes are lost if the process is frozen after each response, as on Lambda: 1,000 operations in AWS's runtime client
 * (node test/real/install.ts test:real), each of which writes one entry into a store that takes 20 ms.
 *
 *     node bench/freeze.ts
 *
 * Expected: none. The entry of the last call is read while the process is still frozen, so no later call can have finished the write.
 * Takes half a minute.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { bundle, createFolder } from '../test/real/bundle.ts';
import { deploy } from '../test/real/lambda-function.ts';
import { needs } from '../test/real/parts.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

export interface FreezeResult {
  readonly operations: number;
  /** Operations whose entry was not in the store when the response arrived. */
  readonly late: number;
  /** Entries that were not in the store at the end. */
  readonly lost: number;
  /** Milliseconds, including the write. */
  readonly median: number;
}

const operations = 1000;
const writeTime = 20;

export async function measureFreeze(): Promise<FreezeResult | string> {
  const { skip } = needs('aws-lambda-ric');
  if (skip !== false) return skip;
  const entries = new Map<string, string>();
  const server = await startServer(entries);
  const folder = await createFolder();
  await bundle('bench/functions/writing.ts', `${folder.path}/writing.mjs`, 'lambda-esm');
  const lambda = await deploy({
    taskRoot: folder.path,
    handler: 'writing.default',
    freezes: true,
    environment: { SERVER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, NODE_ENV: 'production' },
  });
  try {
    const times: number[] = [];
    let late = 0;
    for (let id = 0; id < operations; id++) {
      const begun = performance.now();
      const outcome = await lambda.invoke(createEvent(JSON.stringify({ query: `{ item(id: "${id}") { id } }` })));
      times.push(performance.now() - begun);
      assertAnswers(outcome, id);
      if (entries.size !== id + 1) late++;
    }
    return { operations, late, lost: operations - entries.size, median: rounded(median(times)) };
  } finally {
    await lambda.end();
    await folder.remove();
    server.close();
    server.closeAllConnections();
  }
}

/** An API and a store: responses of `/items/…` are fresh for a minute, `/store/…` stores them. */
async function startServer(entries: Map<string, string>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const [, kind, key = ''] = /^\/(items|store)\/(.*)$/.exec(request.url ?? '') ?? [];
    if (kind === 'items') {
      response.setHeader('content-type', 'application/json');
      response.setHeader('cache-control', 'public, max-age=60');
      response.end(JSON.stringify({ id: key }));
    } else if (request.method === 'PUT') {
      const value = await textOf(request);
      setTimeout(() => {
        entries.set(key, value);
        response.end();
      }, writeTime);
    } else {
      const value = entries.get(key);
      response.statusCode = value === undefined ? 404 : 200;
      response.end(value);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function assertAnswers(outcome: unknown, id: number): void {
  const { value } = outcome as { value?: { body?: string } };
  if (value?.body !== JSON.stringify({ data: { item: { id: String(id) } } })) throw new Error(`unexpected: ${JSON.stringify(outcome)}`);
}

if (import.meta.main) {
  const result = await measureFreeze();
  console.log(process.env['AS_JSON'] ? JSON.stringify(result) : result);
  process.exit(0);
}
