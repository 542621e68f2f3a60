import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { serveOnLoopback } from '../real/loopback.ts';

/** A request as the origin saw it. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The origin's response: an object as `body` is sent as JSON; "hang up" ends the connection instead. */
export type Reply = 'hang up' | { status?: number; headers?: Record<string, string | string[]>; body?: unknown };

/** A real HTTP server on loopback, and the requests it received. */
export interface Origin {
  readonly url: string;
  readonly calls: Call[];
}

/** Starts an origin for one test. `answer` receives the call and the number of earlier calls. */
export async function startOrigin(t: TestContext, answer: (call: Call, before: number) => Reply | Promise<Reply>): Promise<Origin> {
  const calls: Call[] = [];
  const url = await serveOnLoopback(t, async (request, response) => {
    // A client that disconnects while it sends a body must not fail a later test.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const call = { method: request.method!, url: request.url!, headers: request.headers, body };
    const before = calls.push(call) - 1;
    sendReply(response, await answer(call, before));
  });
  return { url, calls };
}

function sendReply(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang up') {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, body = '' } = reply;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}
