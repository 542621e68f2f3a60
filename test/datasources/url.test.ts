import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutSecrets } from '../../src/datasources/errors.ts';
import { resolveCallURL, toRequestURL } from '../../src/datasources/url.ts';

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
  ] as const) {
    it(`${base} and "${path}" make ${expected}`, () => {
      assert.equal(href(base, path), expected);
    });
  }

  it('without a baseURL the path is used exactly as given', () => {
    assert.equal(href(undefined, 'https://other.test/a/../b?x=1'), 'https://other.test/b?x=1');
  });

  it('without a baseURL a relative path is refused with an explanation', () => {
    assert.throws(() => href(undefined, '/books?key=secret'), /is not an absolute http\(s\) URL, and there is no baseURL/);
  });

  for (const path of ['file:///etc/passwd', 'data:text/plain,x', 'ftp://x.test/']) {
    it(`without a baseURL ${path} is refused`, () => {
      assert.throws(() => href(undefined, path), /not an absolute http\(s\) URL/);
    });
  }
});

describe('a call never leaves its baseURL', () => {
  for (const path of [
    '..',
    '../admin',
    '/../admin',
    'users/../../admin',
    'users/..',
    'users/../keys',
    'users/./keys',
    '..\x01',
    'users/..\x01',
    'users/..\0 \x1f',
    'users/..\x01/keys',
    'users/%2e%2e\x01',
    'users\\.\t.\x01',
    'users/.. ',
    '%2e%2e/admin',
    '%2E%2e/admin',
    '.%2e/admin',
    '%2e./admin',
    '..\\admin',
    'users\\..\\..\\admin',
    '.\t./admin',
    '\t../admin',
    'users/.\n.',
    ' ../admin',
    '../admin?x=1',
    '..#x',
    'a%2F..%2Fb',
    '..%2fadmin',
    'users/..%5Cadmin',
    'users/%2e%2e%2Fadmin',
    'users/..;/admin',
    'users/..;x=1',
    'users/..%3b/admin',
    '%2F..',
    '..?',
  ]) {
    it(`${JSON.stringify(path)} is refused`, () => {
      assert.throws(() => href('https://api.test/v1/', path), /segment/);
    });
  }

  for (const path of [
    '//evil.test/x',
    '///evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '\t//evil.test',
    'http:/evil.test',
    '@evil.test',
    ':x@evil.test/',
    'https:evil.test',
    ' https://evil.test',
    '\thttps://evil.test',
    'ht\ttps://evil.test',
    'ws://evil.test',
  ]) {
    it(`${JSON.stringify(path)} stays below it`, () => {
      const url = resolveCallURL('https://api.test/v1/', path);

      assert.equal(url.origin, 'https://api.test');
      assert.equal(url.username, '');
      assert.ok(url.pathname.startsWith('/v1/'), url.pathname);
    });
  }

  it('an absolute URL of the same origin is used as given', () => {
    assert.equal(href('https://api.test/v1/', 'https://api.test/v2/next?page=2'), 'https://api.test/v2/next?page=2');
  });

  for (const url of [
    'https://evil.test/',
    'http://api.test/',
    'https://api.test:8443/',
    'https://api.test@evil.test/',
    'HTTPS://evil.test',
  ]) {
    it(`an absolute URL of another origin is refused: ${url}`, () => {
      assert.throws(() => href('https://api.test/v1/', url), /leaves the baseURL's origin\. Override resolveURL/);
    });
  }
});

describe('a baseURL that cannot work', () => {
  for (const [base, message] of [
    ['/v1', /must be an absolute http\(s\) URL/],
    ['ftp://api.test', /absolute http/],
    ['https://user:secret@api.test', /must not contain a user name or password/],
    ['https://api.test/?key=1', /must not contain a query/],
  ] as const) {
    it(`${base} is refused with an explanation`, () => {
      assert.throws(() => href(base, 'x'), message);
    });
  }

  it('a password in it is in no message', () => {
    assert.throws(
      () => href('ftp://user:secret@api.test', 'x'),
      (error: Error) => !error.message.includes('secret'),
    );
  });
});

describe('the URL as text', () => {
  it('parameters are appended to existing ones, which are unchanged', () => {
    assert.equal(toRequestURL(new URL('https://api.test/?a=%20b&c'), 'd=1'), 'https://api.test/?a=%20b&c&d=1');
  });

  it('an empty query, or one that ends in "&", gets no extra "&"', () => {
    assert.equal(toRequestURL('https://api.test/?', 'a=1'), 'https://api.test/?a=1');
    assert.equal(toRequestURL('https://api.test/?b&', 'a=1'), 'https://api.test/?b&a=1');
  });

  it('a fragment is dropped', () => {
    assert.equal(toRequestURL(new URL('https://api.test/a#b'), 'c=1'), 'https://api.test/a?c=1');
  });

  it('of a path that is not a string is refused', () => {
    assert.throws(() => resolveCallURL('https://api.test', undefined as unknown as string), /must be a string, not undefined/);
  });

  it('has no user name, password, query or fragment in messages', () => {
    assert.equal(withoutSecrets('https://user:secret@api.test/a@b?key=1#c'), 'https://api.test/a@b');
  });
});
