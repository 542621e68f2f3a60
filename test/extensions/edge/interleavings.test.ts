import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { edge } from '../../../src/entries/edge.ts';
import type { CDN } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { InMemoryLRUCache, RESTDataSource } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { cases } from '../../support/long-form.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { ModelCache } from './model-cache.ts';
import { Turns } from './turns.ts';

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish'];
/** EDGE_HISTORIES=1000 sends more than 10,000 requests. */
const histories = Number(process.env['EDGE_HISTORIES'] ?? cases({ short: 40, long: 400 }));

const seed = Number(process.env['EDGE_SEED'] ?? 1_509);

const silent = recordingLogger()[0];

type Handler = (request: Request, context: object) => Promise<Response>;
interface Item {
  readonly id: string;
  readonly version: number;
}
/** Null: the deadline has passed. */
type Row = Record<string, Item | null | (Item | null)[]>;

/** How long stored responses of data sources are fresh, in seconds. */
const storedFor = 20;
const deadline = { ms: 40, reserveMs: 10 };

/** A REST API in front of the database. */
class Items extends RESTDataSource {
  override baseURL = 'https://items.example/';
  item(id: string): Promise<object> {
    return this.get(id);
  }
}
type Sources = { readonly dataSources: { readonly items: Items } };

const typeDefs = `
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
  type Query { item(id: ID!): Item @cacheControl(maxAge: 60) items: [Item] @cacheControl(maxAge: 60) }
  interface Item { id: ID! version: Int! } type Even implements Item { id: ID! version: Int! } type Odd implements Item { id: ID! version: Int! }
  type Mutation { change(id: ID!): Item replace(id: ID!, fails: Boolean!): Item! refused: Item }`;
const fields = '... on Even { id version } ... on Odd { id version }';
const queries = [`{ item(id: 1) { ${fields} } }`, `{ item(id: 2) { ${fields} } }`, `{ items { ${fields} } }`];

/** Every change of the version also changes the type. */
const typeOf = (version: number): string => (version % 2 === 0 ? 'Even' : 'Odd');

/** A CDN in front of several processes over one database. All steps run in a random order. */
class World {
  readonly turns: Turns;
  readonly #t: TestContext;
  readonly #random: Random;
  /** Fields that read through data sources, whose responses are stored. */
  readonly #stored: ReadonlySet<string>;
  readonly #hasDeadline: boolean;
  readonly #cache: ModelCache;
  readonly #handlers: readonly Handler[];
  readonly #database = new Map([['1', 0], ['2', 0]]); // prettier-ignore
  readonly #background: Promise<unknown>[] = [];
  /** The changes by resolvers, which continue after their client has disconnected. */
  readonly #changes: Promise<unknown>[] = [];
  /** The number of changes that have not ended. */
  unfinished = 0;

  constructor(t: TestContext, random: Random, processes: number) {
    const cdn = random.pick(cdns);
    this.#t = t;
    this.#random = random;
    this.#stored = new Set(['item', 'items'].filter(() => random.chance(0.25)));
    this.#hasDeadline = random.chance(0.5);
    this.turns = new Turns(random);
    this.#cache = new ModelCache(cdn, []);
    const purge = async (tags: readonly string[]): Promise<void> => this.#cache.purge(tags);
    const resolvers = {
      Query: {
        item: async (_: unknown, { id }: { id: string }, context: Sources) => this.#resolve('item', id, context),
        items: async (_: unknown, __: unknown, context: Sources) =>
          Promise.all(['1', '2'].map((id) => this.#resolve('items', id, context))),
      },
      Mutation: {
        change: async (_: unknown, { id }: { id: string }) => this.#change(id),
        refused: async () => {
          await this.turns.wait();
          throw new GraphQLError('Not you.', { extensions: { code: 'FORBIDDEN' } });
        },
        replace: async (_: unknown, { id, fails }: { id: string; fails: boolean }) => {
          const changed = await this.#change(id);
          if (fails) throw new Error('The item has changed, but this field fails.');
          return changed;
        },
      },
    };
    const headers = { 'cache-control': `public, max-age=${storedFor}` };
    const httpFetch = async ({ url }: Request): Promise<Response> => Response.json(await this.#read(url.at(-1)!), { headers });
    const dataSources = (): object => ({ items: new Items(httpFetch as never) });
    this.#handlers = Array.from({ length: processes }, () =>
      createHandler({
        typeDefs,
        resolvers,
        dataSources,
        cache: new InMemoryLRUCache(),
        deadline: this.#hasDeadline && deadline,
        logger: silent,
        plugins: [edge({ cdn, purge })],
      } as unknown as ServerOptions),
    ) as unknown as Handler[];
  }

  #resolve(field: string, id: string, { dataSources }: Sources): Promise<object> {
    return this.#stored.has(field) ? dataSources.items.item(id) : this.#read(id);
  }

  async #read(id: string): Promise<object> {
    await this.turns.wait();
    const version = this.#database.get(id)!;
    await this.turns.wait();
    return { __typename: typeOf(version), id, version };
  }

