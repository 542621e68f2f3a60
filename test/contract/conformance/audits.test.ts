import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { serverAudits } from 'graphql-http';

import { plainRequest } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { frontDoors } from '../../support/sources.ts';

/**
 * The audits of graphql-http 1.23 that GraphQL over HTTP, September 2026, supersedes. They follow a draft from before July 2026, which had
 * 200 for application/json where the edition has the statuses of all answers, and 400 where the edition has 422.
 */
const superseded: Readonly<Record<string, 'warn' | 'notice'>> = {
  // These audits expect 200 for application/json if a document does not parse or validate, or variables cannot be coerced.
  ...Object.fromEntries(['572B', 'FDE2', '7B9B'].map((id) => [id, 'warn'])),
  // This audit expects 400 for variables that cannot be coerced.
  '86EE': 'warn',
  // These audits expect 400 for a request that is not well-formed.
  ...Object.fromEntries(
    ['3E3A', '423L', '4760', '4761', '4762', '4763', '58B0', '58B1', '58B2', '58B3', '6C00', '6C01', '6C02', '6C03']
      .concat(['LKJ0', 'LKJ1', 'LKJ2', 'LKJ3'])
      .map((id) => [id, 'notice']),
  ),
};

for (const door of frontDoors) {
  describe(`graphql-http's audits: ${door.name}`, () => {
    // The audits use introspection to test that the server answers.
    const opened = door.open({ typeDefs: 'type Query { _: String }', introspection: true, nodeEnv: '', logger: recordingLogger()[0] });
    after(() => opened.close());

    const audits = serverAudits({
      url: 'http://localhost/graphql',
      fetchFn: async (url: string, init?: RequestInit) => toWebResponse(await opened.send(toPlainRequest(new Request(url, init), init))),
    });

    for (const audit of audits) {
      it(`${audit.id} ${audit.name}`, async () => {
        const { status, ...result } = await audit.fn();

        assert.equal(status, superseded[audit.id] ?? 'ok', 'reason' in result ? result.reason : status);
      });
    }

    it('are complete: none has been renamed or removed', () => {
      assert.equal(audits.length, 61);
      assert.equal(audits.filter(({ id }) => id in superseded).length, Object.keys(superseded).length);
    });
  });
}

/** Converts a request with the headers of `init`, because `Request` adds a content-type for a text body, which the audits do not send. */
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
