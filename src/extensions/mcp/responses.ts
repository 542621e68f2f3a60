import { HeaderMap } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';

export const jsonType = 'application/json';

/** Headers of clients in web pages. Older ones send the last two. */
export const allowedHeaders: readonly string[] = [
  'content-type',
  'accept',
  'authorization',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
];

/** A response of JSON-RPC: `message` has its id, and its result or error. */
export function rpc(status: number, message: object): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': jsonType, 'x-content-type-options': 'nosniff' });
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}

/** Creates a refusal that clients show or log. */
export function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  return {
    status,
    headers: new HeaderMap({ 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers }),
    body: text,
  };
}

/** The response to notifications. */
export function accepted(): HTTPResponse {
  return { status: 202, headers: new HeaderMap(), body: null };
}
