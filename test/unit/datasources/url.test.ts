import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { resolveCallURL, toRequestURL } from '../../../src/datasources/url.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';

const href = (base: string | undefined, path: string): string => resolveCallURL(base, path).href;

describe('baseURL prefixes every call path', () => {
  for (const [base, path, expected] of [
    ['https://api.test/v1/', 'books', 'https://api.test/v1/books'],
    ['https://api.test/v1', 'books', 'https://api.test/v1/books'],
    ['https://api.test/v1/', '/books', 'https://api.test/v1/books'],
    ['https://api.test', 'books', 'https://api.test/books'],
    ['https://api.test/v1', '', 'https://api.test/v1/'],
    ['https://api.test/v1', '?q=1', 'https://api.test/v1/?q=1'],
    ['https://api.test/v1', 'books?q=..&r=/../', 'https://api.test/v1/books?q=..&r=/../'],
    ['https://api.test/v1', 'urn:isbn:1', 'https://api.test/v1/urn:isbn:1'],
    ['https://api.test/v1', 'javascript:alert(1)', 'https://api.test/v1/javascript:alert(1)'],
    ['https://api.test/v1', 'a..b/...', 'https://api.test/v1/a..b/...'],
    ['https://api.test/v1', 'a%2F..b%2F.c;d', 'https://api.test/v1/a%2F..b%2F.c;d'],
    // An absolute URL of the same origin, and a path without a baseURL, are used as given.
    ['https://api.test/v1/', 'https://api.test/v2/next?page=2', 'https://api.test/v2/next?page=2'],
    [undefined, 'https://other.test/a/../b?x=1', 'https://other.test/b?x=1'],
  ] as const)
    it(`${base} and "${path}" make ${expected}`, () => assert.equal(href(base, path), expected));
});

