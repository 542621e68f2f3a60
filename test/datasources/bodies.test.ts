import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import vm from 'node:vm';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

const bytes = new Uint8Array([0x61, 0x62]);
/** Creates an object as other packages do: it has the name of a platform class, but is not an instance. */
const foreign = (tag: string): object => ({ [Symbol.toStringTag]: tag });

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

describe('request bodies arrive complete', () => {
  for (const [kind, make, sent, type] of [
    ['a number', () => 7, '7', 'application/json'],
    ['false', () => false, 'false', 'application/json'],
    ['a boxed number', () => new Number(7), '7', 'application/json'], // oxlint-disable-line no-new-wrappers, unicorn/new-for-builtins
    ['an instance whose fields show', () => new Show(), '{"title":"Emma"}', 'application/json'],
    ['an instance with toJSON', () => ({ book: new WithJSON() }), '{"book":{"title":"Emma"}}', 'application/json'],
    ['a date in a list', () => [new Date(0)], '["1970-01-01T00:00:00.000Z"]', 'application/json'],
    ['a URL', () => new URL('http://a.test/'), '"http://a.test/"', 'application/json'],
    ['an object of another realm', () => vm.runInNewContext('({ a: [1, {}] })'), '{"a":[1,{}]}', 'application/json'],
    ['an empty object', () => ({}), '{}', 'application/json'],
    ['a view of a part', () => new Uint8Array([1, 0x61, 0x62, 2]).subarray(1, 3), 'ab', undefined],
    ['a DataView', () => new DataView(bytes.buffer), 'ab', undefined],
    ['a Readable', () => Readable.from(['a', Buffer.from('b')]), 'ab', undefined],
    ['a generator of text and bytes', async function* () { yield 'a'; yield new Uint8Array([0x62]); }, 'ab', undefined], // oxfmt-ignore
    ['a web stream', () => new Blob(['ab']).stream(), 'ab', undefined],
  ] as const) {
    it(`that is ${kind}`, async (t) => {
      const origin = await startOrigin(t, (call) => ({ body: call.body }));

      await new API(origin.url).create('x', make());

      assert.equal(origin.calls[0]!.body, sent);
      assert.equal(origin.calls[0]!.headers['content-type'], type);
    });
  }
});

describe('bodies that JSON would turn into {} are refused before sending', () => {
  class Hidden {
    #title = 'Emma';
    get title(): string {
      return this.#title;
    }
  }
  for (const [kind, body, message] of [
    [
      'a Map',
      new Map([['a', 1]]),
      /^The body of a POST is a Map, which JSON turns into \{\}: convert it to a plain object, for example with Object\.fromEntries/,
    ],
    ['a Set', new Set([1]), /is a Set, which JSON turns into \{\}: convert it to an array$/],
    ['a Map in a field', { filter: { tags: new Map() } }, /^The field "tags" in the body of a call is a Map/],
    ['a Map in a list', [new Map()], /^The field "0" in the body of a call is a Map/],
    [
      'an instance with private fields alone',
      new Hidden(),
      /is a Hidden, which JSON turns into \{\}: convert it to a plain object, or add toJSON to its class$/,
    ],
    ['a promise', Promise.resolve({ a: 1 }), /is a Promise, .*: await it first$/],
    ['a promise in a field', { a: Promise.resolve(1) }, /^The field "a" .* is a Promise/],
    ['an error', Object.assign(new Error('x'), { code: 'E' }), /is an Error/],
    ['a regular expression', /x/, /is a RegExp/],
    ['a Blob in a field', { file: new Blob(['x']) }, /^The field "file" .* is a Blob/],
    ['a form in a field', { file: new FormData() }, /^The field "file" .* is a FormData/],
    ['parameters in a field', { p: new URLSearchParams('a=1') }, /^The field "p" .* is an? URLSearchParams/],
    ['a generator', (function* () { yield 1; })(), /which JSON turns into \{\}/], // oxfmt-ignore
    ['a function', () => 1, /^The body of a POST is a function, which JSON cannot represent$/],
    ['a symbol', Symbol('x'), /is Symbol\(x\), which JSON cannot represent$/],
    ['a bigint', 1n, /is 1, which JSON cannot represent$/],
    ["another package's Blob", foreign('Blob'), /is another package's Blob, which fetch cannot send: use the Blob of the platform$/],
    ["another package's form", foreign('FormData'), /is another package's FormData/],
    ["another package's parameters", foreign('URLSearchParams'), /is another package's URLSearchParams/],
    ['a form of form-data', { getHeaders: () => ({}) }, /is a form of the npm package form-data: use FormData of the platform$/],
  ] as const) {
    it(kind, async (t) => {
      const origin = await startOrigin(t, () => ({}));

      await assert.rejects(
        new API(origin.url).create('x', body),
        (error: Error) => error instanceof TypeError && message.test(error.message),
      );
      assert.equal(origin.calls.length, 0);
    });
  }

  it('a GET with a body is refused, where fetch would report a network error', async (t) => {
    const origin = await startOrigin(t, () => ({}));

    await assert.rejects(new API(origin.url).read('x', {}, { body: { a: 1 } }), /^TypeError: A GET cannot have a body/);
  });

  for (const body of ['{"user":"alice"}', '']) {
    it(`a GET with the body ${JSON.stringify(body)} is refused, because the cache key does not include it`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60' } }));

      await assert.rejects(new API(origin.url).read('x', {}, { body }), /^TypeError: A GET cannot have a body/);
      assert.equal(origin.calls.length, 0);
    });
  }

  it('a stream with chunks other than bytes and text fails and is canceled', async (t) => {
    const origin = await startOrigin(t, () => ({}));
    let isLetGo = false;
    async function* numbers(): AsyncGenerator<unknown> {
      try {
        yield 1;
      } finally {
        isLetGo = true;
      }
    }

    await assert.rejects(new API(origin.url).create('x', numbers()), { name: 'NetworkError' });
    assert.ok(isLetGo);
  });
});

describe('the body of a response', () => {
  it('is read completely even if its first chunk is as long as Content-Length, which counts compressed bytes', async () => {
    const pieces = ['{"title":', '"Emma"}'];
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': String(pieces[0]?.length) };
    const body = () => ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));

    const book = await new API('http://a.test', { httpFetch: async () => new Response(body(), { headers }) }).read('books/1');

    assert.deepEqual(book, { title: 'Emma' });
  });
});
