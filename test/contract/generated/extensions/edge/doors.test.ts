import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLScalarType } from 'graphql';

import { compression } from '../../../../../src/entries/compression.ts';
import { cacheControlDefinitions, edge } from '../../../../../src/entries/edge.ts';
import type { CDN } from '../../../../../src/entries/edge.ts';
import { RESTDataSource } from '../../../../../src/entries/index.ts';
import type { ContextArgument, RequestCall, ServerOptions, ServerPlugin } from '../../../../../src/entries/index.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { frontDoors } from '../../../../support/sources.ts';
import type { PlainRequest } from '../../../../support/plain-http.ts';
import type { OpenDoor } from '../../../../support/sources.ts';
import { MapCache } from '../../../../support/edge/map-cache.ts';
import { ModelCache } from '../../../../support/edge/model-cache.ts';
import { randomRequest, toWeb } from './spelled-requests.ts';

/** The number of worlds. Each has 24 requests. */
const worlds = Number(process.env['EDGE_WORLDS'] ?? cases({ short: 5, long: 450 }));
const seed = Number(process.env['EDGE_SEED'] ?? 1);

const users = ['anna', 'bert', 'cora'];
const typeDefs = `
  scalar Late
  type Query {
    text: String @cacheControl(maxAge: 60) late: Late @cacheControl(maxAge: 60) item: Item @cacheControl(maxAge: 60)
    items: [Item] @cacheControl(maxAge: 60) node: Node @cacheControl(maxAge: 60) echo(a: Int, b: String): String @cacheControl(maxAge: 60)
    broken: String @cacheControl(maxAge: 60)
  }
  interface Node { id: ID } type Book implements Node { id: ID text: String } type Pen implements Node { id: ID text: String }
  type Item { id: ID text: String method: String getter: String } type Mutation { touch: Item }`;
const documents = [
  '{ text }',
  '{ late text }',
  '{ item { text method } }',
  '{ items { id getter } }',
  '{ node { __typename ... on Book { text } ... on Pen { text } } }',
  'query ($a: Int, $b: String) { echo(a: $a, b: $b) }',
  '{ text broken }',
  '{ item { getter } node { id } }',
];

type Read = () => string;
interface Context {
  readonly read: Read;
  note?: string;
}

/** An event of any platform. */
type Hosted = Partial<Record<'headers' | 'multiValueHeaders', object>> & { readonly request?: { readonly headers: object } };

/** Ways to identify the user of a request. */
const finders: readonly ((argument: ContextArgument) => string)[] = [
  ({ request }) => request.headers.get('cookie') ?? '',
  ({ request }) => request.headers.get('AUTHORIZATION') ?? '',
  ({ request }) => [...request.headers].join(' '),
  ({ request }) => JSON.stringify(request.headers),
  ({ request }) => new Headers([...request.headers.entries()]).get('authorization') ?? '',
  ({ request }) => JSON.stringify({ ...request, headers: request.headers.toRecord() }),
  ({ request }) => new URLSearchParams(request.queryString).get('user') ?? '',
  ({ request }) => inspect(request, { depth: 9, showHidden: true }),
  ({ event }) => inspect(event, { depth: 9 }),
  ({ event }) =>
    JSON.stringify((event as Hosted).headers ?? (event as Hosted).multiValueHeaders ?? (event as Hosted).request?.headers ?? ''),
  (argument) => inspect(argument, { depth: 9, showProxy: true, getters: true }),
  ({ request }) => Object.values(Object.getOwnPropertyDescriptors(request)).map(({ value, get }) => inspect(value ?? get?.call(request))).join(), // prettier-ignore
];

const places = ['context', 'resolver', 'after a turn', 'value', 'scalar', 'getter', 'method', 'type', 'generator', 'context getter', 'loader', 'wrapper', 'hook of a field', 'answer of a hook', 'last hook', 'local storage', 'data source', 'header', 'cookie', 'error', 'view', 'nowhere', 'nowhere'] as const; // prettier-ignore
type Place = (typeof places)[number];

const turn = (): Promise<void> => new Promise(setImmediate);
const active = new AsyncLocalStorage<RequestCall>();
const only = (text: string): string => users.filter((user) => text.includes(user)).join(' ') || 'nobody';

