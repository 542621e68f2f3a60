import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { edge } from '../../../../../src/entries/edge.ts';
import type { CDN, EdgeDecision } from '../../../../../src/entries/edge.ts';
import { createHandler } from '../../../../../src/entries/fetch.ts';
import { rest } from '../../../../../src/entries/rest.ts';
import type { ServerOptions, ServerPlugin } from '../../../../../src/entries/index.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import type { Call } from './hint-oracle.ts';
import { MapCache } from '../../../../support/edge/map-cache.ts';
import { ModelCache } from '../../../../support/edge/model-cache.ts';
import { randomQuery, textOf } from './random-query.ts';
import type { RandomQuery } from './random-query.ts';
import { active, deadline, leaksIn, randomRequest, randomServer } from './random-server.ts';

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish'];
/** The long form is EDGE_SCHEMAS=20000, in parts with EDGE_SEED. A history has 20 requests. */
const schemas = Number(process.env['EDGE_SCHEMAS'] ?? cases({ short: 60, long: 2_000 }));
const seed = Number(process.env['EDGE_SEED'] ?? 15);
const requestsOfEach = 20;
/** Pages that may read answers, with `cors`. */
const origins = ['https://one.example', 'https://two.example'];

type Handler = (request: Request, context: object) => Promise<Response>;

const mutations = [
  'mutation { rename(id: 1) { __typename id } }',
  'mutation { rename(id: 3) { id f0 } }',
  'mutation { rename(id: 4) { ... on C { f2 } } }',
  'mutation { renameA { id node { id } } }',
  'mutation { renameA { id } }',
  'mutation { renameA { f0 } }',
  'mutation { turn(id: 3) { __typename id } }',
  'mutation { turn(id: 4) { id } }',
  'mutation { turn(id: 4) { __typename id } }',
  'mutation { create { id } }',
  'mutation { remove { id } }',
  'mutation { half(id: 2) { id } }',
  'mutation { half(id: 3) { ... on B { f1 } } }',
];

/** A random server behind a shared cache, and the same server without one. */
class History {
  readonly #random: Random;
  readonly #t: TestContext;
  readonly #cdn: CDN;
  readonly #cache: ModelCache;
  readonly #queries: readonly RandomQuery[];
  readonly #byId: boolean;
  /** The queries and some mutations are also routes of `rest()`. */
  readonly #hasRoutes: boolean;
  /** Pages of two origins may read answers. */
  readonly #hasCORS: boolean;
  readonly #server: ReturnType<typeof randomServer>;
  readonly #handler: Handler;
  readonly #bare: Handler;
  readonly #hasStore: boolean;
  readonly #defaultMaxAge: number;
  #decision: EdgeDecision | undefined;
  readonly problems: unknown[] = [];
  readonly counts = { hits: 0, stored: 0, personal: 0, cutShort: 0, public: 0, routes: 0, origins: 0 };

