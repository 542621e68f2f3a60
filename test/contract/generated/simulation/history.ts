import type { CDN } from '../../../../src/entries/edge.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { webRequest as buildWebRequest } from '../../../support/events.ts';
import { httpAPI, webRequest } from '../../../support/sources.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { watchRejections } from '../../../support/unhandled-rejections.ts';
import { Process } from './clock.ts';
import { budgetPlan, createInstance } from './shop.ts';
import type { Handler, PlantedBug } from './shop.ts';
import { CDNResponse, faults, limits, World } from './world.ts';
import type { Change, Setting } from './world.ts';

interface Operation {
  readonly query: string;
  /** The id of the product that it asks for. */
  readonly product?: string;
  /** The id of the product that it renames. */
  readonly renamed?: string;
  /** The order that it pays. */
  readonly order?: string;
}

/** The operations that follow the first one in an HTTP batch. Undefined: the first one is sent alone. */
type Batch = readonly Operation[] | undefined;

/** Something that happens at a moment, in milliseconds since the start. */
export type Step = { readonly at: number; readonly name: string } & (
  | {
      readonly kind: 'read';
      readonly user: string | undefined;
      readonly operation: Operation;
      readonly batch?: Batch;
      readonly method: 'GET' | 'POST';
      /** While the API is slow, it answers this request late. */
      readonly isLate?: boolean;
      readonly leavesAfter?: number | undefined;
    }
  | {
      readonly kind: 'write';
      readonly user: string;
      readonly operation: Operation;
      readonly batch: Batch;
      readonly onError: string | undefined;
      readonly key: string | undefined;
      /** How many times the client sends it at once. */
      readonly copies: number;
      readonly leavesAfter: number | undefined;
    }
  | { readonly kind: 'kill' | 'deploy' }
);

