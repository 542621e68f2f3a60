import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resolveCallURL } from '../../src/datasources/url.ts';
import { createRandom } from '../support/random.ts';
import type { Random } from '../support/random.ts';

const base = 'https://api.test/v1/users/';

/** Characters that a URL parser drops, trims, decodes or interprets, and encodings of a dot. */
// oxfmt-ignore
const pieces = [
  '.', '..', '%2e', '%2E', '%2e%2E', '.%2e', '%252e', '．', '‥', '/', '\\', '//', '%2f', '%5c', '?', '#', ';', '@', ':', '&', '=',
  '\t', '\n', '\r', '\f', '\v', '\0', '\x01', '\x1b', '\x1f', ' ', '\x7f', '\x80', '\u00a0', '\u200b', '\u2028', '\ufeff', '\ud800',
  'a', 'keys', '%', '%0', '%00', '%09', 'http:', 'https://evil.test', 'é', '\u{1f600}',
];

function randomPath(random: Random): string {
  return Array.from({ length: 1 + random.below(7) }, () => random.pick(pieces)).join('');
}

/** Returns the path of the URL, or undefined if the path is refused. */
function pathnameOf(path: string): string | undefined {
  try {
    const url = resolveCallURL(base, path);
    assert.equal(url.origin, 'https://api.test');
    assert.equal(url.username + url.password, '');
    return url.pathname;
  } catch (error) {
    assert.equal((error as Error).name, 'URLError', `${JSON.stringify(path)}: ${String(error)}`);
    return undefined;
  }
}

it('a segment is unchanged by whatever follows it', () => {
  const random = createRandom(11);
  for (let run = 0; run < 60_000; run++) {
    const path = `alice/${randomPath(random)}`;
    const pathname = pathnameOf(path);

    assert.ok(pathname === undefined || pathname.startsWith('/v1/users/alice/'), `${JSON.stringify(path)} became ${pathname}`);
  }
});

it('segments around an id are unchanged by its value', () => {
  const random = createRandom(12);
  for (let run = 0; run < 60_000; run++) {
    // Ids with and without `encodeURIComponent`.
    const id = randomPath(random).replaceAll(/[/\\?#]/g, '');
    const pathname = pathnameOf(`of/${id}/keys`);

    assert.ok(pathname === undefined || /^\/v1\/users\/of\/[^/]*\/keys$/.test(pathname), `${JSON.stringify(id)} became ${pathname}`);
  }
});

it('only dot segments are refused', () => {
  const random = createRandom(13);
  for (let run = 0; run < 20_000; run++) {
    const path = `x${randomPath(random).replaceAll(/[./\\]|%2e/gi, '')}`;

    assert.notEqual(pathnameOf(path), undefined, JSON.stringify(path));
  }
});
