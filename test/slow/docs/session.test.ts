import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Handler } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { importBlock } from '../../support/pages.ts';

const secret = 'a secret of this test';
const names = [
  'ada',
  'ada.9999999999',
  '9999999999.ada',
  '.',
  'a%2Eb',
  'a; session=b',
  'a\r\nset-cookie: b',
  'a=b',
  'Ünïcode 🦀',
  '__proto__',
];

describe('the session of docs/cors.md', () => {
  test('signs in each name by that name, with a cookie of its own', async (t) => {
    const { signIn, me } = await load(t);
    const cookies = await Promise.all(names.map(signIn));

    assert.deepEqual(await Promise.all(cookies.map(me)), names);
    assert.equal(new Set(cookies).size, names.length);
  });

  test('is found among other cookies', async (t) => {
    const { signIn, me } = await load(t);
    const cookie = await signIn('ada');

    assert.equal(await me(`theme=dark; ${cookie}; a=b`), 'ada');
    assert.equal(await me(`old${cookie}`), null);
  });

  test('does not sign in an empty name, or one that cannot be encoded', async (t) => {
    const { signIn, me } = await load(t);

    assert.equal(await me(await signIn('')), null);
    assert.equal(await me(await signIn('\uD800')), null);
  });

  test('is refused with the name of another user, another time, or another signature', async (t) => {
    const { signIn, me } = await load(t);
    const [cookie, other] = [await signIn('ada'), await signIn('eve')];
    const [, expires = '', name = '', signature = ''] = /^session=(\d+)\.(.*)\.(.*)$/.exec(cookie) ?? [];
    const { length } = signature;

    for (const changed of [
      `session=${expires}.eve.${signature}`,
      `session=${expires}.${name}.${other.slice(-length)}`,
      `session=${Number(expires) + 1}.${name}.${signature}`,
      `session=${expires}.${name}.Infinity.${signature}`,
      `session=Infinity.${expires}.${name}.${signature}`,
      `session=${name}.${expires}.${signature}`,
      `session=${expires}.${name}.${signature.slice(1)}`,
      `session=${expires}.${name}.${signature}A`,
      `session=${expires}.${name}.${'A'.repeat(length)}`,
      `session=${expires}.${name}.`,
      `session=${expires}.${name}`,
      `session=${expires}..${signature}`,
      `session=${name}`,
      'session=',
      '',
    ])
      assert.equal(await me(changed), null, changed);
  });

  test('ends after a week', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
    const { signIn, me } = await load(t);
    const cookie = await signIn('ada');
    const week = 7 * 24 * 60 * 60 * 1000;

    t.mock.timers.setTime(Date.UTC(2026, 0, 1) + week - 1);
    assert.equal(await me(cookie), 'ada');
    t.mock.timers.setTime(Date.UTC(2026, 0, 1) + week);
    assert.equal(await me(cookie), null);
  });

  test('ends at a time in decimal digits, even if the signature is right', async (t) => {
    const { me } = await load(t);

    assert.equal(await me(signed('9999999999.ada')), 'ada');
    for (const content of [
      ...['Infinity', '1e99', '0xffffffff', '9'.repeat(400), '+999999999', ' 9999999999', '١٢٣٤٥٦٧٨٩٠', ''].map((time) => `${time}.ada`),
      'ada.Infinity.1',
      'ada.9999999999',
      '1000000000.ada',
    ])
      assert.equal(await me(signed(content)), null, content);
  });
});

/** A cookie with the right signature, whatever its content is. */
function signed(content: string): string {
  return `session=${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

interface Session {
  /** The cookie that a sign-in sets; an empty string if it sets none. */
  signIn(name: string): Promise<string>;
  /** The name that the cookie signs in. */
  me(cookie: string): Promise<string | null>;
}

async function load(t: TestContext): Promise<Session> {
  t.mock.method(console, 'log', () => {});
  t.mock.method(console, 'error', () => {});
  process.env['SESSION_SECRET'] = secret;
  t.after(() => delete process.env['SESSION_SECRET']);
  const { default: handler } = await importBlock(t, ['cors.md', 'function readSession']);
  const { run } = createTester(handler as Handler);
  return {
    signIn: async (name) => {
      const query = 'mutation ($name: String!) { signIn(name: $name, password: "open sesame") }';
      const { headers } = await run(query, { name });
      return headers.getSetCookie()[0]?.split(';')[0] ?? '';
    },
    // Header fields contain bytes.
    me: async (cookie) => (await run('{ me }', {}, { headers: { cookie: Buffer.from(cookie).toString('latin1') } })).data.me,
  };
}