/** Everything that a seed decides before the history begins. */
export interface Plan {
  readonly seed: number;
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

const cdns: readonly CDN[] = ['netlify', 'cloudflare', 'cloudfront', 'vercel', 'fastly', 'varnish'];
const users = ['ada', 'bob'];

export function planOf(seed: number): Plan {
  const random = createRandom(seed);
  const setting = settingOf(random);
  // In bursts, so that much happens at the same time.
  const bursts = Array.from({ length: 4 }, () => random.below(12_000));
  const sent = Array.from({ length: 5 + random.below(12) }, (_, place) =>
    stepOf(random, { at: random.pick(bursts) + random.below(600), name: `r${place}` }),
  );
  const steps = [...sent, ...sent.flatMap((step) => readersOf(random, step))];
  return { seed, setting, steps: steps.toSorted((one, other) => one.at - other.at) };
}

function settingOf(random: Random): Setting {
  const cdn = random.chance(0.8) ? random.pick(cdns) : undefined;
  return {
    platform: random.pick(['lambda', 'worker'] as const),
    cdn,
    hasStore: cdn === undefined || random.chance(0.3),
    hasStoredResponses: random.chance(0.4),
    hasBudget: random.chance(0.2),
    call: random.chance(0.75) ? 2_000 : 6_000,
    order: random.below(1_000),
    faults: faults.filter(() => random.chance(0.4)),
  };
}

function stepOf(random: Random, common: { readonly at: number; readonly name: string }): Step {
  const kind = random.below(20);
  if (kind === 0) return { ...common, kind: 'kill' };
  if (kind === 1) return { ...common, kind: 'deploy' };
  return kind < 11 ? readOf(random, common) : writeOf(random, common);
}

function readOf(random: Random, common: { readonly at: number; readonly name: string }): Step {
  const batch = random.chance(0.1) ? queriesOf(random) : undefined;
  const method = batch === undefined && random.chance(0.9) ? 'GET' : 'POST';
  const user = random.pick([undefined, ...users]);
  return { ...common, kind: 'read', user, operation: queryOf(random), batch, method, leavesAfter: leavesAfter(random) };
}

/** A payment, which has a key, or a new name without one. */
function writeOf(random: Random, common: { readonly at: number; readonly name: string }): Step {
  const isKeyed = random.chance(0.5);
  const key = isKeyed ? `key-${random.below(3)}` : undefined;
  const user = random.pick(users);
  const mutation = random.pick(['rename', 'strictRename']);
  const renamed = productOf(random);
  // Equal keys of a user belong to equal requests.
  const operation: Operation = isKeyed
    ? payment(key!)
    : { query: `mutation { ${mutation}(id: ${renamed}) { __typename id version } }`, renamed };
  const withKey = key === 'key-2' ? [{ query: '{ me { id secret card } }' }, payment('key-2b')] : undefined;
  const batch = isKeyed ? withKey : random.chance(0.15) ? queriesOf(random) : undefined;
  return { ...common, kind: 'write', user, key, operation, batch, onError: isKeyed ? undefined : random.pick([undefined, 'NULL', 'HALT']), copies: random.chance(0.3) ? 2 : 1, leavesAfter: leavesAfter(random) }; // prettier-ignore
}

const payment = (order: string): Operation => ({ query: `mutation { pay(order: "${order}") { id payer } }`, order });

/** Somebody reads what a mutation changes, at the same time, and looks at it again. */
function readersOf(random: Random, write: Step): Step[] {
  const product = write.kind === 'write' ? write.operation.renamed : undefined;
  if (product === undefined || random.chance(0.3)) return [];
  const operation = { query: `{ product(id: ${product}) { __typename id version } }`, product };
  const read = { kind: 'read', user: random.pick([undefined, ...users]), operation, method: 'GET' } as const;
  const before = Math.max(0, write.at - 100 + random.below(200));
  return [
    { ...read, at: before, name: `${write.name}-reader`, isLate: random.chance(0.5) },
    { ...read, at: write.at + 3_500 + random.below(6_000), name: `${write.name}-again` },
    // By then, stored responses of the API have expired too.
    { ...read, at: write.at + limits.storedFor + 6_000 + random.below(6_000), name: `${write.name}-later` },
  ];
}

function queryOf(random: Random): Operation {
  const kind = random.below(10);
  if (kind === 5) return { query: '{ build }' };
  if (kind === 6) return { query: '{ me { id secret card } }' };
  const product = productOf(random);
  if (kind < 5) return { query: `{ product(id: ${product}) { __typename id version } }`, product };
  const one = `product(id: ${product}) { id version }`;
  const chosen = [one, 'products { id version }', 'build', 'me { id secret card }'].filter(() => random.chance(0.35));
  const fields = chosen.length === 0 ? [one] : chosen;
  return { query: `{ ${fields.join(' ')} }`, ...(fields.includes(one) && { product }) };
}

const queriesOf = (random: Random): Operation[] => Array.from({ length: 1 + random.below(2) }, () => queryOf(random));
const productOf = (random: Random): string => (random.chance(0.75) ? '1' : '2');
const leavesAfter = (random: Random): number | undefined => (random.chance(0.15) ? random.below(1_000) : undefined);

/** An instance of the function, with the requests that it has accepted. */
interface Instance {
  readonly process: Process;
  readonly number: number;
  readonly deploy: number;
  readonly handler: Handler;
  busy: number;
}

/** What came of a history. */
export interface Outcome {
  /** The invariants that were broken. */
  readonly problems: readonly string[];
  /** What happened, line by line. */
  readonly trace: readonly string[];
}

/** Runs a history in a world of its own. */
export async function runHistory(plan: Plan, bug?: PlantedBug): Promise<Outcome> {
  const rejections = watchRejections();
  const history = new History(plan, bug);
  const { fetch } = globalThis;
  history.world.clock.install(createRandom(plan.seed));
  globalThis.fetch = history.world.fetch as typeof fetch;
  try {
    await history.run();
    if (rejections.count() > 0) history.world.problems.push(`${rejections.count()} unhandled rejections`);
  } finally {
    history.world.clock.uninstall();
    globalThis.fetch = fetch;
    rejections.stop();
  }
  const { problems, trace } = history.world;
  return { problems: [...new Set(problems)], trace };
}

class NetworkError extends Error {}

function unlessNetworkError(error: unknown): undefined {
  if (!(error instanceof NetworkError)) throw error;
}

/** The body of a POST: of one operation, or of a batch. */
function toBody({ query }: Operation, batch: Batch, onError?: string): string {
  const first = { query, onError };
  return JSON.stringify(batch === undefined ? first : [first, ...batch.map((operation) => ({ query: operation.query }))]);
}

/** Undefined: the client need not try again. In a batch, each element tells it for itself. */
function secondsUntilRetry({ headers, body }: PlainResponse): number | undefined {
  const told = headers.get('retry-after') ?? (body.startsWith('[') ? /"retryAfter":(\d+)/.exec(body)?.[1] : undefined);
  return told === undefined ? undefined : Number(told);
}

/** What a client sends. */
interface Sending {
  readonly user: string | undefined;
  /** Undefined: a GET. */
  readonly body: string | undefined;
  /** The query string. */
  readonly query: string;
  readonly key?: string | undefined;
  readonly leavesAfter: number | undefined;
}

class History {
  readonly world: World;
  readonly #plan: Plan;
  readonly #bug: PlantedBug | undefined;
  /** How long after a deploy instances of the former one may still answer, in milliseconds. */
  readonly #overlap: number;
  #instances: Instance[] = [];
  #deploy = 1;
  #started = 0;
  /** When each deploy but the first began. */
  readonly #deploys: number[] = [];
  #open = 0;
  /** The responses of answers that clients got. */
  readonly #responses = new WeakMap<PlainResponse, CDNResponse>();
  /** The first answer to each keyed mutation that has run or was replayed. */
  readonly #told = new Map<string, string>();

