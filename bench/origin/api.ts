/**
 * An API in a process of its own, so that its work is not part of the caller's time. A child of bench/datasource.ts.
 * `/fresh/<KB>/<id>` may be kept for an hour, `/validated/<KB>/<id>` has to be asked for again each time, and is never new.
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