  constructor(random: Random, t: TestContext) {
    this.#random = random;
    this.#t = t;
    this.#cdn = random.pick(cdns);
    this.#cache = new ModelCache(this.#cdn, ['accept-language']);
    this.#queries = Array.from({ length: 2 }, () => randomQuery(random));
    this.#byId = random.chance(0.3);
    this.#hasRoutes = random.chance(0.5);
    this.#hasCORS = random.chance(0.3);
    const texts = [...this.#queries.map(textOf), ...mutations];
    const documents = {
      ...(this.#byId && Object.fromEntries(texts.map((text, at) => [`q${at}`, text]))),
      ...(this.#hasRoutes && Object.fromEntries(texts.map((text, at) => [`r${at}`, routeOf(text, at)]))),
    };
    this.#server = randomServer(random, { hasDeadline: true, documents });
    this.#hasStore = random.chance(0.5);
    this.#defaultMaxAge = random.pick([0, 20, 20]);
    const extension = edge({
      cdn: this.#cdn,
      varyHeaders: ['accept-language'],
      defaultMaxAge: this.#defaultMaxAge,
      purge: async (tags) => this.#cache.purge(tags),
      onDecision: (decision) => void (this.#decision = decision),
      ...(this.#hasStore && { store: new MapCache(), deploy: 'v1' }),
    });
    const routes = (): ServerPlugin[] => (this.#hasRoutes ? [rest({ otherParameters: ['user'] })] : []);
    this.#handler = this.#handlerWith([extension, ...routes()]);
    this.#bare = this.#handlerWith(routes());
  }

  #handlerWith(plugins: readonly ServerPlugin[]): Handler {
    const { lifetimeOf: _none, ...options } = this.#server;
    const [logger] = recordingLogger();
    const all = [...(options.plugins ?? []), ...plugins];
    const cors = this.#hasCORS && { origin: origins };
    return createHandler({
      ...options,
      ...(cors && { cors }),
      logger,
      plugins: all,
      nodeEnv: 'production',
    } as ServerOptions) as unknown as Handler;
  }

  async run(): Promise<void> {
    for (let at = 0; at < requestsOfEach; at++) {
      if (this.#random.chance(0.25)) await this.#write();
      else await this.#read();
      this.#cache.time += this.#random.below(4);
    }
  }

  /** The path of a query's route, with the user in a parameter that only `context` may read. */
  #routePath(asked: number, user: string): string {
    return `/rest/r${asked}${this.#random.pick(['', '', '', `?user=${user}`, '/'])}`;
  }

  async #write(): Promise<void> {
    const at = this.#random.below(mutations.length);
    if (this.#hasRoutes && this.#random.chance(0.5)) {
      const number = this.#queries.length + at;
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      await this.#send(this.#handler, new Request(`https://a.example/graphql/rest/r${number}`, init), 'anna', []);
      return;
    }
    const body = this.#byId ? { documentId: `q${this.#queries.length + at}` } : { query: mutations[at] };
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    await this.#send(this.#handler, new Request('https://a.example/graphql', init), 'anna', []);
  }

  async #read(): Promise<void> {
    const { user, language, asked, query, headers } = randomRequest(this.#random, this.#queries, this.#byId);
    const origin = this.#hasCORS ? this.#random.pick([...origins, undefined]) : undefined;
    if (origin !== undefined) headers['origin'] = origin;
    const isREST = this.#hasRoutes && this.#random.chance(0.5);
    const isPost = !isREST && this.#hasStore && this.#random.chance(0.5);
    const host = this.#random.chance(0.8) ? 'a' : 'b';
    const url = `https://${host}.example/graphql${isREST ? this.#routePath(asked, user) : `?${query}`}`;
    const request = (): Request => (isPost ? postOf(url, headers) : new Request(url, { headers }));
    const calls: Call[] = [];
    this.#decision = undefined;
    const response = await this.#cache.fetch(request(), (given) => this.#send(this.#handler, given, user, calls));
    const body = await response.text();
    const decision = this.#decision as EdgeDecision | undefined;
    const isStored = decision?.public === true && decision.hit === true;
    const say = (what: string, more: object = {}): void =>
      void this.problems.push({
        what,
        cdn: this.#cdn,
        query: textOf(this.#queries[asked]!),
        user,
        body,
        ...more,
        schema: String(this.#server.typeDefs),
      });

    if (leaksIn(body, user, language).length > 0) say('another user');
    if ((response.headers.get('access-control-allow-origin') ?? undefined) !== origin) say('another origin');
    else if (origin !== undefined && decision === undefined) this.counts.origins++;
    if (/of [^"]/.test(body)) this.counts.personal++;
    const isCutShort = body.includes('DEADLINE_EXCEEDED');
    if (isCutShort) this.counts.cutShort++;
    if (decision?.public === true && !isStored) {
      this.counts.public++;
      const lifetime = this.#server.lifetimeOf(this.#queries[asked]!, calls, this.#defaultMaxAge);
      if (decision.maxAge > lifetime) say('its hints do not allow this', { decision, lifetime, calls });
      if (isCutShort) say('cut short, and kept');
    }
    // The CDN's decision about a POST does not say whether the store had the answer.
    const mayBeStored = isPost && !body.includes('"errors"');
    if (decision !== undefined && !isStored && !mayBeStored) return;
    if (!mayBeStored) this.counts[isStored ? 'stored' : 'hits']++;
    if (isREST) this.counts.routes++;
    const fresh = await (await this.#send(this.#bare, request(), user, [])).text();
    if (fresh !== body) say('stale', { fresh, isStored });
  }

  /** Lets time pass until the answer has come: the deadline passes if it waits for a late field. */
  async #send(handler: Handler, request: Request, user: string, calls: Call[]): Promise<Response> {
    const ended: unknown[] = [];
    const work = active.run({ user, calls }, () => handler(request, { user, waitUntil: () => undefined }));
    const end = (): void => void ended.push(work);
    work.then(end, end);
    for (let turn = 0; ended.length === 0; turn++) {
      await new Promise(setImmediate);
      if (turn > 2) this.#t.mock.timers.tick(deadline.ms / 4);
    }
    // An answer is stored after it has been sent.
    for (let turn = 0; this.#hasStore && turn < 4; turn++) await new Promise(setImmediate);
    return work;
  }
}

describe('users behind one cache', () => {
  test(`in ${schemas} histories of random schemas with random hints, no answer is another user's, stale, or public against its hints`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const random = createRandom(seed);
    const problems: unknown[] = [];
    const sum = { hits: 0, stored: 0, personal: 0, cutShort: 0, public: 0, routes: 0, origins: 0 };
    for (let schema = 0; schema < schemas && problems.length === 0; schema++) {
      const history = new History(random, t);
      await history.run();
      problems.push(...history.problems);
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += history.counts[name];
    }
    t.diagnostic(JSON.stringify(sum));

    assert.deepEqual(problems.slice(0, 1), []);
    // The test would prove nothing if no answer were kept, or no personal field selected.
    for (const [name, least] of Object.entries({
      hits: 0.4,
      stored: 0,
      personal: 1,
      cutShort: 0.05,
      public: 0.8,
      routes: 0.1,
      origins: 0,
    } as const))
      assert.ok(sum[name as keyof typeof sum] > schemas * least, `${name}: ${JSON.stringify(sum)}`);
  });
});

/** Makes an operation a route. */
function routeOf(text: string, at: number): string {
  const isQuery = !text.startsWith('mutation');
  const selection = isQuery ? text : text.slice('mutation'.length);
  return `${isQuery ? 'query' : 'mutation'} R${at} @http(method: ${isQuery ? 'GET' : 'POST'}, route: "/r${at}") ${selection}`;
}

/** Sends the same operation by POST. The key of a shared store contains its body. */
function postOf(url: string, headers: Record<string, string>): Request {
  const { searchParams, origin, pathname } = new URL(url);
  const { user, ...body } = Object.fromEntries(searchParams);
  return new Request(`${origin}${pathname}${user === undefined ? '' : `?user=${user}`}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
