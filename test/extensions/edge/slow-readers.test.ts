import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import type { CDN } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { get, post } from '../../support/plain-http.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { httpAPI, webRequest } from '../../support/sources.ts';
import type { Source } from '../../support/sources.ts';
import { ModelCache } from './model-cache.ts';
import { toWeb } from './spelled-requests.ts';

const histories = cases({ short: 20, long: 1_000 });
const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish'];
const typeDefs = `
  type Query { item: Item @cacheControl(maxAge: 600) }
  type Item { id: ID! version: Int! } type Mutation { change: Item }`;
const query = '{ item { id version } }';

type Handler = (event: object, context: object) => Promise<unknown>;

/** Two processes over one database, behind a CDN. Reads take up to eight seconds before and after they reach the database. Purges are fast. */
class World {
  readonly #random: Random;
  readonly #source: Source;
  readonly #cache: ModelCache;
  readonly #handlers: readonly Handler[];
  readonly #t: TestContext;
  #version = 0;
  #time = 0;

  constructor(t: TestContext, random: Random, [cdn, source]: readonly [CDN, Source]) {
    this.#t = t;
    this.#random = random;
    this.#source = source;
    this.#cache = new ModelCache(cdn, []);
    t.mock.method(performance, 'now', () => this.#time);
    const purge = async (tags: readonly string[]): Promise<void> => {
      await this.#pause(0.05);
      this.#cache.purge(tags);
    };
    const resolvers = {
      Query: {
        item: async () => {
          await this.#pause(8);
          const version = this.#version;
          await this.#pause(random.chance(0.5) ? 8 : 0.3);
          return { id: 1, version };
        },
      },
      Mutation: { change: () => (this.#version++, { id: 1 }) },
    };
    this.#handlers = Array.from({ length: 2 }, () => {
      const options = { typeDefs: [cacheControlDefinitions, typeDefs], resolvers, plugins: [edge({ cdn, purge })] };
      return createHandler({ ...options, logger: { debug() {}, info() {}, warn() {}, error() {} } } as unknown as ServerOptions) as Handler;
    });
  }

  #pause(most: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, this.#random.below(most * 1_000));
    });
  }

  async #serve(request: ReturnType<typeof get>): Promise<Response> {
    const context = this.#source === webRequest ? { waitUntil: () => undefined } : {};
    return toWeb(await this.#source.read(await this.#random.pick(this.#handlers)(this.#source.build(request) as object, context)));
  }

  async #read(): Promise<number> {
    const asked = new Request(`https://shop.example/?query=${encodeURIComponent(query)}`);
    const response = await this.#cache.fetch(asked, () => this.#serve(get({ query })));
    return ((await response.json()) as { data: { item: { version: number } } }).data.item.version;
  }

  /** Runs reads and mutations for half a minute, and waits until they have ended. Returns true if a later read shows an old version. */
  async isStaleAfter(): Promise<boolean> {
    for (let step = 0; step < 10; step++)
      setTimeout(
        () => void (this.#random.chance(0.2) ? this.#serve(post({ query: 'mutation { change { id } }' })) : this.#read()),
        this.#random.below(15_000),
      );
    await this.#run(60);
    let shown: number | undefined;
    void this.#read().then((version) => (shown = version));
    await this.#run(20);
    return shown !== this.#version;
  }

  get hits(): number {
    return this.#cache.hits;
  }

  async #run(seconds: number): Promise<void> {
    for (let step = 0; step < seconds * 10; step++) {
      this.#time += 100;
      this.#t.mock.timers.tick(100);
      await new Promise(setImmediate);
    }
  }
}

describe('reads that take longer than a purge and its repeat', () => {
  for (const source of [webRequest, httpAPI])
    test(`leave nothing old in the CDN, behind ${source.name}, in ${histories} histories`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const random = createRandom(2_311);
      let [stale, hits] = [0, 0];
      for (let history = 0; history < histories; history++) {
        const world = new World(t, random, [random.pick(cdns), source]);
        if (await world.isStaleAfter()) stale++;
        hits += world.hits;
        t.mock.restoreAll();
      }

      assert.ok(hits > 0, 'nothing was kept');
      assert.equal(stale, 0);
    });
});
