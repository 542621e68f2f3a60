import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HeaderMap, isHeaderField } from '../../../src/shared/header-map.ts';

describe('a HeaderMap reads like the Headers of the web', () => {
  test('has the same fields, whether it is created from pairs, a record or another one', () => {
    const pairs: [string, string][] = [
      ['Accept', 'a'],
      ['accept', 'b'],
      ['X-One', ' 1 '],
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ];
    const web = new Headers(pairs);

    const headers = new HeaderMap(pairs);

    for (const name of ['accept', 'ACCEPT', 'x-one', 'set-cookie', 'x-none']) assert.equal(headers.get(name), web.get(name), name);
    assert.deepEqual(headers.getSetCookie(), web.getSetCookie());
    assert.deepEqual(sorted(headers), sorted(web));
    assert.deepEqual([...new HeaderMap(headers)], [...headers]);
    assert.deepEqual(sorted(new HeaderMap(web)), sorted(headers));
    assert.equal(new HeaderMap({ Accept: 'a' }).get('accept'), 'a');
  });

  const changes: Readonly<Record<string, (headers: HeaderMap | Headers) => void>> = {
    'set, append and delete in any case': (headers) => (headers.set('A', 'x'), headers.append('B', 'y'), headers.delete('C')),
    'set of set-cookie': (headers) => headers.set('Set-Cookie', 'c=3'),
    'delete of set-cookie': (headers) => headers.delete('SET-COOKIE'),
    'names of members of Object.prototype': (headers) => headers.set('__proto__', 'a'),
    'a change of the list that getSetCookie has returned': (headers) => headers.getSetCookie().push('d=4'),
  };
  for (const [name, change] of Object.entries(changes))
    test(`after ${name}`, () => {
      const lines = ['a 1', 'b 2', 'c 3', 'set-cookie a=1', 'set-cookie b=2'];
      const fields = lines.map((line) => line.split(' ') as [string, string]);
      const [ours, web] = [new HeaderMap(fields), new Headers(fields)];
      for (const headers of [ours, web]) change(headers);
      const seen: [string, string][] = [];
      ours.forEach((value, key) => seen.push([key, value]));

      assert.deepEqual(sorted(ours), sorted(web));
      assert.deepEqual(ours.getSetCookie(), web.getSetCookie());
      for (const key of ['c', 'C', 'set-cookie', 'constructor', '__proto__'])
        assert.deepEqual([ours.get(key), ours.has(key)], [web.get(key), web.has(key)]);
      assert.deepEqual(
        Array.from(ours.keys(), (key, at) => [key, [...ours.values()][at]]),
        seen,
      );
      assert.deepEqual([...ours.entries()], seen);
    });
});

describe("the fields of the web's Headers", () => {
  const fields = { accept: '*/*', 'Content-Type': 'application/json', 'x-user': 'ada' };

  test('are looked up in place, and listed only when all of them are needed', () => {
    const web = new Headers(fields);
    let listed = 0;
    const spied = {
      get: (name: string) => web.get(name),
      [Symbol.iterator]: () => {
        listed++;
        return web[Symbol.iterator]();
      },
    };

    const headers = HeaderMap.over(spied);
    const found = [headers.get('ACCEPT'), headers.get('content-type'), headers.get('x-none'), headers.has('x-user')];
    const listedBefore = listed;

    assert.deepEqual(found, ['*/*', 'application/json', null, true]);
    assert.equal(listedBefore, 0);
    assert.deepEqual(sorted(headers), sorted(web));
    assert.equal(listed, 1);
  });

  test('are copied before the first change, so the object of the platform stays as it is', () => {
    const web = new Headers(fields);
    const headers = HeaderMap.over(web);

    headers.set('x-user', 'grace');
    headers.delete('accept');

    assert.deepEqual([headers.get('x-user'), headers.get('accept'), headers.get('content-type')], ['grace', null, 'application/json']);
    assert.deepEqual([web.get('x-user'), web.get('accept')], ['ada', '*/*']);
  });

  test('are visited one by one, each set-cookie line separately', () => {
    const web = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-user', 'ada'],
    ]);
    const visited: string[] = [];

    const headers = HeaderMap.over(web);
    headers.forEach((value, name) => visited.push(`${name}: ${value}`));

    assert.deepEqual(visited, ['x-user: ada', 'set-cookie: a=1', 'set-cookie: b=2']);
    assert.deepEqual(HeaderMap.over(web).getSetCookie(), ['a=1', 'b=2']);
    assert.equal(HeaderMap.over(web).isEmpty, false);
  });

  test('are not asked for an invalid name, for which they would throw', () => {
    const headers = HeaderMap.over(new Headers(fields));

    for (const name of ['', 'a b', 'ä', 'a\r\nb']) assert.equal(headers.get(name), null);
  });

  test('are not found if HTTP does not allow them, whoever created the object', () => {
    const headers = HeaderMap.over(Object.assign(new Map([['x-split', 'a\r\nset-cookie: b=1']]), { get: () => 'a\r\nset-cookie: b=1' }));

    assert.equal(headers.get('x-split'), null);
    assert.deepEqual([...headers], []);
  });
});

