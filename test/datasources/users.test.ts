import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import { guardCache } from '../../src/datasources/cache/guard.ts';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../src/datasources/cache/key-value-cache.ts';
import { createClock } from '../support/clock.ts';
import type { Clock } from '../support/clock.ts';
import { cases } from '../support/long-form.ts';
import { createRandom } from '../support/random.ts';
import type { Random } from '../support/random.ts';
import { API } from './api.ts';

/** The fields that identify the user: two standard ones, and some that single APIs use. */
const userFields = ['authorization', 'cookie', 'x-api-key', 'x-auth-token', 'x-user-id'];
const varyUser = userFields.join(', ');

interface Resource {
  control?: string;
  vary?: string;
  etag?: boolean;
  cookie?: boolean;
  /** Seconds from the response to its Expires date. */
  expires?: number;
  /** Responses have Last-Modified, but no lifetime. */
  modified?: boolean;
  /** The probability that the origin fails. */
  fails?: number;
  /** The probability of a response that must not be stored. */
  unstored?: number;
  /** Responses differ from user to user. */
  personal: boolean;
}

/** Each resource's caching header fields, and whether its responses differ from user to user. */
const resources: Record<string, Resource> = {
  public: { control: 'public, max-age=60', personal: false },
  'public-by-user': { control: 'public, max-age=60', vary: varyUser, personal: true },
  plain: { control: 'max-age=60', personal: true },
  'plain-cookie': { control: 'max-age=60', cookie: true, personal: true },
  shared: { control: 's-maxage=60', personal: false },
  'shared-by-user': { control: 's-maxage=60', vary: varyUser, personal: true },
  'shared-cookie': { control: 's-maxage=60', cookie: true, personal: true },
  private: { control: 'private, max-age=60', personal: true },
  'public-and-private': { control: 'public, private, max-age=60', personal: true },
  'private-and-shared': { control: 'private, s-maxage=60, max-age=60', etag: true, personal: true },
  validated: { control: 'private, max-age=1, must-revalidate', etag: true, personal: true },
  'no-cache': { control: 'no-cache', etag: true, personal: true },
  'no-store': { control: 'no-store', personal: true },
  stale: { control: 'max-age=5, stale-while-revalidate=600, stale-if-error=600', etag: true, personal: true },
  failing: { control: 'max-age=5, stale-while-revalidate=600, stale-if-error=600', etag: true, fails: 0.3, personal: true },
  wavering: { control: 'max-age=20', unstored: 0.4, personal: true },
  dated: { expires: 60, personal: true },
  guessed: { modified: true, personal: true },
  silent: { personal: true },
};
const names = Object.keys(resources);
const tenants = ['t1', 't2'];
const languages = ['de', 'fr', 'el'];

/** A user: the fields that the data source sends, those that its httpFetch adds, and the data source's `cacheIdentity`. */
interface User {
  readonly sent?: Record<string, string>;
  readonly added?: Record<string, string>;
  readonly cacheIdentity?: string;
}

const allUsers: User[] = [
  { cacheIdentity: '' },
  { sent: { authorization: 'Bearer alice' }, cacheIdentity: '' },
  { sent: { authorization: 'Bearer bob' }, cacheIdentity: '' },
  { sent: { cookie: 'sid=carol' }, cacheIdentity: '' },
  { sent: { cookie: 'sid=dave', authorization: 'Bearer dave' }, cacheIdentity: '' },
  { sent: { 'x-api-key': 'erin' }, cacheIdentity: '' },
  { sent: { 'x-auth-token': 'frank' }, cacheIdentity: '' },
  { sent: { 'x-user-id': '7' }, cacheIdentity: '' },
  { sent: { 'x-user-id': '8' }, cacheIdentity: '' },
  { added: { authorization: 'Bearer grace' } },
  { added: { 'x-api-key': 'heidi' } },
  { sent: { cookie: 'sid=carol' }, added: { 'x-user-id': '11' } },
  { added: { authorization: 'Bearer ivan' }, cacheIdentity: 'ivan' },
  { added: { 'x-user-id': '9' }, cacheIdentity: 'judy' },
  { sent: { cookie: 'sid=carol' }, added: { 'x-user-id': '10' }, cacheIdentity: 'ken' },
];

interface Answer {
  path: string;
  version: number;
  language: string | null;
  tenant: string | null;
  user: string | null;
}

