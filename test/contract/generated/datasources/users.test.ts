import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';

import { guardCache } from '../../../../src/datasources/cache/guard.ts';
import { InMemoryLRUCache } from '../../../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import type { DataSourceRequestInit } from '../../../../src/datasources/request.ts';
import { createClock } from '../../../support/clock.ts';
import type { Clock } from '../../../support/clock.ts';
import { cases } from '../../../support/long-form.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { Operations } from '../../../support/datasources/api.ts';
import type { API, OperationSettings } from '../../../support/datasources/api.ts';

/** The fields that identify the user: two standard ones, and some that single APIs use. */
const userFields = ['authorization', 'cookie', 'x-api-key', 'x-auth-token', 'x-user-id'];
const varyUser = userFields.join(', ');

interface Resource {
  readonly control?: string;
  readonly vary?: string;
  /** Has an ETag of its content, or one that is the same for all users. */
  readonly etag?: 'of the content' | 'same for all';
  readonly cookie?: boolean;
  /** Seconds from the response to its Expires date. */
  readonly expires?: number;
  readonly status?: number;
  readonly age?: readonly string[];
  /** A redirect to a path with the user's name. */
  readonly redirects?: boolean;
  /** The JSON breaks off. */
  readonly broken?: boolean;
  /** The probability that the API fails, and that of a response that must not be stored. */
  readonly fails?: number;
  readonly unstored?: number;
  /** False if all users get the same response. */
  readonly personal?: false;
}

const staleAllowed = 'max-age=5, stale-while-revalidate=600, stale-if-error=600';

const resources: Readonly<Record<string, Resource>> = {
  public: { control: 'public, max-age=60', personal: false },
  'public-by-user': { control: 'public, max-age=60', vary: varyUser },
  plain: { control: 'max-age=60' },
  'plain-cookie': { control: 'max-age=60', cookie: true },
  shared: { control: 's-maxage=60', personal: false },
  'shared-by-user': { control: 's-maxage=60', vary: varyUser },
  'shared-cookie': { control: 's-maxage=60', cookie: true },
  private: { control: 'private, max-age=60, stale-if-error=600', etag: 'same for all' },
  'public-and-private': { control: 'public, private, max-age=60' },
  'private-and-shared': { control: 'private, s-maxage=60, max-age=60', etag: 'of the content' },
  validated: { control: 'private, max-age=1, must-revalidate', etag: 'of the content' },
  'no-cache': { control: 'no-cache', etag: 'of the content' },
  'no-store': { control: 'no-store' },
  stale: { control: staleAllowed, etag: 'of the content' },
  failing: { control: staleAllowed, etag: 'of the content', fails: 0.3 },
  wavering: { control: 'max-age=20', etag: 'of the content', unstored: 0.4 },
  dated: { expires: 60 },
  silent: {},
  star: { control: 'max-age=60', vary: 'accept, *' },
  old: { control: 'max-age=60, stale-while-revalidate=600', age: ['-5', '59', '61', 'x'] },
  part: { control: 'max-age=60', status: 206 },
  gone: { control: 'max-age=60, stale-if-error=60', status: 410 },
  forbidden: { control: 'max-age=60', status: 403 },
  unasked: { control: 'max-age=60', status: 304 },
  broken: { control: 'max-age=60', broken: true },
  me: { redirects: true },
  of: { control: 'public, max-age=60', etag: 'same for all' },
};
/** Redirects are asked for more often, because they differ from user to user in more ways. */
const names = [...Object.keys(resources).filter((name) => name !== 'of'), 'me', 'me'];

/** A user: the fields that the data source sends, those that its httpFetch adds, its `cacheIdentity`, and a client certificate. */
interface User {
  readonly sent?: Record<string, string>;
  readonly added?: Record<string, string>;
  readonly cacheIdentity?: string;
  readonly dispatcher?: { readonly user: string };
}

