import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { edge } from '../../../src/entries/edge.ts';
import type { CDN } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import type { ServerOptions } from '../../../src/entries/index.ts';
import { cases } from '../../support/long-form.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { ModelCache } from './model-cache.ts';
import { Turns } from './turns.ts';

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish'];
/** EDGE_HISTORIES=1000 sends more than 10,000 requests. */
const histories = Number(process.env['EDGE_HISTORIES'] ?? cases({ short: 20, long: 200 }));

const seed = Number(process.env['EDGE_SEED'] ?? 1_509);

const silent = recordingLogger()[0];

type Handler = (request: Request, context: object) => Promise<Response>;
type Row = Record<string, { id: string; version: number } | { id: string; version: number }[]>;

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
  readonly #random: Random;
  readonly #cache: ModelCache;
  readonly #handlers: readonly Handler[];
  readonly #database = new Map([['1', 0], ['2', 0]]); // prettier-ignore
  readonly #background: Promise<unknown>[] = [];
  /** The changes by resolvers, which continue after their client has disconnected. */
  readonly #changes: Promise<unknown>[] = [];

  constructor(random: Random, processes: number) {
    const cdn = random.pick(cdns);
    this.#random = random;
    this.turns = new Turns(random);
    this.#cache = new ModelCache(cdn, []);
    const purge = async (tags: readonly string[]): Promise<void> => this.#cache.purge(tags);
    const resolvers = {
      Query: {
        item: async (_: unknown, { id }: { id: string }) => this.#read(id),
        items: async () => Promise.all([this.#read('1'), this.#read('2')]),
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
    this.#handlers = Array.from({ length: processes }, () =>
      createHandler({ typeDefs, resolvers, logger: silent, plugins: [edge({ cdn, purge })] } as unknown as ServerOptions),
    ) as unknown as Handler[];
  }

  async #read(id: string): Promise<object> {
    await this.turns.wait();
    const version = this.#database.get(id)!;
    await this.turns.wait();
    return { __typename: typeOf(version), id, version };
  }

  #change(id: string): Promise<object> {
    const changing = async (): Promise<object> => {
      await this.turns.wait();
      const version = this.#database.get(id)! + 1;
      this.#database.set(id, version);
      await this.turns.wait();
      return { __typename: typeOf(version), id, version };
    };
    const change = changing();
    this.#changes.push(change);
    return change;
  }

  readonly read = async (query = this.#random.pick(queries)): Promise<Row> => {
    const request = new Request(`https://shop.example/?query=${encodeURIComponent(query)}`);
    const response = await this.#cache.fetch(request, (asked) => this.#serve(asked));
    return ((await response.json()) as { data: Row }).data;
  };

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

  /** Resolves when the purges have ended, and their repeats if `repeats` is true. */
  async settled(t: TestContext, repeats: boolean): Promise<void> {
    const all = Promise.all(this.#background.splice(0));
    const ended: unknown[] = [];
    void all.then((values) => ended.push(values));
    for (let turn = 0; turn < 1_000 && ended.length === 0; turn++) {
      await Promise.resolve();
      if (turn % 50 === 49) t.mock.timers.tick(repeats ? 1_000 : turn < 150 ? 100 : 0);
    }
    if (repeats) await all;
  }

  /** Counts the objects in answers that have an old version. */
  async stale(): Promise<number> {
    const rows = (await Promise.all(queries.map((query) => this.turns.run(this.read(query))))).flatMap((row) => Object.values(row).flat());
    return rows.filter(({ id, version }) => version !== this.#database.get(id)).length;
  }
}

async function staleIn(t: TestContext, random: Random, [processes, repeats]: readonly [number, boolean]): Promise<number> {
  const world = new World(random, processes);
  let stale = 0;
  for (let round = 0; round < 2; round++) {
    const { read, write } = world;
    const work = [read(), read(), write(), read(), random.chance(0.5) ? write() : read()];
    await world.turns.run(Promise.all(work));
    await world.changed();
    await world.settled(t, repeats);
    stale += await world.stale();
  }
  return stale;
}

describe('concurrent reads and mutations, behind a CDN', () => {
  const cases: readonly (readonly [name: string, processes: number, repeats: boolean])[] = [
    ['of one process', 1, true],
    ['of two processes', 2, true],
    // This case shows that the repeats are needed.
    ['of two processes, before purges are repeated', 2, false],
  ];
  for (const [name, processes, repeats] of cases)
    test(`${name}: in ${histories} random orders ${repeats ? 'nothing is' : 'something is'} stale after the purge`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const random = createRandom(seed);
      let stale = 0;
      for (let history = 0; history < histories; history++) stale += await staleIn(t, random, [processes, repeats]);

      assert.equal(stale === 0, repeats, `${stale} stale`);
    });
});
