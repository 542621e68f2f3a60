import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardCache } from '../../src/datasources/cache/guard.ts';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../src/datasources/cache/key-value-cache.ts';
import type { DataSourceRequest, DataSourceRequestInit } from '../../src/datasources/request.ts';
import { createClock } from '../support/clock.ts';
import type { Clock } from '../support/clock.ts';
import { cases } from '../support/long-form.ts';
import { createRandom } from '../support/random.ts';
import type { Random } from '../support/random.ts';
import { API } from './api.ts';

const users = ['alice', 'bob', 'carol', 'dave', ''];

/** The ways in which a data source identifies its user to the API. */
const waysToBeKnown = ['authorization', 'x-api-key', 'dispatcher'] as const;

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The body to send instead of the default JSON. */
  readonly raw?: string;
  /** The target of a redirect. */
  readonly location?: string;
}

/** Each resource's response. Its content depends on the user, or under /of/ on the path. */
const replies: Record<string, (user: string, random: Random) => Reply> = {
  plain: () => ({ headers: { 'cache-control': 'max-age=60' } }),
  private: () => ({ headers: { 'cache-control': 'private, max-age=60, stale-if-error=600', etag: '"same for all"' } }),
  star: () => ({ headers: { 'cache-control': 'max-age=60', vary: 'accept, *' } }),
  varied: () => ({ headers: { 'cache-control': 'max-age=60', vary: 'authorization, x-api-key, accept' } }),
  old: (_user, random) => ({
    headers: { 'cache-control': 'max-age=60, stale-while-revalidate=600', age: random.pick(['-5', '59', '61', 'x']) },
  }),
  part: () => ({ status: 206, headers: { 'cache-control': 'max-age=60', 'content-range': 'bytes 0-1/2' } }),
  gone: () => ({ status: 410, headers: { 'cache-control': 'max-age=60, stale-if-error=60' } }),
  forbidden: () => ({ status: 403, headers: { 'cache-control': 'max-age=60' } }),
  unasked: () => ({ status: 304, headers: { 'cache-control': 'max-age=60' } }),
  broken: (user) => ({ headers: { 'cache-control': 'max-age=60' }, raw: `{"user":"${user}"` }),
  cookie: (user) => ({ headers: { 'cache-control': 'max-age=60', 'set-cookie': `is=${user}` } }),
  me: (user) => ({ status: 302, location: `/of/${user}` }),
  of: () => ({ headers: { 'cache-control': 'public, max-age=60', etag: '"of"' } }),
  busy: (_user, random) =>
    random.chance(0.5) ? { status: 503 } : { headers: { 'cache-control': 'max-age=5, stale-if-error=600', etag: '"b"' } },
};
const names = Object.keys(replies).filter((name) => name !== 'of');

/** Creates a body that arrives in chunks, so that a caller can stop reading in the middle. */
function inPieces(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += 9)));
    },
  });
}