const allUsers: readonly User[] = [
  { sent: { authorization: 'alice' } },
  { sent: { authorization: 'bob' } },
  { sent: { cookie: 'carol' } },
  { sent: { cookie: 'dave', authorization: 'davina' } },
  { sent: { 'x-api-key': 'erin' } },
  { sent: { 'x-auth-token': 'frank' } },
  { sent: { 'x-user-id': 'seven' } },
  { sent: { 'x-user-id': 'eight' } },
  { added: { authorization: 'grace' } },
  { added: { 'x-api-key': 'heidi' } },
  { sent: { cookie: 'carol' }, added: { 'x-user-id': 'eleven' } },
  { added: { authorization: 'ivan' }, cacheIdentity: 'ivan' },
  { added: { 'x-user-id': 'judy' }, cacheIdentity: 'judith' },
  { sent: { cookie: 'carol' }, added: { 'x-user-id': 'ken' }, cacheIdentity: 'kenneth' },
  { dispatcher: { user: 'laura' } },
  { dispatcher: { user: 'mallory' } },
];
const namesIn = ({ sent, added, dispatcher }: User): string[] =>
  [sent, added, dispatcher].flatMap((fields) => Object.values<string>({ ...fields }));
const allNames = new Set(allUsers.flatMap(namesIn));

/** The content of a personal response: everything in the request that identifies its user. */
const userOf = (headers: Headers, dispatcher?: User['dispatcher']): string =>
  [...userFields.map((name) => headers.get(name)), dispatcher?.user].filter(Boolean).join(' ');

interface World {
  readonly random: Random;
  readonly operations: Operations;
  readonly fetch: (input: unknown, init?: unknown) => Promise<Response>;
  /** The user of the running operation. */
  readonly users: AsyncLocalStorage<User>;
  /** The version of each path, and the last one that a write has returned. */
  readonly versions: Map<string, number>;
  readonly written: Map<string, number>;
  /** The writes that have arrived. */
  readonly arrived: string[];
  readonly pending: Promise<unknown>[];
  calls: number;
  answers: number;
}

async function someTurns(random: Random): Promise<void> {
  for (let left = random.below(4); left > 0; left--) await new Promise(setImmediate);
}

/** A body that arrives in pieces, so that a caller can stop reading in the middle. */
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

/** The API, which responds after some turns of the event loop. It replaces the global fetch. */
function createFetch(world: World, clock: Clock): World['fetch'] {
  const { random, versions, arrived } = world;
  return async function answer(input: unknown, init: unknown = {}): Promise<Response> {
    const { dispatcher } = init as User;
    const request =
      input instanceof Request ? input : new Request(input as string, { ...(init as object), dispatcher: undefined } as object);
    const path = new URL(request.url).pathname.slice(1);
    const resource = resources[path.split('/')[0]!]!;
    await someTurns(random);
    request.signal.throwIfAborted();
    if (random.chance(0.02)) throw new TypeError('fetch failed');
    if (random.chance(resource.fails ?? 0.02)) return new Response('', { status: 503 });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      arrived.push(await request.text());
      versions.set(path, (versions.get(path) ?? 0) + 1);
      return Response.json({ version: versions.get(path) }, { status: random.pick([200, 201]) });
    }

    const { headers } = request;
    const user = userOf(headers, dispatcher);
    if (resource.redirects) {
      const location = `/of/${user.replaceAll(' ', '-')}`;
      if (request.redirect !== 'follow') return new Response(null, { status: 302, headers: { location } });
      const response = await answer(new URL(location, request.url).href, { headers, dispatcher });
      return Object.defineProperty(response, 'redirected', { value: true });
    }
    const content = { path, version: versions.get(path) ?? 0, language: headers.get('accept-language'), tenant: headers.get('x-tenant') };
    const body = JSON.stringify({ ...content, user: resource.personal === false || path.startsWith('of/') ? null : user });
    await someTurns(random);
    return respond(resource, body);
  };

  function respond({ control, vary, etag, cookie, expires, age, status = 200, broken, unstored = 0 }: Resource, body: string): Response {
    const tag = etag === 'of the content' ? JSON.stringify(body.replaceAll('"', "'")) : '"same"';
    const headers = new Headers({
      'content-type': 'application/json',
      vary: vary ? `${vary}, Accept-Language, x-tenant` : 'accept-language, X-Tenant',
    });
    if (control !== undefined) headers.set('cache-control', random.chance(unstored) ? 'no-store' : control);
    if (expires !== undefined) headers.set('expires', new Date(clock.now() + expires * 1000).toUTCString());
    if (etag) headers.set('etag', tag);
    if (cookie) headers.set('set-cookie', 'seen=1');
    if (age) headers.set('age', random.pick(age));
    return new Response(status === 304 ? null : inPieces(broken ? body.slice(0, -1) : body), { status, headers });
  }
}