  constructor(plan: Plan, bug: PlantedBug | undefined) {
    this.world = new World(plan.seed, plan.setting);
    this.#overlap = plan.setting.call + 1_000;
    this.#plan = plan;
    this.#bug = bug;
    bug?.world?.(this.world);
  }

  async run(): Promise<void> {
    const { clock, problems } = this.world;
    for (const step of this.#plan.steps) clock.after(step.at, () => this.#do(step), undefined);
    // A purge is given up 30 seconds after the last read has thawed its instance.
    const quiet = 80_000;
    if ((await clock.run(quiet)) > 0) problems.push('something still waits although all has been quiet');
    this.world.isRough = false;
    // By now each purge must have been repeated, and what the CDN holds has not expired.
    clock.after(8_000, () => undefined, undefined);
    await clock.run(quiet + 10_000);
    for (const product of ['1', '2']) {
      const operation = { query: `{ product(id: ${product}) { __typename id version } }`, product };
      void this.#read({ name: `last ${product}`, user: undefined, operation, method: 'GET' });
    }
    await clock.run(quiet + 20_000);
    this.#checkPayments();
    this.#checkPoints();
    if (this.#open > 0) problems.push(`${this.#open} clients still wait`);
  }

  #do(step: Step): void {
    if (step.kind === 'read') void this.#read(step);
    if (step.kind === 'write') for (let copy = 0; copy < step.copies; copy++) void this.#write(step, copy);
    if (step.kind === 'kill') this.world.dice('kill').pick(this.#instances)?.process.die();
    if (step.kind === 'deploy') this.#deployNext();
  }

  /** Instances of the former deploy get no requests any more, and end a little later. */
  #deployNext(): void {
    const former = this.#instances;
    this.#deploys.push(this.world.clock.now);
    const tag = `d:v${this.#deploy}`;
    this.#deploy++;
    this.#instances = [];
    for (const { process } of former) this.world.clock.after(this.#overlap + 2_000, () => process.die(), undefined);
    // The operator purges what the former deploy has left in the CDN, when its last request has been answered.
    this.world.clock.after(this.#overlap, () => this.world.cdn?.purge([tag]), undefined);
  }

  async #read(step: Omit<Extract<Step, { kind: 'read' }>, 'at' | 'kind'>): Promise<void> {
    const { name, user, operation, batch, method, isLate = false, leavesAfter } = step;
    const startedAt = this.world.clock.now;
    if (isLate) this.world.late.add(name);
    const isGet = method === 'GET';
    const body = isGet ? undefined : toBody(operation, batch);
    const sending = { user, body, query: isGet ? new URLSearchParams({ query: operation.query }).toString() : '', leavesAfter };
    const answer = await this.#send(name, sending).catch(unlessNetworkError);
    if (answer === undefined) return;
    for (const [asked, one] of this.#answers(name, [operation, ...(batch ?? [])], answer)) this.#checkAnswer(name, { user, asked }, one);
    this.#checkAge(name, startedAt, answer);
    this.#checkDeploy(name, startedAt, answer);
  }

  /** Sends a mutation as a careful client does: with a key, again after a failure of the network and where the answer says so. */
  async #write({ name, user, operation, batch, onError, key, leavesAfter }: Extract<Step, { kind: 'write' }>, copy: number): Promise<void> {
    for (let attempt = 0; attempt < (key === undefined ? 1 : 5); attempt++) {
      const id = `${name}.${copy}.${attempt}`;
      const sending = { user, body: toBody(operation, batch, onError), query: '', key, leavesAfter };
      const answer = await this.#send(id, sending).catch(unlessNetworkError);
      let wait: number | undefined = 0.5 * 2 ** attempt;
      if (answer !== undefined) {
        for (const [asked, one] of this.#answers(id, [operation, ...(batch ?? [])], answer)) {
          this.#checkAnswer(id, { user, asked }, one);
          if (asked.order !== undefined) this.#checkReplay(id, `${user}-${asked.order}`, one);
        }
        wait = secondsUntilRetry(answer);
      }
      if (wait === undefined) return;
      await this.world.clock.sleep(wait * 1_000);
    }
  }

  /** The operations of a request with their answers. */
  #answers(name: string, asked: readonly Operation[], answer: PlainResponse): (readonly [asked: Operation, answer: PlainResponse])[] {
    if (asked.length === 1) return [[asked[0]!, answer]];
    const body: unknown = JSON.parse(answer.body);
    // A batch is answered by a list, or refused as a whole.
    if (!Array.isArray(body)) return [[{ query: '' }, answer]];
    if (body.length !== asked.length) this.world.problems.push(`${name} got ${body.length} answers to ${asked.length} operations`);
    return body.map((one, index) => [asked[index] ?? { query: '' }, { ...answer, body: JSON.stringify(one) }]);
  }

  /** Sends a request through the CDN. Rejects if the connection is lost, or the client leaves. */
  async #send(name: string, { user, body, query, key, leavesAfter }: Sending): Promise<PlainResponse> {
    const { cdn } = this.world;
    this.world.users.set(name, user);
    this.world.note(`${name}: ${user ?? 'nobody'} sends ${body ?? decodeURIComponent(query)}${key === undefined ? '' : ` with ${key}`}`);
    const headers: [string, string][] = [
      ['accept', 'application/json'],
      ['graphql-require-preflight', '1'],
      ['x-request', name],
    ];
    if (user !== undefined) headers.push(['authorization', user]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    if (key !== undefined) headers.push(['idempotency-key', `"${key}"`]);
    const fields = new Map(headers);
    const request: PlainRequest = { method: body === undefined ? 'GET' : 'POST', path: '/graphql', query, headers, body };
    const client = new AbortController();
    const origin = async (): Promise<CDNResponse> => {
      const askedAt = this.world.clock.now;
      return new CDNResponse(await this.#serve(name, request, client.signal), askedAt, this.world.clock.now);
    };
    const toCDN = {
      ...request,
      url: `https://shop.example/graphql?${query}`,
      headers: { get: (field: string) => fields.get(field) ?? null },
    };
    this.#open++;
    try {
      const answered = cdn === undefined ? origin() : cdn.fetch(toCDN, origin);
      const response = await Promise.race([answered, ...(leavesAfter === undefined ? [] : [this.#leave(client, leavesAfter)])]);
      const { plain } = response;
      this.#responses.set(plain, response);
      this.world.note(`${name} is answered ${plain.status} ${plain.body}`);
      return plain;
    } finally {
      this.#open--;
    }
  }

  async #leave(client: AbortController, after: number): Promise<never> {
    await this.world.clock.sleep(after);
    client.abort();
    throw new NetworkError('The client has left.');
  }

  /** Sends a request to an instance. Rejects if the instance dies. */
  async #serve(name: string, request: PlainRequest, signal: AbortSignal): Promise<PlainResponse> {
    const { world } = this;
    const { clock } = world;
    const dice = world.dice(`serve ${name}`);
    await clock.sleep(1 + dice.below(20));
    const instance = this.#instanceFor(dice.below(100));
    const { process } = instance;
    world.note(`${name} reaches instance ${instance.number} of v${instance.deploy}`);
    const death = new Promise<never>((_, reject) => {
      process.onDeath(() => reject(new NetworkError('The instance has died.')));
    });
    instance.busy++;
    const deadline = clock.after(
      world.setting.call + 1,
      () => {
        if (process.state !== 'dead') world.problems.push(`${name} was not answered before its deadline`);
      },
      undefined,
    );
    try {
      const response = await Promise.race([death, this.#call(instance, { name, request, signal })]);
      const build = /"build":"(\w+)"/.exec(response.body)?.[1];
      if (build !== undefined && build !== `v${instance.deploy}`) world.problems.push(`${name}: v${instance.deploy} answered for ${build}`);
      return response;
    } finally {
      deadline.isCanceled = true;
      instance.busy--;
      await clock.sleep(1 + dice.below(dice.chance(0.3) ? 150 : 20));
    }
  }

  /** Calls the handler of an instance as its platform does. */
  async #call(
    { process, handler }: Instance,
    { name, request, signal }: { readonly name: string; readonly request: PlainRequest; readonly signal: AbortSignal },
  ): Promise<PlainResponse> {
    const { world } = this;
    const { clock } = world;
    const endsAt = clock.now + world.setting.call;
    const isLambda = world.setting.platform === 'lambda';
    const { read } = isLambda ? httpAPI : webRequest;
    const given = isLambda ? httpAPI.build(request) : buildWebRequest(request, { signal });
    const context = isLambda ? { getRemainingTimeInMillis: () => endsAt - clock.now } : { waitUntil: () => undefined };
    process.thaw();
    try {
      const result = await process.run(name, () => handler(given, context));
      if (process.state === 'dead') throw new NetworkError('The instance has died.');
      world.answered.set(name, clock.now);
      for (const change of world.changes) if (change.request === name) change.answeredAt = clock.now;
      if (isLambda) process.freeze();
      return await read(result);
    } catch (error) {
      if (!(error instanceof NetworkError)) world.problems.push(`the handler rejected: ${String(error)}`);
      throw new NetworkError('The function has failed.', { cause: error });
    }
  }

  #instanceFor(chance: number): Instance {
    this.#instances = this.#instances.filter(({ process }) => process.state !== 'dead');
    const usable = this.#instances.filter(({ busy }) => this.world.setting.platform === 'worker' || busy === 0);
    const known = usable[chance % 2];
    if (known !== undefined) return known;
    const process = new Process(this.world.clock);
    const parts = { world: this.world, deploy: `v${this.#deploy}` };
    const handler = process.run('start', () => createInstance(parts, this.#bug));
    const instance: Instance = { process, number: ++this.#started, deploy: this.#deploy, handler, busy: 0 };
    this.#instances.push(instance);
    return instance;
  }

  /** No answer of one identity, or to another question, reaches a client, and none that a hook was to change reaches it unchanged. */
  #checkAnswer(name: string, { user, asked }: { user: string | undefined; asked: Operation }, { body }: PlainResponse): void {
    const { problems } = this.world;
    for (const [secret, owner] of body.matchAll(/secret-(\w+)/g))
      if (owner !== user) problems.push(`${name}: ${user ?? 'a client without a token'} got ${secret}`);
    if (body.includes('card-')) problems.push(`${name}: the number of a card was not removed`);
    const { data } = JSON.parse(body) as { data?: Record<string, any> | null };
    for (const field of Object.keys(data ?? {}))
      if (!asked.query.includes(field)) problems.push(`${name} got ${field}, which it did not ask for`);
    if (data?.['product'] && data['product'].id !== asked.product)
      problems.push(`${name} asked for product ${asked.product} and got ${data['product'].id}`);
  }

  /** With "refuse", a keyed mutation runs at most once. */
  #checkPayments(): void {
    for (const [tag, count] of this.world.payments) if (count > 1) this.world.problems.push(`${tag} was paid ${count} times with one key`);
  }

  /** All answers to a keyed mutation that has run are the same. */
  #checkReplay(name: string, tag: string, { status, body, headers }: PlainResponse): void {
    if (body.includes('IDEMPOTENCY_STORE_UNAVAILABLE') && this.world.payers.get(tag) === name)
      this.world.problems.push(`${name} was told that nothing has run, but ${tag} was paid`);
    // In a batch, nothing says that an answer is a replay.
    const isReplay = headers.has('idempotent-replayed') || body.includes('"payer":');
    if (!isReplay && this.world.payers.get(tag) !== name) return;
    const told = `${status} ${body}`;
    const before = this.#told.get(tag) ?? told;
    this.#told.set(tag, before);
    if (before !== told) this.world.problems.push(`${tag} was answered ${before}, and then ${told}`);
  }

  /** No answer is stale after the repeat of its purge. */
  #checkAge(name: string, startedAt: number, answer: PlainResponse): void {
    for (const [, id, version] of answer.body.matchAll(/"id":"(\d)","version":(\d+)/g)) {
      const late = this.world.changes.find(
        (change) => change.id === id && change.version > Number(version) && startedAt > this.#isOldAfter(change, answer),
      );
      if (late !== undefined)
        this.world.problems.push(`${name}, sent at ${startedAt}, got version ${version} of product ${id}, which ${late.request} had changed to ${late.version} at ${late.at}`); // prettier-ignore
    }
  }

  /** The moment from which no answer may show the state before a change. */
  #isOldAfter(change: Change, answer: PlainResponse): number {
    const { setting } = this.world;
    const stored = setting.hasStoredResponses ? change.at + limits.storedFor + 5_000 : 0;
    const atWorst = change.at + limits.lifetime + 10_000;
    if (change.knownAt === undefined) return atWorst;
    return Math.max(
      stored,
      setting.hasStore ? (this.#storeIsPurgedAt(change) ?? atWorst) : 0,
      setting.cdn === undefined ? 0 : (this.#cdnIsPurgedAt(change, this.#responses.get(answer)!) ?? atWorst),
    );
  }

  /** Undefined: the purge may have been lost. */
  #storeIsPurgedAt({ at, answeredAt, knownAt }: Change): number | undefined {
    const { faults: possible } = this.world.setting;
    const mayBeLost = (['store fails', 'store is slow', 'processes die'] as const).some((fault) => possible.includes(fault));
    return mayBeLost || answeredAt === undefined || answeredAt < at ? undefined : Math.max(answeredAt, knownAt!) + 2_000;
  }

  /** Undefined: the purge may have been lost, or the answer may have come after it. */
  #cdnIsPurgedAt(change: Change, { askedAt, gotAt }: CDNResponse): number | undefined {
    const { purges, setting } = this.world;
    const knownAt = change.knownAt!;
    const own = purges.filter(
      ({ process, tags, at }) =>
        process === change.process &&
        at >= change.at &&
        tags.some((tag) => /^(?:e:.*|t:Even|t:Odd|t:Product)$/.test(tag) && (tag.startsWith('t:') || tag.endsWith(`:${change.id}`))),
    );
    const repeated = own.find(({ at, doneAt }) => doneAt !== undefined && at >= knownAt + limits.purgeRepeat - 1);
    if (repeated !== undefined) return repeated.doneAt!;
    const mayBeLost =
      change.process.state === 'dead' ||
      // A mutation that its resolver outlives is not purged again.
      change.answeredAt === undefined ||
      change.answeredAt < knownAt ||
      own.some(({ at, doneAt }) => doneAt === undefined || doneAt > at + 250);
    if (mayBeLost) return undefined;
    if (setting.platform === 'worker') return knownAt + limits.purgeRepeat + 1_000;
    // A frozen process repeats no purge, so a read that began before the purge of the CDN or the store may reach the CDN after it.
    const purgedAt = own.find(({ at }) => at >= knownAt)?.doneAt ?? knownAt + 1_000;
    const lastRead = setting.hasStore ? Math.max(purgedAt, change.answeredAt!) : purgedAt;
    return askedAt <= lastRead && purgedAt <= gotAt ? undefined : purgedAt;
  }

  /** No answer of a former deploy is sent after the purge of what it has left. */
  #checkDeploy(name: string, startedAt: number, { body }: PlainResponse): void {
    const build = Number(/"build":"v(\d+)"/.exec(body)?.[1] ?? Infinity);
    const current = 1 + this.#deploys.filter((at) => at + this.#overlap < startedAt).length;
    if (build < current)
      this.world.problems.push(`${name}, sent at ${startedAt}, got an answer of v${build} when v${current} was deployed`);
  }

  /** No client takes more points than it had and got back. */
  #checkPoints(): void {
    const { records, users: names, clock } = this.world;
    const taken = new Map<string, number>();
    for (const { request, record } of records) {
      const user = names.get(request) ?? 'everybody';
      const wasRefused = ['RATE_LIMITED', 'BUDGET_STORE_UNAVAILABLE', 'COST_ABOVE_CAPACITY'].some(
        (code) => record.errors[code] !== undefined,
      );
      if (record.budget !== undefined && !wasRefused) taken.set(user, (taken.get(user) ?? 0) + record.budget.cost);
    }
    for (const [user, points] of taken)
      if (points > budgetPlan.capacity + (budgetPlan.refillPerSecond * clock.now) / 1_000)
        this.world.problems.push(`${user} took ${points} points`);
  }
}