describe('a call never leaves its baseURL', () => {
  // oxfmt-ignore
  const climbing = [
    '..', '../admin', '/../admin', 'users/../../admin', 'users/..', 'users/../keys', 'users/./keys', '..\x01', 'users/..\x01', 'users/..\0 \x1f',
    'users/..\x01/keys', 'users/%2e%2e\x01', 'users\\.\t.\x01', 'users/.. ', '%2e%2e/admin', '%2E%2e/admin', '.%2e/admin', '%2e./admin',
    '..\\admin', 'users\\..\\..\\admin', '.\t./admin', '\t../admin', 'users/.\n.', ' ../admin', '../admin?x=1', '..#x', 'a%2F..%2Fb',
    '..%2fadmin', 'users/..%5Cadmin', 'users/%2e%2e%2Fadmin', 'users/..;/admin', 'users/..;x=1', 'users/..%3b/admin', '%2F..', '..?',
  ];
  for (const path of climbing)
    it(`${JSON.stringify(path)} is refused`, () => assert.throws(() => href('https://api.test/v1/', path), /segment/));

  // oxfmt-ignore
  const leaving = [
    '//evil.test/x', '///evil.test', '\\\\evil.test', '/\t/evil.test', '\t//evil.test', 'http:/evil.test', '@evil.test', ':x@evil.test/',
    'https:evil.test', ' https://evil.test', '\thttps://evil.test', 'ht\ttps://evil.test', 'ws://evil.test',
  ];
  for (const path of leaving)
    it(`${JSON.stringify(path)} stays below it`, () => {
      const url = resolveCallURL('https://api.test/v1/', path);

      assert.equal(url.origin, 'https://api.test');
      assert.equal(url.username, '');
      assert.ok(url.pathname.startsWith('/v1/'), url.pathname);
    });

  for (const url of [
    'https://evil.test/',
    'http://api.test/',
    'https://api.test:8443/',
    'https://api.test@evil.test/',
    'HTTPS://evil.test',
  ])
    it(`an absolute URL of another origin is refused: ${url}`, () => {
      assert.throws(() => href('https://api.test/v1/', url), /leaves the baseURL's origin\. Override resolveURL/);
    });
});

describe('a URL is refused with an explanation', () => {
  for (const [base, path, message] of [
    [undefined, '/books?key=secret', /is not an absolute http\(s\) URL, and there is no baseURL/],
    [undefined, 'file:///etc/passwd', /not an absolute http\(s\) URL/],
    [undefined, 'data:text/plain,x', /not an absolute http\(s\) URL/],
    [undefined, 'ftp://x.test/', /not an absolute http\(s\) URL/],
    ['/v1', 'x', /must be an absolute http\(s\) URL/],
    ['ftp://user:secret@api.test', 'x', /absolute http/],
    ['https://user:secret@api.test', 'x', /must not contain a user name or password/],
    ['https://api.test/?key=secret', 'x', /must not contain a query/],
    ['https://api.test', undefined as unknown as string, /must be a string, not undefined/],
    ['https://api.test', null as unknown as string, /must be a string, not null/],
  ] as const)
    it(`the baseURL ${base} with the path ${path}`, () => {
      assert.throws(() => href(base, path), (error: Error) => message.test(error.message) && !error.message.includes('secret')); // oxfmt-ignore
    });
});

describe('parameters', () => {
  for (const [what, url, expected] of [
    ['follow existing ones, which are unchanged', 'https://api.test/?a=%20b&c', 'https://api.test/?a=%20b&c&d=1'],
    ['follow "?"', 'https://api.test/?', 'https://api.test/?d=1'],
    ['follow "&"', 'https://api.test/?b&', 'https://api.test/?b&d=1'],
    ['replace a fragment', 'https://api.test/a#b', 'https://api.test/a?d=1'],
  ] as const)
    it(what, () => assert.equal(toRequestURL(url, 'd=1'), expected));
});

/** Characters that a URL parser drops, trims, decodes or interprets, and encodings of a dot. */
// oxfmt-ignore
const pieces = [
  '.', '..', '%2e', '%2E', '%2e%2E', '.%2e', '%252e', '．', '‥', '/', '\\', '//', '%2f', '%5c', '?', '#', ';', '@', ':', '&', '=',
  '\t', '\n', '\r', '\f', '\v', '\0', '\x01', '\x1b', '\x1f', ' ', '\x7f', '\x80', '\u00a0', '\u200b', '\u2028', '\ufeff', '\ud800',
  'a', 'keys', '%', '%0', '%00', '%09', 'http:', 'https://evil.test', 'é', '\u{1f600}',
];
const randomPath = (random: Random): string => Array.from({ length: 1 + random.below(7) }, () => random.pick(pieces)).join('');

/** The path of the URL, or undefined if the path is refused. */
function pathnameOf(path: string): string | undefined {
  try {
    const { origin, username, password, pathname } = resolveCallURL('https://api.test/v1/users/', path);
    assert.deepEqual([origin, username, password], ['https://api.test', '', '']);
    return pathname;
  } catch (error) {
    assert.equal((error as Error).name, 'URLError', `${JSON.stringify(path)}: ${String(error)}`);
    return undefined;
  }
}

describe('random paths', () => {
  for (const [what, createPath, isExpected] of [
    [
      'do not change a segment before them',
      (random) => `alice/${randomPath(random)}`,
      (pathname) => pathname?.startsWith('/v1/users/alice/') ?? true,
    ],
    // Ids with and without `encodeURIComponent`.
    ['do not change the segments around an id', (random) => `of/${randomPath(random).replaceAll(/[/\\?#]/g, '')}/keys`, (pathname) => pathname === undefined || /^\/v1\/users\/of\/[^/]*\/keys$/.test(pathname)], // oxfmt-ignore
    ['are refused only for dot segments', (random) => `x${randomPath(random).replaceAll(/[./\\]|%2e/gi, '')}`, (pathname) => pathname !== undefined], // oxfmt-ignore
  ] as [string, (random: Random) => string, (pathname: string | undefined) => boolean][])
    it(what, () => {
      const random = createRandom(11);
      for (let run = 0; run < 50_000; run++) {
        const path = createPath(random);
        const pathname = pathnameOf(path);
        if (!isExpected(pathname)) assert.fail(`${JSON.stringify(path)} became ${pathname}`);
      }
    });
});
