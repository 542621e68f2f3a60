import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';
import type { CDN } from '../../../src/entries/edge.ts';
import { createHandler, DataSource } from '../../../src/entries/index.ts';
import type { ContextArgument, ServerOptions, ServerPlugin } from '../../../src/entries/index.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { MapCache } from './map-cache.ts';
import { ModelCache } from './model-cache.ts';
import { Turns } from './turns.ts';

/** The long form is EDGE_LATE=2000. */
const histories = Number(process.env['EDGE_LATE'] ?? 60);

const typeDefs = `
  type Query { text: String @cacheControl(maxAge: 60) hinted: String @cacheControl(maxAge: 60) items: [Item] @cacheControl(maxAge: 60) }
  type Item @cacheControl(maxAge: 60) { id: ID! text: String }`;
const queries = ['{ text }', '{ hinted }', '{ items { text } }', '{ a: text items { id text } }'];
const users = ['anna', 'bert', 'cora'];

type Read = () => string;
interface Context {
  read: Read;
  note?: string;
}

/** The places where code may identify the user. Each is used by some requests only, because code that always reads never shares an answer. */
const places = ['context', 'context that fails', 'data source', 'resolver', 'resolver after a wait', 'item', 'hint after a wait', 'requestDidStart', 'didResolveOperation', 'willSendResponse', 'operation', 'request', 'nowhere', 'nowhere'] as const; // prettier-ignore

class World {
  readonly turns: Turns;
  readonly #random: Random;
  readonly #front: ModelCache | undefined;
  readonly #handlers: readonly ((request: Request, context: object) => Promise<Response>)[];
  kept = 0;

  constructor(random: Random) {
    this.#random = random;
    this.turns = new Turns(random);
    const cdn = random.pick([undefined, 'varnish', 'netlify', 'cloudfront', 'vercel'] as const);
    this.#front = cdn && new ModelCache(cdn satisfies CDN, []);
    const store = cdn === undefined || random.chance(0.6) ? new MapCache(random.chance(0.5) ? this.turns.wait : undefined) : undefined;
    this.#handlers = Array.from({ length: 1 + random.below(2) }, () => this.#handler(cdn, store));
  }

  /** Reads the user in some of the calls, if code in this place reads in this world. */
  readonly #place = (place: (typeof places)[number], read: Read): string =>
    this.#here.has(place) && this.#random.chance(0.5) ? read() : 'all';
  readonly #here = new Set<string>();

  #handler(cdn: CDN | undefined, store: MapCache | undefined): (request: Request, context: object) => Promise<Response> {
    const [random, turns, place] = [this.#random, this.turns, this.#place];
    for (let count = 0; count < 2; count++) this.#here.add(random.pick(places));
    const readOf =
      ({ request }: { request: ContextArgument['request'] }): Read =>
      () =>
        request.headers.get('cookie') ?? '';
    class Source extends DataSource<Context> {
      async text(): Promise<string> {
        await turns.wait();
        return place('data source', this.context.read);
      }
    }
    const text = async (_: unknown, __: unknown, { read, note = 'all', dataSources }: any): Promise<string> => {
      const first = place('resolver', read);
      const second = await (dataSources as { source: Source }).source.text();
      await turns.wait();
      return [note, first, second, place('resolver after a wait', read)].join(' ');
    };
    const hinted = async (_: unknown, __: unknown, { read }: Context, info: any): Promise<string> => {
      await turns.wait();
      const who = place('hint after a wait', read);
      await turns.wait();
      info.cacheControl.setCacheHint(who === 'all' ? { maxAge: 30 } : { scope: 'PRIVATE' });
      return who;
    };
    const item = (_: unknown, __: unknown, { read }: Context): string => place('item', read);
    const own = (response: { http: { headers: { set: (name: string, value: string) => void } } }, who: string): void =>
      response.http.headers.set('x-for', who);
    const plugin: ServerPlugin = {
      async request(call, next) {
        const response = await next();
        await turns.wait();
        const who = place('request', readOf(call));
        if (who !== 'all') response.headers.set('x-for', who);
        return response;
      },
      async operation({ call }, next) {
        const outcome = await next();
        const who = place('operation', readOf(call));
        return who === 'all' ? outcome : { ...outcome, result: { ...outcome.result, extensions: { who } } };
      },
      requestDidStart({ request, contextValue }) {
        const read = readOf({ request: request.http! });
        (contextValue as Context).note = place('requestDidStart', read);
        return {
          async didResolveOperation() {
            await turns.wait();
            const who = place('didResolveOperation', read);
            if (who !== 'all') (contextValue as Context).note = who;
          },
          async willSendResponse({ response }) {
            await turns.wait();
            own(response as never, place('willSendResponse', read));
          },
        };
      },
    };
    return createHandler({
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers: { Query: { text, hinted, items: () => [{ id: 1 }, { id: 2 }] }, Item: { text: item } },
      dataSources: () => ({ source: new Source() }),
      nodeEnv: 'production',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      plugins: [plugin, edge({ cdn, store, deploy: 'v1' })],
      context: async (argument: ContextArgument) => {
        const read = readOf(argument);
        await turns.wait();
        if (place('context that fails', read) === 'bert') throw new Error('Bert may not.');
        return { read, note: place('context', read) };
      },
    } as unknown as ServerOptions) as unknown as (request: Request, context: object) => Promise<Response>;
  }

  /** Sends a request, and returns the texts in the answer and its headers that belong to other users. */
  async read(): Promise<string[]> {
    const user = this.#random.pick(users);
    const request = new Request(`https://shop.example/?query=${encodeURIComponent(this.#random.pick(queries))}`, {
      headers: { cookie: user },
    });
    const handler = this.#random.pick(this.#handlers);
    let isFresh = false;
    const serve = (asked: Request): Promise<Response> => ((isFresh = true), handler(asked, { waitUntil: () => undefined }));
    const response = await (this.#front === undefined ? serve(request) : this.#front.fetch(request, serve));
    if (!isFresh) this.kept++;
    const all = `${await response.text()} ${response.headers.get('x-for') ?? ''}`;
    return users.filter((other) => other !== user && all.includes(other)).map((other) => `${user} got what is ${other}'s: ${all}`);
  }
}

test(`in ${histories} random orders, code that identifies the user at any time and place always makes its answer private, and no other answer`, async () => {
  const random = createRandom(1_523);
  const leaks: string[] = [];
  let kept = 0;
  for (let history = 0; history < histories; history++) {
    const world = new World(random);
    for (let round = 0; round < 3; round++)
      leaks.push(...(await world.turns.run(Promise.all(Array.from({ length: 5 }, () => world.read())))).flat());
    kept += world.kept;
  }

  assert.deepEqual(leaks.slice(0, 3), []);
  assert.ok(kept > histories / 4, `${kept} answers from the CDN`);
});
