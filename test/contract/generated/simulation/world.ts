import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import type { CDN } from '../../../../src/entries/edge.ts';
import { memoryStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import type { BudgetStore } from '../../../../src/entries/budget.ts';
import type { KeyValueCache } from '../../../../src/entries/index.ts';
import { ModelCache } from '../../../support/edge/model-cache.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { activity, Clock } from './clock.ts';
import type { Activity, Process } from './clock.ts';

/** What is the same for a whole history. */
export interface Setting {
  /** 'lambda': a process has one request at a time, and is frozen after its answer. 'worker': many at a time, and `waitUntil`. */
  readonly platform: 'lambda' | 'worker';
  /** Undefined: answers are in `store` alone. */
  readonly cdn: CDN | undefined;
  readonly hasStore: boolean;
  /** Responses of the origin may be stored for `storedFor`. */
  readonly hasStoredResponses: boolean;
  readonly hasBudget: boolean;
  /** How long a call may take, in milliseconds: less than the repeat of a purge, or more. */
  readonly call: number;
  /** The order of the plugins. */
  readonly order: number;
  /** Kinds of faults that this history has. */
  readonly faults: readonly Fault[];
}

export const faults = [
  'origin fails',
  'origin is slow',
  'origin lies',
  'store fails',
  'store is slow',
  'purges fail',
  'processes die',
] as const;
export type Fault = (typeof faults)[number];

/** Milliseconds. */
export const limits = {
  reserve: 400,
  storedFor: 20_000,
  lifetime: 60_000,
  purgeRepeat: 3_000,
} as const;

/** The effect of a mutation on a product. */
export interface Change {
  readonly id: string;
  readonly version: number;
  readonly process: Process;
  /** The request that made it. */
  readonly request: string;
  readonly at: number;
  /** When the process learned of it. Undefined: never, or its resolver had failed before. */
  knownAt: number | undefined;
  /** When the process answered the request. */
  answeredAt: number | undefined;
}

/** A call of the CDN's purge API. */
export interface PurgeCall {
  readonly tags: readonly string[];
  readonly process: Process | undefined;
  readonly at: number;
  /** When the CDN had purged the tags. Undefined: it refused, or the process never heard of it. */
  doneAt: number | undefined;
}

/** A response as the CDN keeps it. A web `Response` would take longer than the CDN. */
export class CDNResponse {
  readonly plain: PlainResponse;
  /** When the CDN asked for it. */
  readonly askedAt: number;
  /** When the CDN got it. */
  readonly gotAt: number;

  constructor(plain: PlainResponse, askedAt: number, gotAt: number) {
    this.plain = plain;
    this.askedAt = askedAt;
    this.gotAt = gotAt;
  }

  get headers(): { get(name: string): string | null; has(name: string): boolean } {
    const { headers } = this.plain;
    return { get: (name) => headers.get(name) ?? null, has: (name) => headers.has(name) };
  }

  clone(): this {
    return this;
  }
}

/** The world of one history: everything outside of the processes. All chances depend on the seed and on the name of what happens, so that leaving out a step of a history changes nothing else. */
export class World {
  readonly clock = new Clock();
  readonly seed: number;
  readonly setting: Setting;
  readonly versions = new Map<string, number>([['1', 1], ['2', 1]]); // prettier-ignore
  readonly changes: Change[] = [];
  readonly purges: PurgeCall[] = [];
  /** The number of payments by their tag. */
  readonly payments = new Map<string, number>();
  readonly problems: string[] = [];
  readonly trace: string[] = [];
  readonly cdn: ModelCache<CDNResponse> | undefined;
  keys: IdempotencyStore = memoryStore({ now: () => this.clock.now });
  points: BudgetStore = memoryStore({ now: () => this.clock.now });
  /** The lines of the cost log. */
  readonly records: (Activity & { readonly record: CostRecord })[] = [];
  /** When each request was answered by its process. */
  readonly answered = new Map<string, number>();
  /** The user of each request. */
  readonly users = new Map<string, string | undefined>();
  /** The request that made each payment. */
  readonly payers = new Map<string, string>();
  /** Requests that the API answers late while it is slow. */
  readonly late = new Set<string>();
  /** False: no fault happens any more. */
  isRough = true;
  readonly answers = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(seed: number, setting: Setting) {
    this.seed = seed;
    this.setting = setting;
    this.cdn = setting.cdn && new ModelCache<CDNResponse>(setting.cdn, []);
    if (this.cdn !== undefined) Object.defineProperty(this.cdn, 'time', { get: () => this.clock.now / 1_000 });
  }

  /** Chances for something with this name; other ones for the next thing with this name. */
  dice(name: string): Random {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    let hash = this.seed;
    for (const character of `${name}#${count}`) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01_00_01_93) >>> 0;
    const random = createRandom(hash);
    random.next();
    return random;
  }

  note(line: string): void {
    this.trace.push(`${String(this.clock.now).padStart(6)} ms  ${line}`);
  }

  has(fault: Fault): boolean {
    return this.isRough && this.setting.faults.includes(fault);
  }

  /**
   * A call over the network by the active process: the request may get lost, its effect or its answer may be late, its answer may get
   * lost, and the process may die before or after the effect.
   */
  call<T>(name: string, { fails, isSlow, serve }: { fails: Fault; isSlow: Fault; serve: () => T | Promise<T> }): Promise<T> {
    const caller = activity();
    const process = caller?.process;
    const dice = this.dice(`${caller?.request} ${name}`);
    const fate = dice.below(100);
    const dies = this.has('processes die') && dice.chance(0.1);
    const travel = (): number => 1 + dice.below(dice.chance(0.3) && fails !== 'store fails' ? 300 : 20);
    const there = travel();
    const back = travel();
    const delay = (): number => (dice.chance(0.7) ? 400 + dice.below(1_000) : 2_000 + dice.below(8_000));
    const slowThere = this.has(isSlow) && fate >= 70 && fate < 80 ? delay() : 0;
    const isLate = this.late.has(caller?.request ?? '');
    // Longer than until the repeat of a purge.
    const slowBack = this.has(isSlow) ? (isLate ? 3_000 + dice.below(2_500) : fate >= 80 ? delay() : 0) : 0;
    const isLost = this.has(fails) && fate < 6;
    const isUnanswered = this.has(fails) && fate >= 6 && fate < 14;
    if (dies && fate % 2 === 0) this.#kill(process, `before ${name}`);
    // What a dead process still computes has no effect.
    if (process?.state === 'dead') return new Promise<never>(() => {});
    return new Promise<T>((resolve, reject) => {
      const fail = (): void => reject(new TypeError('fetch failed'));
      if (isLost) return void this.clock.after(there, fail, caller);
      const reply = (answer: () => void): void => {
        if (dies) this.#kill(process, `after ${name}`);
        this.clock.after(back + slowBack, isUnanswered ? fail : answer, caller);
      };
      const arrive = (): void =>
        void Promise.resolve()
          .then(serve)
          .then(
            (value) => reply(() => resolve(value)),
            (error: unknown) => reply(() => reject(error as Error)),
          );
      this.clock.after(there + slowThere, arrive, undefined);
    });
  }

  #kill(process: Process | undefined, moment: string): void {
    if (process === undefined || process.state === 'dead') return;
    this.note(`an instance dies ${moment}`);
    process.die();
  }

  /** A shared key-value store for answers, as a process reaches it. */
  answerStore(): KeyValueCache {
    const call = <T>(key: string, serve: () => T): Promise<T> =>
      this.call(`answers ${key}`, { fails: 'store fails', isSlow: 'store is slow', serve });
    return {
      get: (key) => call(key, () => this.answers.get(key)),
      set: (key, value) => call(key, () => void this.answers.set(key, value)),
      delete: (key) => call(key, () => void this.answers.delete(key)),
    };
  }

  idempotencyStore(): IdempotencyStore {
    const call = <T>(name: string, serve: () => Promise<T>): Promise<T> =>
      this.call(name, { fails: 'store fails', isSlow: 'store is slow', serve });
    return {
      claim: (id, claim) => call(`claim ${id}`, () => this.keys.claim(id, claim)),
      finish: (id, finish) => call(`finish ${id}`, () => this.keys.finish(id, finish)),
      release: (id, release) => call(`release ${id}`, () => this.keys.release(id, release)),
    };
  }

  budgetStore(): BudgetStore {
    return {
      take: (id, take) =>
        this.call(`take ${id}`, { fails: 'store fails', isSlow: 'store is slow', serve: () => this.points.take(id, take) }),
    };
  }

  /** The purge API of the CDN. */
  purge = async (tags: readonly string[]): Promise<void> => {
    const purge: PurgeCall = { tags, process: activity()?.process, at: this.clock.now, doneAt: undefined };
    this.purges.push(purge);
    this.note(`${purge.process === undefined ? 'the world' : activity()!.request} purges ${tags.join(' ')}`);
    await this.call(`purge ${tags[0]}`, {
      fails: 'purges fail',
      isSlow: 'purges fail',
      serve: () => {
        this.cdn?.purge(tags);
        purge.doneAt = this.clock.now;
      },
    });
  };

  /** Serves a request to the REST API behind the function, in place of `fetch`. */
  readonly fetch = (url: string, { method = 'GET', headers, signal }: RequestInit): Promise<Response> => {
    const caller = activity()!;
    const { pathname, searchParams } = new URL(url);
    const user = new Headers(headers).get('authorization');
    const lie = this.dice(`lie ${caller.request}`).below(40);
    const answered = this.call(`origin ${pathname}`, {
      fails: 'origin fails',
      isSlow: 'origin is slow',
      serve: () => {
        this.note(`the origin serves ${method} ${pathname} for ${caller.request}`);
        const answer = this.#serve(method, pathname, { user, tag: searchParams.get('tag'), caller });
        if (this.has('origin lies') && lie < 6)
          return [
            new Response('<html>', { headers: { 'content-type': 'application/json' } }),
            new Response('Oops', { status: 500 }),
            Response.json(null),
          ][lie % 3]!;
        return answer;
      },
    });
    return new Promise((resolve, reject) => {
      answered.then(resolve, reject);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };

  /** Changes a product by a driver that does not know of deadlines and clients that leave. */
  rename(id: string): Promise<object> {
    const caller = activity()!;
    const dice = this.dice(`lock ${caller.request}`);
    const lock = this.has('origin is slow') && dice.chance(0.4) ? 5_000 + dice.below(5_000) : 0;
    const serve = async (): Promise<object> => {
      await this.clock.sleep(lock);
      return this.#change(id, caller);
    };
    return this.call(`rename ${id}`, { fails: 'origin fails', isSlow: 'origin is slow', serve });
  }

  #serve(method: string, path: string, { user, tag, caller }: { user: string | null; tag: string | null; caller: Activity }): Response {
    const age = limits.storedFor / 1_000;
    const cacheControl = (scope: string): Record<string, string> => ({
      'cache-control': this.setting.hasStoredResponses ? `${scope}, max-age=${age}` : 'no-store',
    });
    const [, kind, id = ''] = path.split('/');
    // Caches must see that this is personal by the token in the request.
    if (kind === 'me')
      return Response.json({ id: user, secret: `secret-${user}`, card: `card-${user}` }, { headers: cacheControl('must-revalidate') });
    if (kind === 'payments') {
      this.payers.set(tag!, caller.request);
      this.payments.set(tag!, (this.payments.get(tag!) ?? 0) + 1);
      return Response.json({ id: tag, payer: `secret-${user}` });
    }
    const product = method === 'POST' ? this.#change(id, caller) : { id, version: this.versions.get(id)! };
    return Response.json(product, { headers: method === 'GET' ? cacheControl('public') : {} });
  }

  #change(id: string, caller: Activity): { id: string; version: number } {
    const product = { id, version: this.versions.get(id)! + 1 };
    this.versions.set(id, product.version);
    this.changes.push({ ...product, ...caller, at: this.clock.now, knownAt: undefined, answeredAt: this.answered.get(caller.request) });
    return product;
  }
}
