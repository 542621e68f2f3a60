import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InMemoryLRUCache, RESTDataSource } from '../../../src/datasources/index.ts';
import type { DataSourceConfig, FetchInit } from '../../../src/datasources/index.ts';
import { freePort } from '../../support/free-port.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/program.ts';

/** Required cases that the cache does not pass, and why. */
const exceptions = [
  // RFC 9111 has a 304 replace these headers too.
  '304-etag-update-response-Content-Encoding',
  '304-etag-update-response-Content-MD5',
  // A 304 with another ETag is about another response, so the request is sent again without conditions.
  '304-etag-update-response-ETag',
  // `Set-Cookie` is never stored.
  '304-etag-update-response-Set-Cookie',
  // RFC 9111, which is newer than this version of the suite, uses the first of several ages and ignores an invalid one.
  'age-parse-dup-0',
  'age-parse-dup-0-twoline',
  'age-parse-dup-old',
  'age-parse-float',
  'age-parse-negative',
  'age-parse-nonnumeric',
  'age-parse-numeric-parameter',
  'age-parse-parameter',
  'age-parse-prefix-twoline',
  // A call with its own `If-None-Match` or `If-Modified-Since` does not use the cache.
  'conditional-304-etag',
  'conditional-etag-precedence',
  // As above.
  'headers-store-Set-Cookie',
  // A call with `Range` does not use the cache.
  'partial-use-headers',
  // Without `stale-if-error`, this cache does not return a stale response when a connection breaks.
  'stale-close-must-revalidate',
  'stale-close-no-cache',
  'stale-close-proxy-revalidate',
  'stale-close-s-maxage=2',
];

interface SuiteCase {
  readonly id: string;
  readonly kind?: 'required' | 'optimal' | 'check';
  readonly browser_only?: boolean;
  readonly requests: readonly { readonly request_headers?: readonly (readonly [name: string, value: string])[] }[];
}

type SuiteFetch = (url: string, init?: FetchInit) => Promise<SuiteResponse>;
type SuiteResponse = Pick<Response, 'status' | 'statusText' | 'headers' | 'text'>;

test(
  'the response cache passes what the public suite cache-tests requires of a shared cache, but for the documented exceptions',
  needs('http-cache-tests'),
  async () => {
    const port = await freePort();
    const settings = { npm_config_protocol: 'http', npm_config_port: `${port}`, npm_config_pidfile: '/dev/null' };
    const server = startProgram(process.execPath, [pathInPart('http-cache-tests', 'http-cache-tests/server/server.mjs')], {
      env: settings,
    });
    try {
      await server.printed(/Listening/);
      const suites = (await load('tests/index.mjs')).default as readonly { readonly tests: readonly SuiteCase[] }[];
      const { runTests, getResults } = await load('client/runner.mjs');
      const cases = suites.flatMap(({ tests }) => tests);
      await runTests(suites, sharedCache(cases), false, `http://localhost:${port}`);

      const results = getResults() as Readonly<Record<string, unknown>>;
      const required = cases.filter((one) => (one.kind ?? 'required') === 'required' && !one.browser_only).map(({ id }) => id);
      assert.deepEqual(required.filter((id) => results[id] !== true).toSorted(), exceptions);
    } finally {
      await server.end();
    }
  },
);

async function load(path: string): Promise<any> {
  return import(pathInPart('http-cache-tests', `http-cache-tests/${path}`));
}

/** Sends the suite's requests as data sources of different operations, which share one store. */
function sharedCache(cases: readonly SuiteCase[]): SuiteFetch {
  const sent = cases.flatMap(({ requests }) => requests.flatMap(({ request_headers: headers = [] }) => headers.map(([name]) => name)));
  const shareable = ['Test-Name', 'Test-ID', 'Req-Num', ...sent].filter((name) => name.toLowerCase() !== 'authorization');

  class Origin extends RESTDataSource {
    override shareableHeaders = shareable;

    protected override async didReceiveResponse<T>(response: Response): Promise<T> {
      const { status, statusText, headers } = response;
      const text = await response.text();
      return { status, statusText, headers, text: async () => text } as T;
    }

    async send(url: string, init: FetchInit): Promise<SuiteResponse> {
      return (await this.fetch<SuiteResponse>(url, init)).body;
    }
  }

  const cache = new InMemoryLRUCache();
  return async (url, init = {}) => {
    if (!url.includes('/test/')) return fetch(url, init as RequestInit);
    const origin = new Origin();
    await origin.initialize({ context: {}, cache } as DataSourceConfig<unknown>);
    // The suite asks browsers for `no-store`, so that their own cache stays out of the way.
    const { cache: _browsers, ...rest } = init;
    return origin.send(url, rest);
  };
}