/** Answers a validator with a 304 if the ETag is the same; sometimes, if it depends on the content. */
function validating(fetch: World['fetch'], random: Random): World['fetch'] {
  return async (input, init = {}) => {
    const response = await fetch(input, init);
    const headers = input instanceof Request ? input.headers : new Headers((init as RequestInit).headers);
    const validator = headers.get('if-none-match');
    if (validator === null || validator !== response.headers.get('etag') || random.chance(0.3)) return response;
    await response.body?.cancel();
    return Object.defineProperty(new Response(null, { status: 304, headers: response.headers }), 'redirected', {
      value: response.redirected,
    });
  };
}

/** Runs one operation: a random user, a new data source, and a few calls, sequential or concurrent. */
async function operate(world: World): Promise<void> {
  const { random, operations, users, pending } = world;
  // Entries for nobody have no hash of a user, by which a store that lies would be found out.
  const user = random.chance(0.3) ? {} : random.pick(allUsers);
  const usesHTTPFetch = user.added !== undefined || (user.dispatcher === undefined && random.chance(0.5));
  const headers = {
    ...user.sent,
    ...(random.chance(0.2) && { 'x-tenant': random.pick(['t1', 't2']) }),
    ...(random.chance(0.2) && { 'accept-language': random.pick(['de', 'fr', 'el']) }),
  };
  const life = new AbortController();
  const operation = { signal: life.signal, waitUntil: (work: Promise<unknown>) => pending.push(work) };
  const readsPart = random.chance(0.2);
  const api = operations.begin({
    headers,
    httpFetch: usesHTTPFetch ? fetchAsUser(world) : undefined,
    cacheIdentity: user.cacheIdentity ?? (user.added === undefined && usesHTTPFetch ? random.pick([undefined, '']) : undefined),
    memoizeGetRequests: random.chance(0.7),
    ttl: random.pick([undefined, undefined, 0, 30, 30]),
    operation: random.chance(0.7) ? operation : undefined,
    // Reading a part is the same request.
    cacheKeyFor: (request) => request.url.split('?')[0],
    ...(readsPart && partial),
  });

  const mine = new Map<string, number>();
  const paths = Array.from({ length: 1 + random.below(3) }, () => `${random.pick(names)}/${random.chance(0.2) ? 1 : 0}`);
  const ofHooks: object[] = [];
  const act = (): Promise<void> => call({ world, api, user: { ...user, sent: headers }, mine, spoil: (result) => (readsPart ? ofHooks.push(result) : spoil(result)) }, random.pick(paths)); // oxfmt-ignore
  for (let left = 1 + random.below(3); left > 0; left--) {
    const calls = users.run(user, () => Promise.all(Array.from({ length: 1 + random.below(3) }, act)));
    // The client disconnects.
    if (random.chance(0.05)) setImmediate(() => life.abort(new Error('the client has left')));
    await calls;
  }
  // The calls of one operation share the result of a hook; no other operation may see this change.
  for (const result of ofHooks) spoil(result);
}

/** An httpFetch that adds the fields of the running operation's user. All users share one. */
function fetchAsUser({ users, fetch }: World): (request: Request) => Promise<Response> {
  return (request) => {
    for (const [name, value] of Object.entries(users.getStore()!.added ?? {})) request.headers.set(name, value);
    return fetch(request);
  };
}

