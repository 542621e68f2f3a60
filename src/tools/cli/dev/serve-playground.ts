import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { findPlayground, playgroundPath } from '../../landing-page/index.ts';

const files = findPlayground();

export const playgroundNames: readonly string[] = files === undefined ? [] : [files.script, files.style, files.worker];

/**
 * Answers a request for a file of the playground; false for all others. As separate files, browsers cache them and the compiled
 * script, which they would not do for a 2.4 MB page that changes with every visit.
 */
export async function servePlayground({ method, url = '', headers }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const name = url.startsWith(playgroundPath) ? url.slice(playgroundPath.length) : '';
  if (files === undefined || !playgroundNames.includes(name) || (method !== 'GET' && method !== 'HEAD')) return false;
  const etag = `"${name}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'public, max-age=31536000, immutable');
  response.setHeader('vary', 'accept-encoding');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  if (headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return true;
  }
  const packed = await readFile(join(files.folder, `${name}.gz`));
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(String(headers['accept-encoding'] ?? ''));
  response.setHeader('content-type', name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8');
  if (takesGzip) response.setHeader('content-encoding', 'gzip');
  response.end(method === 'HEAD' ? undefined : takesGzip ? packed : await promisify(gunzip)(packed));
  return true;
}