  #change(id: string): Promise<object> {
    const changing = async (): Promise<object> => {
      this.unfinished++;
      await this.turns.wait();
      const version = this.#database.get(id)! + 1;
      this.#database.set(id, version);
      await this.turns.wait();
      this.unfinished--;
      return { __typename: typeOf(version), id, version };
    };
    const change = changing();
    this.#changes.push(change);
    return change;
  }

  readonly read = async (query = this.#random.pick(queries)): Promise<Row> => {
    const request = new Request(`https://shop.example/?query=${encodeURIComponent(query)}`);
    this.#cache.time = Date.now() / 1_000;
    const response = await this.#cache.fetch(request, (asked) => this.#serve(asked));
    return ((await response.json()) as { data: Row }).data;
  };

  /** Lets the deadline of all running requests pass, after some turns, if possible while a change is running. */
  readonly expire = async (): Promise<void> => {
    if (!this.#hasDeadline) return;
    for (let turns = 1 + this.#random.below(3); turns > 0; turns--) await this.turns.wait();
    for (let turns = 0; turns < 12 && this.unfinished === 0; turns++) await this.turns.wait();
    this.#t.mock.timers.tick(deadline.ms);
  };

  /** Lets the stored responses of data sources become stale: they may be older than a purge. */
  outliveStoredResponses(): void {
    if (this.#stored.size > 0) this.#t.mock.timers.tick((storedFor + 1) * 1_000);
  }

  readonly write = async (): Promise<void> => {
    const id = this.#random.pick(['1', '2']);
    const field = this.#random.chance(0.5) ? `change(id: ${id})` : `replace(id: ${id}, fails: ${this.#random.chance(0.5)})`;
    const others = this.#random.pick(['', 'refused { id }']);
    const query = `mutation { ${others} ${field} { id } ${others} }`;
    const body = JSON.stringify({ query, onError: this.#random.pick([undefined, 'NULL', 'HALT']) });
    const client = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const answered = this.#serve(new Request('https://shop.example/', { method: 'POST', headers, body, signal: client.signal }));
    if (this.#random.chance(0.3)) {
      for (let turns = this.#random.below(3); turns > 0; turns--) await this.turns.wait();
      client.abort();
    }
    await answered.catch(() => undefined);
  };

  /** Resolves when all changes have ended, including those of clients that have disconnected. */
  async changed(): Promise<void> {
    await this.turns.run(Promise.all(this.#changes.splice(0)));
  }

  #serve(request: Request): Promise<Response> {
    return this.#random.pick(this.#handlers)(request, { waitUntil: (work: Promise<unknown>) => void this.#background.push(work) });
  }

  /** Lets several seconds pass, in which purges are repeated. Resolvers do not continue. */
  async idle(): Promise<void> {
    for (let turn = 0; turn < 400; turn++) {
      await Promise.resolve();
      if (turn % 50 === 49) this.#t.mock.timers.tick(1_000);
    }
  }

  /** Resolves when the purges have ended, and their repeats if `repeats` is true. */
  async settled(repeats: boolean): Promise<void> {
    const all = Promise.all(this.#background.splice(0));
    const ended: unknown[] = [];
    void all.then((values) => ended.push(values));
    for (let turn = 0; turn < 1_000 && ended.length === 0; turn++) {
      await Promise.resolve();
      if (turn % 50 === 49) this.#t.mock.timers.tick(repeats ? 1_000 : turn < 150 ? 100 : 0);
    }
    if (repeats) await all;
  }

  /** Counts the objects in answers that have an old version, or that are missing although no deadline has passed. */
  async stale(): Promise<number> {
    const rows = (await Promise.all(queries.map((query) => this.turns.run(this.read(query))))).flatMap((row) => Object.values(row).flat());
    return rows.filter((row) => row === null || row.version !== this.#database.get(row.id)).length;
  }
}

async function staleIn(t: TestContext, random: Random, [processes, repeats]: readonly [number, boolean]): Promise<number> {
  const world = new World(t, random, processes);
  let stale = 0;
  for (let round = 0; round < 2; round++) {
    const { read, write, expire } = world;
    const work = [read(), read(), write(), read(), random.chance(0.5) ? write() : read(), ...(random.chance(0.6) ? [expire()] : [])];
    await world.turns.run(Promise.all(work));
    // The change of a mutation whose client has its answer, or has disconnected, may be slow.
    if (repeats && world.unfinished > 0) {
      await world.idle();
      await world.turns.run(Promise.all(queries.map((query) => read(query))));
    }
    await world.changed();
    await world.settled(repeats);
    // These may still be made of stored responses from before the change.
    await world.turns.run(Promise.all([read(), read()]));
    world.outliveStoredResponses();
    stale += await world.stale();
  }
  return stale;
}

describe('concurrent reads and mutations, deadlines and stored responses, behind a CDN', () => {
  const cases: readonly (readonly [name: string, processes: number, repeats: boolean])[] = [
    ['of one process', 1, true],
    ['of two processes', 2, true],
    // This case shows that the repeats are needed.
    ['of two processes, before purges are repeated', 2, false],
  ];
  for (const [name, processes, repeats] of cases)
    test(`${name}: in ${histories} random orders ${repeats ? 'nothing is' : 'something is'} stale after the purge`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
      const random = createRandom(seed);
      let stale = 0;
      for (let history = 0; history < histories; history++) stale += await staleIn(t, random, [processes, repeats]);

      assert.equal(stale === 0, repeats, `${stale} stale`);
    });
});