/** Reads only the first piece of some bodies, and cancels the rest. */
const partial: OperationSettings = {
  async didReceiveResponse(response, request) {
    if (!request.url.endsWith('?part'))
      return Object.getPrototypeOf(Object.getPrototypeOf(this)).didReceiveResponse.call(this, response, request);
    const reader = response.body?.getReader();
    const first = (await reader?.read()) as { value?: Uint8Array } | undefined;
    await reader?.cancel();
    return { start: new TextDecoder().decode(first?.value) };
  },
};

function spoil(result: object): void {
  Object.assign(result, { user: 'spoiled', path: 'spoiled', start: 'spoiled', version: -1 });
}

interface Caller {
  readonly world: World;
  readonly api: API;
  readonly user: User;
  /** The versions that the operation has written. */
  readonly mine: Map<string, number>;
  /** Changes a result, which must not appear in the results of other callers. */
  readonly spoil: (result: object) => void;
}

async function call(caller: Caller, path: string): Promise<void> {
  const { world, api, user, mine } = caller;
  const { random } = world;
  const name = `call ${++world.calls}`;
  if (random.chance(0.15)) return write(caller, path, name);

  const leaving = new AbortController();
  if (random.chance(0.1)) setTimeout(() => leaving.abort(new Error('this caller has left')), random.below(3));
  const extra = {
    ...(random.chance(0.2) && { 'accept-language': random.pick(['de', 'fr', 'el']) }),
    ...(random.chance(0.1) && { 'cache-control': random.pick(['max-stale', 'min-fresh=30', 'only-if-cached', 'max-age=5']) }),
  };
  const init = {
    headers: extra,
    ...(random.chance(0.3) && { signal: leaving.signal }),
    ...(user.dispatcher && { dispatcher: user.dispatcher }),
    ...(random.chance(0.2) && { cache: random.pick(['reload', 'no-cache', 'no-store', 'force-cache', 'only-if-cached']) }),
    ...(random.chance(0.05) && { maxResponseBytes: 20 }),
    ...(random.chance(0.1) && { retry: { limit: 1, delay: 0 } }),
  } as object as DataSourceRequestInit;
  const atLeast = Math.max(mine.get(path) ?? 0, api.memoizeGetRequests ? 0 : (world.written.get(path) ?? 0));
  try {
    if (random.chance(0.1)) return checkNames(Object.fromEntries((await api.look(path, undefined, init)).headers), user);
    const { body, response } = await api.send(random.chance(0.2) ? `${path}?part` : path, init);
    world.answers++;
    checkNames([body, Object.fromEntries(response.headers)], user);
    if (typeof body !== 'object' || body === null) return;
    if (body.path !== undefined)
      checkAnswer(body, { path, user, headers: new Headers({ ...extra, ...user.sent, ...user.added }), atLeast });
    caller.spoil(body);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    const { message, extensions } = error as { message: string; extensions?: object };
    checkNames([message, extensions], user);
    // Changes of an error by one operation must not reach another.
    Object.assign(extensions ?? {}, { note: `changed by ${namesIn(user).join()}` });
  }
}

async function write({ world, api, user, mine }: Caller, path: string, name: string): Promise<void> {
  const result = await api.create(path, name, { ...(user.dispatcher && { dispatcher: user.dispatcher }) } as object).catch(() => undefined);
  if (result?.version === undefined) return;
  for (const versions of [world.written, mine]) versions.set(path, Math.max(result.version, versions.get(path) ?? 0));
}

/** Asserts that a result or an error names no other user. */
function checkNames(value: unknown, user: User): void {
  const text = JSON.stringify(value);
  const own = new Set(namesIn(user));
  for (const name of allNames)
    if (!own.has(name)) assert.ok(!new RegExp(`\\b${name}\\b`).test(text), `${[...own].join() || 'nobody'} was given ${text}`);
  assert.ok(!text.includes('"spoiled"'), text);
}

