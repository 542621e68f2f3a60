import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { serverAudits } from 'graphql-http';

import type { ServerOptions } from '../../src/server/startup/options.ts';
import { plainRequest } from '../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { frontDoors } from '../support/sources.ts';

/**
 * What graphql-http asks as a SHOULD and the draft of GraphQL over HTTP no longer says: status 200 with application/json
 * for a document that does not parse (572B) or validate (FDE2), and for variables that cannot be coerced (7B9B). The
 * section on answers in application/json went in July 2026 (#404): they have the statuses that all answers have, and
 * these audits follow the text before it.
 */
const overturned = new Set(['572B', 'FDE2', '7B9B']);

for (const door of frontDoors) {
  describe(`graphql-http's audits: ${door.name}`, () => {
    const opened = door.open(options());
    after(() => opened.close());

    const audits = serverAudits({
      url: 'http://localhost/graphql',
      fetchFn: async (url: string, init?: RequestInit) => toWebResponse(await opened.send(toPlainRequest(new Request(url, init), init))),
    });

    for (const audit of audits) {
      it(`${audit.id} ${audit.name}`, async () => {
        const { status, ...result } = await audit.fn();

        const wanted = overturned.has(audit.id) ? ['warn'] : ['ok'];
        assert.ok(wanted.includes(status), 'reason' in result ? result.reason : status);
      });
    }

    it('are all there: none has been renamed or taken away', () => {
      assert.equal(audits.length, 61);
      assert.deepEqual(audits.filter(({ id }) => overturned.has(id)).length, overturned.size);
    });
  });
}

/** What the audits expect of a server: introspection is how they know that it answers. */
function options(): ServerOptions {
  const [logger] = recordingLogger();
  return { typeDefs: 'type Query { _: String }', introspection: true, nodeEnv: '', logger };
}

/** Not through `Request.headers` alone: fetch adds a content-type for a text body, and the audits mean what they wrote. */
function toPlainRequest(request: Request, init: RequestInit | undefined): PlainRequest {
  const url = new URL(request.url);
  return plainRequest({
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: [...new Headers(init?.headers)],
    body: typeof init?.body === 'string' ? init.body : undefined,
  });
}

function toWebResponse({ status, headers, body }: PlainResponse): Response {
  return new Response(body === '' ? null : body, { status, headers: [...headers] });
}