class Origin {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Replaces the global fetch. */
  readonly fetch = async (input: unknown, init?: unknown): Promise<Response> => {
    const request =
      input instanceof Request ? input : new Request(input as string, { ...(init as object), dispatcher: undefined } as object);
    const { dispatcher } = (init ?? {}) as { dispatcher?: { user: string } };
    const user = dispatcher?.user ?? request.headers.get('authorization') ?? request.headers.get('x-api-key') ?? '';
    const path = new URL(request.url).pathname;
    for (let left = this.#random.below(4); left > 0; left--) await new Promise(setImmediate);
    request.signal.throwIfAborted();
    if (this.#random.chance(0.03)) throw new TypeError('fetch failed');

    const { status = 200, headers = {}, raw, location } = replies[path.split('/')[1]!]!(user, this.#random);
    if (location !== undefined && request.redirect === 'follow') {
      const response = await this.fetch(new URL(location, request.url).href, { headers: request.headers, dispatcher });
      return Object.defineProperty(response, 'redirected', { value: true });
    }
    const asked = request.headers.get('if-none-match');
    const isKnown = asked !== null && asked === headers['etag'] && this.#random.chance(0.5);
    const body = raw ?? JSON.stringify({ path, user: path.startsWith('/of/') ? path.slice('/of/'.length) : user });
    const all = { 'content-type': 'application/json', ...headers, ...(location !== undefined && { location }) };
    if (status === 304 || isKnown) return new Response(null, { status: 304, headers: all });
    return new Response(inPieces(body), { status, headers: all });
  };
}

/** Creates a store that sometimes returns values of other keys, truncated or changed values, and values that are not strings. */
function createLyingStore(random: Random): KeyValueCache {
  const entries = new Map<string, string>();
  const all: string[] = [];
  const lie = (value: string | undefined): unknown => {
    const other = random.pick(all.length === 0 ? [''] : all);
    return random.pick([
      other,
      other,
      value?.slice(0, random.below(value.length)),
      value && `${value} `,
      7,
      { value },
      null,
      value?.replace('max-age', 'mix-age'),
    ]);
  };
  return {
    async get(key) {
      for (let left = random.below(5); left > 0; left--) await new Promise(setImmediate);
      return (random.chance(0.3) ? lie(entries.get(key)) : entries.get(key)) as string | undefined;
    },
    async set(key, value) {
      for (let left = random.below(5); left > 0; left--) await new Promise(setImmediate);
      entries.set(key, value);
      all.push(value);
    },
    async delete(key) {
      return entries.delete(key);
    },
  };
}

/** A data source that reads only the first chunk of some bodies, and cancels the rest. */
class Impatient extends API {
  protected override async didReceiveResponse<T>(response: Response, request: DataSourceRequest): Promise<T> {
    if (!request.url.endsWith('?part')) return super.didReceiveResponse(response, request);
    const reader = response.body?.getReader();
    const first = (await reader?.read()) as { value?: Uint8Array } | undefined;
    await reader?.cancel();
    return { start: new TextDecoder().decode(first?.value) } as T;
  }
  protected override cacheKeyFor(request: DataSourceRequest): string {
    return request.url.split('?')[0]!;
  }
}

interface World {
  readonly random: Random;
  readonly origin: Origin;
  readonly clock: Clock;
  readonly cache: KeyValueCache;
  readonly pending: Promise<unknown>[];
  calls: number;
  answers: number;
}

async function operate(world: World): Promise<void> {
  const { random, origin, clock, cache } = world;
  const user = random.pick(users);
  const way = random.pick(waysToBeKnown);
  const life = new AbortController();
  const API = random.chance(0.3) ? Impatient : APIOfAll;
  const hasFetch = way !== 'dispatcher' && random.chance(0.5);
  const api = new API('http://api.test', { now: clock.now, httpFetch: hasFetch ? origin.fetch : undefined });
  if (hasFetch) api.cacheIdentity = random.pick([undefined, '']);
  api.memoizeGetRequests = random.chance(0.7);
  api.ttl = random.pick([undefined, undefined, 30]);
  const context = user === '' || way === 'dispatcher' ? {} : { headers: { [way]: user } };
  const operation = { signal: life.signal, waitUntil: (work: Promise<unknown>) => world.pending.push(work) };
  await api.initialize({ context, cache, operation: random.chance(0.7) ? operation : undefined });

  const agent = way === 'dispatcher' && user !== '' ? agents.get(user) : undefined;
  const ofHooks: object[] = [];
  const act = (): Promise<void> => call(world, { api, user, ofHooks, ...(agent && { agent }) });
  for (let left = 1 + random.below(3); left > 0; left--) {
    const calls = Array.from({ length: 1 + random.below(3) }, act);
    // The client disconnects.
    if (random.chance(0.1)) setImmediate(() => life.abort(new Error('the client has left')));
    await Promise.all(calls);
  }
  // These changes must not appear in the results of other operations.
  for (const result of ofHooks) spoil(result);
}

function spoil(result: object): void {
  Object.assign(result, { user: 'spoiled', path: 'spoiled', start: 'spoiled' });
}

class APIOfAll extends API {}
const agents = new Map(users.map((user) => [user, { user }]));

async function call(
  world: World,
  { api, user, ofHooks, agent }: { api: API; user: string; ofHooks: object[]; agent?: object },
): Promise<void> {
  const { random } = world;
  world.calls++;
  const leaving = new AbortController();
  if (random.chance(0.15)) setTimeout(() => leaving.abort(new Error('this caller has left')), random.below(3));
  const init: Record<string, unknown> = {
    ...(random.chance(0.5) && { signal: leaving.signal }),
    ...(agent && { dispatcher: agent }),
    ...(random.chance(0.2) && { cache: random.pick(['reload', 'no-cache', 'no-store', 'force-cache', 'only-if-cached']) }),
    ...(random.chance(0.1) && { maxResponseBytes: 20 }),
    ...(random.chance(0.1) && { retry: { limit: 1, delay: 0 } }),
    ...(random.chance(0.2) && { headers: { 'cache-control': random.pick(['max-stale', 'min-fresh=30', 'only-if-cached', 'max-age=5']) } }),
  };
  const name = random.pick(names);
  const path = random.chance(0.3) ? `${name}?part` : name;
  try {
    if (random.chance(0.1)) {
      const { headers } = await api.look(path, undefined, init as DataSourceRequestInit);
      check(Object.fromEntries(headers), user);
      return;
    }
    const { body, response } = await api.send(path, init);
    world.answers++;
    check(body, user);
    check(Object.fromEntries(response.headers), user);
    if (body?.path !== undefined) assert.equal(body.path, name === 'me' ? `/of/${user}` : `/${name}`);
    if (typeof body !== 'object' || body === null) return;
    // This change must not appear in the results of other callers, unless a hook returned the result.
    if (api instanceof Impatient) ofHooks.push(body);
    else spoil(body);
  } catch (error) {
    check(error, user);
    // Changes to an error by one operation must not reach another.
    Object.assign((error as { extensions?: object }).extensions ?? {}, { note: `spoiled by ${user}` });
  }
}

/** Asserts that a result or an error does not name another user. */
function check(value: unknown, user: string): void {
  if (value instanceof assert.AssertionError) throw value;
  const { message, extensions } = value instanceof Error ? (value as Error & { extensions?: unknown }) : {};
  const text = JSON.stringify(value instanceof Error ? { message, extensions } : value);
  for (const other of users) if (other !== user && other !== '') assert.ok(!text.includes(other), `${user || 'nobody'} was given ${text}`);
  assert.ok(!text.includes('"spoiled"'), text);
}

const caches: Record<string, (random: Random, clock: Clock) => KeyValueCache> = {
  'in memory': (_random, clock) => new InMemoryLRUCache({ now: clock.now }),
  'in a store that lies': (random) => guardCache(createLyingStore(random), { cooldown: 0 }),
};

const calls = cases({ short: 300, long: 10_000 });

describe(`${calls} calls with aborts, unusual responses, agents and unreliable stores`, () => {
  for (const [where, create] of Object.entries(caches)) {
    for (const seed of Array.from({ length: cases({ short: 1, long: 5 }) }, (_, at) => at + 1)) {
      it(`return no user's data to another (${where}, seed ${seed})`, async (t) => {
        const random = createRandom(seed);
        const clock = createClock(Date.now());
        const origin = new Origin(random);
        t.mock.method(globalThis, 'fetch', origin.fetch);
        const world: World = { random, clock, origin, cache: create(random, clock), pending: [], calls: 0, answers: 0 };

        while (world.calls < calls) {
          await Promise.all(Array.from({ length: 1 + random.below(6) }, () => operate(world)));
          await Promise.all(world.pending.splice(0));
          clock.turn(random.below(10_000) - 1000);
        }

        assert.ok(world.answers > calls / 4, `${world.answers} answers`);
      });
    }
  }
});