class World {
  readonly #random: Random;
  readonly #here: ReadonlySet<Place>;
  readonly #find: (argument: ContextArgument) => string;
  readonly #doors: readonly { readonly name: string; readonly open: OpenDoor }[];
  readonly #front: ModelCache | undefined;
  readonly #cdn: CDN | undefined;
  readonly #documents: readonly string[];
  readonly #compresses: boolean;
  kept = 0;
  personal = 0;
  compressed = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#here = new Set([random.pick(places), random.pick(places)]);
    this.#find = random.pick(finders);
    this.#documents = [random.pick(documents), random.pick(documents)];
    this.#compresses = random.chance(0.4);
    this.#cdn = random.pick([undefined, 'varnish', 'netlify', 'cloudfront', 'cloudflare', 'vercel', 'fastly', 'rfc9213'] as const);
    this.#front = this.#cdn && new ModelCache(this.#cdn, []);
    const store = this.#cdn === undefined || random.chance(0.4) ? new MapCache(random.chance(0.5) ? turn : undefined) : undefined;
    const usable = frontDoors.filter(({ name }) => name !== 'node:http' || random.chance(0.5));
    this.#doors = Array.from({ length: 1 + random.below(2) }, () => {
      const door = random.pick(usable);
      return { name: door.name, open: door.open(this.#options(store)) };
    });
  }

  /** Reads the user in some of the calls, if code in this place reads in this world. */
  #at(place: Place, read: Read): string {
    return this.#here.has(place) && this.#random.chance(0.4) ? only(read()) : 'all';
  }

  #options(store: MapCache | undefined): ServerOptions {
    const at = (place: Place, read: Read): string => this.#at(place, read);
    const isClass = this.#random.chance(0.3);
    // Only answers of 64 KiB are compressed.
    const resolvers = createResolvers(at, this.#compresses ? '.'.repeat(65_536) : '');
    const find = this.#find;
    class Me extends RESTDataSource<Context> {
      override baseURL = 'https://api.example/';
      override cacheIdentity = '';
      async me(): Promise<string> {
        return this.get('me', undefined, { headers: { 'x-token': at('data source', this.context.read) } });
      }
    }
    const httpFetch = async (_: unknown, init?: { headers?: unknown }): Promise<Response> =>
      Response.json(new Headers(init?.headers as Record<string, string>).get('x-token'), { headers: { 'cache-control': 'max-age=60' } });
    const context = async (argument: ContextArgument): Promise<Context> => {
      const read: Read = () => find(argument);
      await turn();
      const response = argument.response.headers;
      const header = at('header', read);
      if (header !== 'all') response.set('x-for', header);
      const cookie = at('cookie', read);
      if (cookie !== 'all') response.append('set-cookie', `session=${cookie}`);
      const note = at('context', read);
      return isClass ? new Session(read, note) : { read, note };
    };
    return {
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers: resolvers as never,
      context: context as never,
      dataSources: (() => ({ me: new Me({ httpFetch } as never) })) as never,
      allowBatchedHttpRequests: true,
      nodeEnv: 'production',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      formatError: (formatted) => formatted,
      plugins: [
        hooks(at, find),
        edge({ cdn: this.#cdn, store, deploy: 'v1' }),
        ...(this.#compresses ? [compression({ withCookies: true, restAPI: true })] : []),
      ],
    };
  }

  /** Sends a request, and returns the parts of the answer that belong to another user. */
  async ask(): Promise<unknown[]> {
    const [random, user] = [this.#random, this.#random.pick(users)];
    const spelled = randomRequest(random, user, this.#documents);
    const coding = this.#compresses ? random.pick([undefined, 'gzip', 'br', 'gzip, br']) : undefined;
    const request = coding === undefined ? spelled : { ...spelled, headers: [...spelled.headers, ['Accept-Encoding', coding] as const] };
    const door = random.pick(this.#doors);
    const url = `https://shop.example${request.path}?${request.query}`;
    let isFresh = false;
    const send = async (): Promise<Response> => {
      isFresh = true;
      return toWeb(await door.open.send(request));
    };
    const asked = new Request(url, { method: request.method === 'GET' ? 'GET' : 'POST', headers: request.headers as [string, string][] });
    const response = await (this.#front === undefined ? send() : this.#front.fetch(asked, send));
    if (this.#front !== undefined && random.chance(0.1)) this.#front.time += random.below(40);
    const isWrong = getsWrongType(request, response) || getsWrongCoding(coding, response, this.#cdn);
    if (response.headers.has('content-encoding')) this.compressed++;
    const shown = `${await response.text()} ${[...response.headers].join(' ')}`;
    if (!isFresh || response.headers.has('age')) this.kept++;
    if (shown.includes(user)) this.personal++;
    return users
      .filter((other) => (other !== user && shown.includes(other)) || isWrong)
      .map(() => ({
        user,
        request,
        shown: shown.replace(/\.{9,}/, '…'),
        door: door.name,
        here: [...this.#here],
        find: String(this.#find),
        cdn: this.#cdn,
        isFresh,
      }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#doors.map(({ open }) => open.close()));
  }
}

/** True for a success with a media type that the client does not accept. A client that accepts only application/json must never get the newer type from a cache. */
function getsWrongType({ headers }: PlainRequest, response: Response): boolean {
  const accept = headers.find(([name]) => /^accept$/i.test(name))?.[1];
  return (
    accept === 'application/json' &&
    response.ok &&
    response.headers.get('content-type')?.startsWith('application/graphql-response+json') === true
  );
}

/** True for a body that the client cannot read. The other CDNs compress and decompress themselves, whatever Vary lists. */
function getsWrongCoding(accepted: string | undefined, response: Response, cdn: CDN | undefined): boolean {
  const coding = response.headers.get('content-encoding');
  const usesVary = cdn === undefined || ['varnish', 'vercel', 'fastly', 'rfc9213'].includes(cdn);
  return usesVary && coding !== null && accepted?.includes(coding) !== true;
}

/** A context that is an instance of a class. `read` identifies the user when it is called. */
class Session implements Context {
  note: string;
  readonly #read: Read;

  constructor(read: Read, note: string) {
    this.#read = read;
    this.note = note;
  }

  get read(): Read {
    return this.#read;
  }
}

type At = (place: Place, read: Read) => string;

function createResolvers(at: At, filler: string): object {
  const waiting: { readonly read: Read; readonly done: (text: string) => void }[] = [];
  const load = (read: Read): Promise<string> =>
    new Promise((done) => {
      if (waiting.length === 0) setImmediate(() => waiting.splice(0).forEach((one) => one.done(at('loader', one.read))));
      waiting.push({ read, done });
    });
  const row = (id: number, context: Context): object => ({
    id,
    text: async () => (await turn(), at('after a turn', context.read)),
    method: (_: unknown, { read }: Context) => at('method', read),
    get getter() {
      return at('getter', context.read);
    },
  });
  const text = async (_: unknown, __: unknown, context: Context & { dataSources: { me: { me: () => Promise<string> } } }): Promise<string> =>
    [context.note, at('resolver', context.read), await load(context.read), await context.dataSources.me.me(), at('context getter', context.read), stored(), filler].join(' '); // prettier-ignore
  const stored = (): string => at('local storage', () => [...(active.getStore()?.request.headers ?? [])].join(' '));
  const wrapped =
    (resolve: (...given: any[]) => unknown) =>
    async (...given: any[]): Promise<unknown> => {
      const who = at('wrapper', (given[2] as Context).read);
      const value = await resolve(...given);
      return who === 'all' ? value : `${who} ${String(value)}`;
    };
  return {
    Late: new GraphQLScalarType({ name: 'Late', serialize: (value) => (value as Read)() }),
    Node: {
      __resolveType: (value: { who?: string }, context: Context) => {
        const who = at('type', context.read);
        value.who = who;
        return who === 'anna' ? 'Pen' : 'Book';
      },
    },
    Book: { text: ({ who }: { who?: string }) => who },
    Pen: { text: ({ who }: { who?: string }) => who },
    Query: {
      text: wrapped(text),
      late:
        (_: unknown, __: unknown, { read }: Context) =>
        () =>
          at('scalar', read),
      item: (_: unknown, __: unknown, context: Context) => row(1, context),
      async *items(_: unknown, __: unknown, context: Context) {
        yield row(1, context);
        await turn();
        yield { id: at('generator', context.read), getter: 'x' };
      },
      node: (_: unknown, __: unknown, { read }: Context) => ({ id: { valueOf: () => at('value', read) } }),
      echo: (_: unknown, { a, b }: { a?: number; b?: string }) => `${a} ${b}`,
      broken: (_: unknown, __: unknown, { read }: Context) => {
        const who = at('error', read);
        if (who !== 'all') throw new Error(who);
        return who;
      },
    },
    Mutation: { touch: (_: unknown, __: unknown, context: Context) => row(1, context) },
  };
}

function hooks(at: At, find: (argument: ContextArgument) => string): ServerPlugin {
  return {
    requestDidStart({ request, contextValue }) {
      const read: Read = () => find({ request: request.http!, event: {} } as never);
      return {
        async responseForOperation() {
          const who = at('answer of a hook', read);
          return who === 'all' ? null : ({ data: { text: who } } as never);
        },
        async executionDidStart() {
          return {
            willResolveField: () => {
              const who = at('hook of a field', (contextValue as Context).read);
              if (who !== 'all') (contextValue as Context).note = who;
            },
          } as never;
        },
        async willSendResponse({ response }) {
          await turn();
          const who = at('last hook', read);
          if (who !== 'all') response.http.headers.set('x-for', who);
        },
      };
    },
    async request(call, next) {
      const response = await active.run(call, next);
      const who = at('view', () => [...call.request.headers].join(' '));
      if (who !== 'all') response.headers.set('x-view', who);
      return response;
    },
  };
}

test(`in ${worlds * 24} requests through all doors, spelled in many ways, nothing that code reads late about one user reaches another`, async (t) => {
  const random = createRandom(seed);
  const leaks: unknown[] = [];
  let [kept, personal, compressed] = [0, 0, 0];
  for (let at = 0; at < worlds; at++) {
    const world = new World(random);
    for (let round = 0; round < 6; round++) leaks.push(...(await Promise.all(Array.from({ length: 4 }, () => world.ask()))).flat());
    await world.close();
    kept += world.kept;
    personal += world.personal;
    compressed += world.compressed;
  }

  t.diagnostic(`${kept} from a CDN, ${personal} personal, ${compressed} compressed`);
  assert.deepEqual(leaks.slice(0, 2), []);
  assert.ok(kept > worlds / 2 && personal > worlds / 2, `${kept} kept, ${personal} personal`);
});