describe('a record that many answers share', () => {
  const usual = Object.freeze({ 'cache-control': 'private', vary: 'Accept' });
  const changes: Readonly<Record<string, (headers: HeaderMap) => void>> = {
    set: (headers) => headers.set('x-user', 'ada'),
    'set of a field that is there': (headers) => headers.set('Vary', 'Origin'),
    append: (headers) => headers.append('X-User', 'ada'),
    'append to a field that is there': (headers) => headers.append('vary', 'Origin'),
    delete: (headers) => headers.delete('vary'),
    'two of set': (headers) => (headers.set('x-a', '1'), headers.set('x-a', '2')),
    'set and delete': (headers) => (headers.set('x-a', '1'), headers.delete('x-a')),
    'set-cookie': (headers) => headers.append('set-cookie', 'a=1'),
    'the name of a prototype': (headers) => headers.set('__proto__', 'a'),
  };
  for (const [name, change] of Object.entries(changes))
    test(`is unchanged by ${name}, which changes one answer as it changes a HeaderMap without a shared record`, () => {
      const [shared, other] = [HeaderMap.over(usual), HeaderMap.over(usual)];
      const own = new HeaderMap(usual);
      const before = HeaderMap.copyOf(shared);

      change(shared);
      change(own);
      const after = HeaderMap.copyOf(shared);
      after.set('x-after', '1');

      assert.deepEqual(sorted(shared), sorted(own));
      assert.deepEqual(shared.toRecord(), own.toRecord());
      for (const untouched of [other, before, HeaderMap.over(usual)]) assert.deepEqual([...untouched], Object.entries(usual));
    });
});

describe('a HeaderMap refuses what would split a response', () => {
  for (const value of ['a\r\nset-cookie: b=1', 'a\nb', 'a\0', '🌍', 'a\u0100', '\u007f']) {
    test(`the value ${JSON.stringify(value)}`, () => {
      assert.throws(() => new HeaderMap().set('x-a', value), TypeError);
      assert.throws(() => new HeaderMap().append('set-cookie', value), TypeError);
    });
  }

  for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ä', '(a)']) {
    test(`the name ${JSON.stringify(name)}`, () => {
      assert.throws(() => new HeaderMap().set(name, 'a'), TypeError);
      assert.equal(isHeaderField(name, 'a'), false);
    });
  }

  test('with a message that does not repeat the value, which may be a secret', () => {
    assert.throws(
      () => new HeaderMap().set('authorization', 'hunter2\n!'),
      (error: Error) => /"authorization"/.test(error.message) && !error.message.includes('hunter2'),
    );
  });
});

/** The web's `Headers` come sorted by name; a HeaderMap keeps the order in which fields were added. */
function sorted(headers: Iterable<[string, string]>): string[] {
  return [...headers].map((pair) => pair.join(': ')).toSorted((a, b) => (a < b ? -1 : 1));
}
