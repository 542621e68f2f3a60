import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { findPlayground, playgroundPath } from '../../development/landing-page/playground-files.ts';

const files = findPlayground();

/** The names of the playground's files that are served. */
export const playgroundNames: readonly string[] = files === undefined ? [] : [files.script, files.style, files.worker];

/**
 * Answers a request for a file of the playground; false: it is for another. Browsers keep the files, and the code that they make of
 * the script: a page of 2.4 MB that is new for every visit is neither kept nor compiled ahead.
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