interface Expected {
  readonly path: string;
  readonly user: User;
  readonly headers: Headers;
  readonly atLeast: number;
}

function checkAnswer(answer: Record<string, unknown>, { path, user, headers, atLeast }: Expected): void {
  const { personal, redirects } = resources[path.split('/')[0]!]!;
  const name = userOf(headers, user.dispatcher);
  if (redirects) return assert.equal(answer['path'], `of/${name.replaceAll(' ', '-')}`);
  assert.equal(answer['path'], path, 'another resource');
  assert.equal(answer['user'], personal === false ? null : name, `a foreign answer for ${path}`);
  assert.equal(answer['language'], headers.get('accept-language'), `another language for ${path}`);
  assert.equal(answer['tenant'], headers.get('x-tenant'), `another tenant for ${path}`);
  assert.ok(Number(answer['version']) >= atLeast, `version ${answer['version']} of ${path} after ${atLeast} was written`);
}

/** A slow store that completes calls in random order, and sometimes fails. */
function createMoodyStore(random: Random): KeyValueCache {
  const entries = new Map<string, string>();
  const act = async <T>(failures: number, work: () => T): Promise<T> => {
    await someTurns(random);
    if (random.chance(failures)) throw new Error('moody');
    return work();
  };
  return {
    get: (key) => act(0.03, () => entries.get(key)),
    set: (key, value) => act(0.03, () => void entries.set(key, value)),
    delete: (key) => act(0.3, () => entries.delete(key)),
  };
}

/** A store that sometimes returns values of other keys, truncated or changed values, and values that are not strings. */
function createLyingStore(random: Random): KeyValueCache {
  const store = createMoodyStore(random);
  const recent: string[] = [];
  return {
    ...store,
    async get(key) {
      const value = await store.get(key);
      if (random.chance(0.5)) return value;
      const cut = value?.slice(0, random.below(value.length));
      return random.pick([...Array.from({ length: 5 }, () => random.pick(recent)), cut, value && `${value} `, 7, { value }, null]) as
        | string
        | undefined;
    },
    async set(key, value) {
      if (recent.push(value) > 40) recent.shift();
      await store.set(key, value);
    },
  };
}

const caches: Readonly<Record<string, (random: Random, clock: Clock) => KeyValueCache>> = {
  'in memory, with room for a few responses': (_random, clock) => new InMemoryLRUCache({ now: clock.now, maxSize: 20_000 }),
  'in a slow store that fails and mixes up the order': (random) => guardCache(createMoodyStore(random), { cooldown: 0 }),
  'in a store that lies': (random) => guardCache(createLyingStore(random), { cooldown: 0 }),
};

const calls = cases({ short: 1500, long: 10_000 });

describe(`${calls} calls of several users over one cache never mix up users, repeat a write, or return data from before a write`, () => {
  for (const [where, createCache] of Object.entries(caches)) {
    for (const seed of Array.from({ length: cases({ short: 1, long: 5 }) }, (_, at) => at + 1)) {
      it(`${where}, seed ${seed}`, async (t) => {
        const random = createRandom(seed);
        const users = new AsyncLocalStorage<User>();
        const clock = createClock(Date.now());
        const operations = new Operations('http://api.test', createCache(random, clock), clock);
        const world = { random, users, operations, versions: new Map(), written: new Map(), arrived: [], pending: [], calls: 0, answers: 0 } as unknown as World; // oxfmt-ignore
        const fetch = validating(createFetch(world, clock), random);
        Object.assign(world, { fetch });
        t.mock.method(globalThis, 'fetch', fetch);

        while (world.calls < calls) {
          await Promise.all(Array.from({ length: 1 + random.below(6) }, () => operate(world)));
          await Promise.all(world.pending.splice(0));
          clock.turn(random.below(10_000) - 500);
        }

        assert.equal(new Set(world.arrived).size, world.arrived.length, 'a write was sent twice');
        assert.ok(world.answers > calls / 4, `${world.answers} answers`);
      });
    }
  }
});
