/**
 * An API in a child process of bench/datasource.ts, so that its work is not part of the caller's time. `/fresh/<KB>/<id>` is fresh for an
 * hour; `/validated/<KB>/<id>` must be revalidated each time, and never changes.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { bookOf } from './book.ts';

const bodies = new Map([1, 20, 200].map((size) => [String(size), JSON.stringify(bookOf(size))]));

const server = createServer((request, response) => {
  const [, kind, size] = request.url!.split('/');
  const isKnown = kind === 'validated' && request.headers['if-none-match'] === '"1"';
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', kind === 'fresh' ? 'max-age=3600' : 'no-cache');
  if (kind === 'validated') response.setHeader('etag', '"1"');
  request.resume();
  response.writeHead(isKnown ? 304 : 200).end(isKnown ? '' : bodies.get(size!));
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));

// The bench has ended.
process.on('disconnect', () => process.exit());