/** Returns the content of a personal response: everything in the request that identifies its user. */
const userOf = (headers: { get(name: string): string | null }): string => userFields.map((name) => headers.get(name)).join(' ');

/** The API. It has versioned resources, and responds after a random number of turns of the event loop. */
class Origin {
  readonly versions = new Map<string, number>();
  writes = 0;
  readonly #random: Random;
  readonly #now: () => number;

  constructor(random: Random, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.slice(1);
    const resource = resources[path.split('/')[0]!]!;
    await this.#turns();
    if (this.#random.chance(0.02)) throw new TypeError('fetch failed');
    if (this.#random.chance(resource.fails ?? 0.02)) return new Response('', { status: 503 });
    if (request.method !== 'GET') return this.#write(path);

    const answer = this.#answer(path, request, resource.personal);
    await this.#turns();
    return this.#respond(request, answer, resource);
  };

  #write(path: string): Response {
    this.writes++;
    const version = (this.versions.get(path) ?? 0) + 1;
    this.versions.set(path, version);
    return Response.json({ version }, { status: this.#random.pick([200, 201]) });
  }

  #answer(path: string, { headers }: Request, isPersonal: boolean): Answer {
    return {
      path,
      version: this.versions.get(path) ?? 0,
      language: headers.get('accept-language'),
      tenant: headers.get('x-tenant'),
      user: isPersonal ? userOf(headers) : null,
    };
  }

  #respond(request: Request, answer: Answer, resource: Resource): Response {
    const { control, vary, etag, cookie, expires, modified, unstored = 0 } = resource;
    const tag = `"${JSON.stringify(answer).length}-${answer.version}-${answer.user}-${answer.language}-${answer.tenant}"`;
    const headers = new Headers({ vary: vary ? `${vary}, Accept-Language, x-tenant` : 'accept-language, X-Tenant' });
    if (control !== undefined) headers.set('cache-control', this.#random.chance(unstored) ? 'no-store' : control);
    if (expires !== undefined) headers.set('expires', new Date(this.#now() + expires * 1000).toUTCString());
    if (modified) headers.set('last-modified', 'Wed, 01 Jan 2020 00:00:00 GMT');
    if (etag) headers.set('etag', tag);
    if (cookie) headers.set('set-cookie', 'seen=1');
    if (etag && request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
    return Response.json(answer, { headers });
  }

  async #turns(): Promise<void> {
    for (let left = this.#random.below(4); left > 0; left--) await new Promise(setImmediate);
  }
}

/** Creates a slow store that completes calls in random order, and sometimes fails. */
function createMoodyStore(random: Random): KeyValueCache {
  const entries = new Map<string, string>();
  const act = async <T>(failures: number, work: () => T): Promise<T> => {
    for (let left = random.below(5); left > 0; left--) await new Promise(setImmediate);
    if (random.chance(failures)) throw new Error('moody');
    return work();
  };
  return {
    get: (key) => act(0.03, () => entries.get(key)),
    set: (key, value) => act(0.03, () => void entries.set(key, value)),
    delete: (key) => act(0.3, () => entries.delete(key)),
  };
}

interface World {
  readonly random: Random;
  readonly origin: Origin;
  readonly clock: Clock;
  readonly cache: KeyValueCache;
  /** The user of the running operation. */
  readonly users: AsyncLocalStorage<User>;
  /** Adds the identifying fields of the running operation's user to a request. All users share this function. */
  readonly fetchAsUser: (request: Request) => Promise<Response>;
  /** For each path, the version returned by the last write. */
  readonly written: Map<string, number>;
  readonly pending: Promise<unknown>[];
  calls: number;
  succeededWrites: number;
}

/** Runs one operation: a random user, a new data source, and a few calls, sequential or concurrent. */
async function operate(world: World): Promise<void> {
  const { random, clock, cache } = world;
  const user = random.pick(allUsers);
  const headers = {
    ...user.sent,
    ...(random.chance(0.5) && { 'x-tenant': random.pick(tenants) }),
    ...(random.chance(0.5) && { 'accept-language': random.pick(languages) }),
  };
  const api = new API('http://api.test', { httpFetch: world.fetchAsUser, now: clock.now });
  if (user.cacheIdentity !== undefined) api.cacheIdentity = user.cacheIdentity;
  api.memoizeGetRequests = random.chance(0.7);
  api.ttl = random.pick([undefined, undefined, 0, 30]);
  const operation = { signal: new AbortController().signal, waitUntil: (work: Promise<unknown>) => world.pending.push(work) };
  await api.initialize({ context: { headers }, cache, operation: random.chance(0.7) ? operation : undefined });

  const mine = new Map<string, number>();
  const paths = Array.from({ length: 1 + random.below(3) }, () => `${random.pick(names)}/${random.below(2)}`);
  for (let left = 1 + random.below(3); left > 0; left--) {
    const act = (): Promise<void> => call(world, api, { ...user, sent: headers }, { path: random.pick(paths), mine });
    await world.users.run(user, () => Promise.all(Array.from({ length: 1 + random.below(3) }, act)));
  }
}

async function call(
  world: World,
  api: API,
  { sent, added }: User,
  { path, mine }: { path: string; mine: Map<string, number> },
): Promise<void> {
  const { random } = world;
  world.calls++;
  if (random.chance(0.15)) return write(world, api, path, mine);

  const extra = random.chance(0.2) ? { 'accept-language': random.pick(languages) } : {};
  const cache = random.chance(0.1) ? random.pick(['reload', 'no-cache', 'no-store'] as const) : undefined;
  const seenByAll = world.written.get(path) ?? 0;
  const seenByMe = mine.get(path) ?? 0;
  const answer = (await api.read(path, undefined, { headers: extra, ...(cache && { cache }) }).catch(() => undefined)) as
    | Answer
    | undefined;
  if (answer === undefined) return;

  check(answer, {
    path,
    headers: { ...extra, ...sent, ...added },
    atLeast: Math.max(seenByMe, api.memoizeGetRequests ? 0 : seenByAll),
  });
  // This change must not appear in the results of other callers.
  Object.assign(answer, { path: 'spoiled', user: 'spoiled', version: -1 });
}

async function write(world: World, api: API, path: string, mine: Map<string, number>): Promise<void> {
  const result = (await api.create(path, { any: 1 }).catch(() => undefined)) as { version: number } | undefined;
  if (result === undefined) return;
  world.succeededWrites++;
  world.written.set(path, Math.max(result.version, world.written.get(path) ?? 0));
  mine.set(path, Math.max(result.version, mine.get(path) ?? 0));
}

function check(answer: Answer, { path, headers, atLeast }: { path: string; headers: Record<string, string>; atLeast: number }): void {
  const { personal } = resources[path.split('/')[0]!]!;
  const sent = new Headers(headers);
  assert.equal(answer.path, path, 'another resource');
  assert.equal(answer.user, personal ? userOf(sent) : null, `a foreign answer for ${path}`);
  assert.equal(answer.language, sent.get('accept-language'), `another language for ${path}`);
  assert.equal(answer.tenant, sent.get('x-tenant'), `another tenant for ${path}`);
  assert.ok(answer.version >= atLeast, `version ${answer.version} of ${path} after ${atLeast} was written`);
}

const caches: Record<string, (random: Random, clock: Clock) => KeyValueCache> = {
  'in memory': (_random, clock) => new InMemoryLRUCache({ now: clock.now }),
  'in memory, with room for a few': (_random, clock) => new InMemoryLRUCache({ now: clock.now, maxSize: 5000 }),
  'in a slow store that mixes up the order and fails': (random) => guardCache(createMoodyStore(random), { cooldown: 0 }),
};

const calls = cases({ short: 600, long: 10_000 });

describe(`${calls} calls of several users over one cache`, () => {
  for (const [where, create] of Object.entries(caches)) {
    for (const seed of Array.from({ length: cases({ short: 1, long: 3 }) }, (_, at) => at + 1)) {
      it(`never mix up users, lose a write or return data from before it (${where}, seed ${seed})`, async () => {
        const random = createRandom(seed);
        const clock = createClock(Date.now());
        const users = new AsyncLocalStorage<User>();
        const origin = new Origin(random, clock.now);
        const world: World = {
          random,
          clock,
          users,
          fetchAsUser: (request) => {
            for (const [name, value] of Object.entries(users.getStore()!.added ?? {})) request.headers.set(name, value);
            return origin.fetch(request);
          },
          origin,
          cache: create(random, clock),
          written: new Map(),
          pending: [],
          calls: 0,
          succeededWrites: 0,
        };

        while (world.calls < calls) {
          await Promise.all(Array.from({ length: 1 + random.below(6) }, () => operate(world)));
          await Promise.all(world.pending.splice(0));
          clock.turn(random.below(10_000));
        }

        assert.equal(world.origin.writes, world.succeededWrites);
      });
    }
  }
});
