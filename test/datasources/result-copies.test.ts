import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API } from './api.ts';

/** Two callers of one memoized GET, whose result is created by a hook. */
async function takeTwice(make: (response: Response) => unknown, options: { atOnce?: boolean } = {}): Promise<[any, any]> {
  class Making extends API {
    protected override async didReceiveResponse<T>(response: Response): Promise<T> {
      return (await make(response)) as T;
    }
  }
  const api = new Making('http://a.test', { httpFetch: async () => Response.json({ a: [1] }, { headers: { 'x-total': '7' } }) });
  if (options.atOnce) return Promise.all([api.read('x'), api.read('x')]);
  return [await api.read('x'), await api.read('x')];
}

describe('each caller of a memoized GET gets a copy of the result of didReceiveResponse', () => {
  it('when it has circular references', async () => {
    const [first, second] = await takeTwice(() => {
      const node: any = { name: 'root', list: [], map: new Map(), set: new Set() };
      node.self = node;
      node.list.push(node);
      node.map.set(node, node);
      node.set.add(node);
      return node;
    });

    for (const node of [first, second]) {
      assert.equal(node.self, node);
      assert.equal(node.list[0], node);
      assert.equal(node.map.get(node), node);
      assert.ok(node.set.has(node));
    }
    assert.notEqual(first, second);
  });

  it('when it is nested deeper than the call stack', async () => {
    const [, second] = await takeTwice(() => {
      let nested: any = [];
      for (let depth = 0; depth < 100_000; depth++) nested = [nested];
      return nested;
    });

    assert.ok(Array.isArray(second[0][0]));
  });

  for (const atOnce of [true, false]) {
    it(`when it is the Response itself (${atOnce ? 'at once' : 'one after the other'})`, async () => {
      const [first, second] = await takeTwice((response) => response, { atOnce });

      assert.deepEqual(await first.json(), { a: [1] });
      assert.deepEqual(await second.json(), { a: [1] });
      assert.equal(second.headers.get('x-total'), '7');
    });
  }

  it('when it contains objects that only look immutable', async () => {
    const [first, second] = await takeTwice((response) => ({
      headers: response.headers,
      params: new URLSearchParams('a=1'),
      url: new URL('http://a.test/'),
      form: new FormData(),
      view: new DataView(new ArrayBuffer(1)),
      floats: new Float64Array(1),
      __proto__: null,
    }));
    first.headers.set('x-total', '8');
    first.params.set('a', '2');
    first.url.pathname = '/2';
    first.form.set('a', '2');
    first.view.setInt8(0, 2);
    first.floats[0] = 2;

    assert.equal(second.headers.get('x-total'), '7');
    assert.equal(String(second.params), 'a=1');
    assert.equal(second.url.href, 'http://a.test/');
    assert.equal(second.form.get('a'), null);
    assert.equal(second.view.getInt8(0), 0);
    assert.equal(second.floats[0], 0);
  });

  for (const [kind, make] of [
    ['a stream', (response: Response) => response.body],
    ['an async generator', async function* () { yield 1; }], // oxfmt-ignore
    ['a generator', function* () { yield 1; }], // oxfmt-ignore
    ['a Response that was read', async (response: Response) => { await response.text(); return response; }], // oxfmt-ignore
  ] as const) {
    it(`but ${kind} goes to the first caller only, and the second gets the reason`, async () => {
      class Making extends API {
        protected override async didReceiveResponse<T>(response: Response): Promise<T> {
          return { result: await make(response) } as T;
        }
      }
      const api = new Making('http://a.test', { httpFetch: async () => Response.json(1) });
      const first = await api.read('x');

      assert.ok(first.result);
      await assert.rejects(api.read('x'), /can be read only once .* set memoizeGetRequests to false/);
    });
  }

  it('when the hook leaves the body unread, without delaying the end of the process', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();

    await takeTwice((response) => response.status);

    assert.equal(timers(), before);
  });
});
