import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import vm from 'node:vm';

import { startAPI } from '../../support/datasources/api.ts';

const bytes = new Uint8Array([0x61, 0x62]);
const json = 'application/json';
/** Creates an object as other packages do: it has the name of a platform class, but is not an instance. */
const foreign = (tag: string): object => ({ [Symbol.toStringTag]: tag });
const circular: Record<string, unknown> = {};
circular['self'] = circular;
const form = new FormData();
form.set('title', 'Emma');

class Show {
  title = 'Emma';
  #hidden = 1;
  hidden(): number {
    return this.#hidden;
  }
}
class WithJSON {
  #title = 'Emma';
  toJSON(): object {
    return { title: this.#title };
  }
}
class Hidden {
  #title = 'Emma';
  get title(): string {
    return this.#title;
  }
}

describe('a body arrives complete, with its media type', () => {
  for (const [kind, make, sent, type] of [
    ['a number', () => 7, '7', json],
    ['false', () => false, 'false', json],
    ['a boxed number', () => new Number(7), '7', json],
    ['a null-prototype object', () => Object.assign(Object.create(null), { a: 1 }), '{"a":1}', json],
    ['an array', () => [1, 2], '[1,2]', json],
    ['an instance whose fields show', () => new Show(), '{"title":"Emma"}', json],
    ['an instance with toJSON', () => ({ book: new WithJSON() }), '{"book":{"title":"Emma"}}', json],
    ['a date', () => new Date(0), '"1970-01-01T00:00:00.000Z"', json],
    ['a date in a list', () => [new Date(0)], '["1970-01-01T00:00:00.000Z"]', json],
    ['a URL', () => new URL('http://a.test/'), '"http://a.test/"', json],
    ['an object of another realm', () => vm.runInNewContext('({ a: [1, {}] })'), '{"a":[1,{}]}', json],
    ['an empty object', () => ({}), '{}', json],
    ['a string', () => '<a/>', '<a/>', 'text/plain;charset=UTF-8'],
    ['a URLSearchParams', () => new URLSearchParams('a=1'), 'a=1', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['a Blob', () => new Blob(['ab'], { type: 'text/css' }), 'ab', 'text/css'],
    ['a form', () => form, /name="title"\r\n\r\nEmma/, /^multipart\/form-data; boundary=/],
    ['bytes', () => bytes, 'ab', undefined],
    ['a Buffer', () => Buffer.from('ab'), 'ab', undefined],
    ['an ArrayBuffer', () => bytes.buffer, 'ab', undefined],
    ['a view of a part', () => new Uint8Array([1, 0x61, 0x62, 2]).subarray(1, 3), 'ab', undefined],
    ['a DataView', () => new DataView(bytes.buffer), 'ab', undefined],
    ['a Readable', () => Readable.from(['a', Buffer.from('b')]), 'ab', undefined],
    ['a generator of text and bytes', async function* () { yield 'a'; yield new Uint8Array([0x62]); }, 'ab', undefined], // oxfmt-ignore
    ['a web stream', () => new Blob(['ab']).stream(), 'ab', undefined],
  ] as [string, () => unknown, string | RegExp, string | RegExp | undefined][])
    it(kind, async (t) => {
      const { begin, calls } = await startAPI(t, () => ({}));

      await begin().create('x', make());

      const { body, headers } = calls[0]!;
      if (sent instanceof RegExp) assert.match(body, sent);
      else assert.equal(body, sent);
      if (type instanceof RegExp) assert.match(headers['content-type']!, type);
      else assert.equal(headers['content-type'], type);
    });

  it('unless the caller has set the media type', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({}));

    await begin().create('books', { a: 1 }, { headers: { 'Content-Type': 'application/vnd.api+json' } });

    assert.equal(calls[0]!.headers['content-type'], 'application/vnd.api+json');
  });
});

describe('a body is refused before sending if it would not arrive complete', () => {
  for (const [kind, body, message] of [
    ['a Map', new Map([['a', 1]]), /^The body of a POST is a Map, which JSON turns into \{\}: convert it to a plain object, for example with Object\.fromEntries/], // oxfmt-ignore
    ['a Set', new Set([1]), /is a Set, which JSON turns into \{\}: convert it to an array$/],
    ['a Map in a field', { filter: { tags: new Map() } }, /^The field "tags" in the body of a call is a Map/],
    ['a Map in a list', [new Map()], /^The field "0" in the body of a call is a Map/],
    ['an instance with private fields alone', new Hidden(), /is a Hidden, which JSON turns into \{\}: convert it to a plain object, or add toJSON to its class$/], // oxfmt-ignore
    ['a promise', Promise.resolve({ a: 1 }), /is a Promise, .*: await it first$/],
    ['a promise in a field', { a: Promise.resolve(1) }, /^The field "a" .* is a Promise/],
    ['an error', Object.assign(new Error('x'), { code: 'E' }), /is an Error/],
    ['a regular expression', /x/, /is a RegExp/],
    ['a Blob in a field', { file: new Blob(['x']) }, /^The field "file" .* is a Blob/],
    ['a form in a field', { file: new FormData() }, /^The field "file" .* is a FormData/],
    ['parameters in a field', { p: new URLSearchParams('a=1') }, /^The field "p" .* is a URLSearchParams/],
    ['a generator', (function* () { yield 1; })(), /which JSON turns into \{\}/], // oxfmt-ignore
    ['a function', () => 1, /^The body of a POST is a function, which JSON cannot represent$/],
    ['a function in a field', { a: () => 1 }, /is a function, which JSON leaves out/],
    ['a function in a list', { a: { b: [() => 1] } }, /is a function, which JSON leaves out/],
    ['a symbol', Symbol('x'), /is Symbol\(x\), which JSON cannot represent$/],
    ['a bigint', 1n, /is 1, which JSON cannot represent$/],
    ['an object that contains itself', circular, /circular/],
    ["another package's Blob", foreign('Blob'), /is another package's Blob, which fetch cannot send: use the Blob of the platform$/],
    ["another package's form", foreign('FormData'), /is another package's FormData/],
    ["another package's parameters", foreign('URLSearchParams'), /is another package's URLSearchParams/],
    ['a form of form-data', { getHeaders: () => ({}) }, /is a form of the npm package form-data: use FormData of the platform$/],
  ] as const)
    it(kind, async (t) => {
      const { begin, calls } = await startAPI(t, () => ({}));

      await assert.rejects(begin().create('x', body), (error: Error) => error instanceof TypeError && message.test(error.message));
      assert.equal(calls.length, 0);
    });

  for (const body of [{ a: 1 }, '{"user":"alice"}', ''])
    it(`the body ${JSON.stringify(body)} of a GET, because the cache key does not include it`, async (t) => {
      const { begin, calls } = await startAPI(t, () => ({ headers: { 'cache-control': 'max-age=60' } }));

      await assert.rejects(begin().read('x', {}, { body }), /^TypeError: A GET cannot have a body/);
      assert.equal(calls.length, 0);
    });
});

it('a stream with chunks other than bytes and text fails and is canceled', async (t) => {
  const { begin } = await startAPI(t, () => ({}));
  let isCanceled = false;
  async function* numbers(): AsyncGenerator<unknown> {
    try {
      yield 1;
    } finally {
      isCanceled = true;
    }
  }

  await assert.rejects(begin().create('x', numbers()), { name: 'NetworkError' });
  assert.ok(isCanceled);
});
