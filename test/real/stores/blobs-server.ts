import { text } from 'node:stream/consumers';

import type { TestContext } from 'node:test';

import { serveOnLoopback } from '../../support/real/loopback.ts';

/** A status that the server sends in place of its answer, before or after the write. */
export interface BlobFault {
  readonly status: number;
  readonly isWritten: boolean;
}

/**
 * A blob server that sends versions as Netlify's service does. The server of the package (11.1.1) sends none with a read, and lets two
 * concurrent conditional writes both succeed.
 */
export async function startBlobs(t: Pick<TestContext, 'after'>, faults: BlobFault[] = []): Promise<string> {
  const blobs = new Map<string, { body: string; etag: string }>();
  let version = 0;
  return serveOnLoopback(t, async (request, response) => {
    const body = await text(request);
    const key = request.url!;
    const known = blobs.get(key);
    if (request.method === 'GET') {
      response.writeHead(known === undefined ? 404 : 200, known && { etag: known.etag }).end(known?.body);
      return;
    }
    const fault = faults.shift();
    const { 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = request.headers;
    const isRefused = (ifNoneMatch === '*' && known !== undefined) || (ifMatch !== undefined && known?.etag !== ifMatch);
    const etag = `"${++version}"`;
    if (!isRefused && fault?.isWritten !== false) blobs.set(key, { body, etag });
    if (fault !== undefined) response.writeHead(fault.status).end();
    else if (isRefused) response.writeHead(412).end();
    else response.writeHead(200, { etag }).end();
  });
}
