import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { budget } from '../../../../src/entries/budget.ts';
import { limits } from '../../../../src/entries/limits.ts';
import type { BudgetStore } from '../../../../src/entries/budget.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { idempotency, idempotencyKeyOf, memoryStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { batch } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import type { Random } from '../../../support/random.ts';
import { after, before } from '../../../support/stages.ts';
import { functionWrappers } from '../../../support/resolver-wrappers.ts';

export type OnError = 'NULL' | 'PROPAGATE' | 'HALT' | undefined;
export type RootField = 'reserve' | 'charge' | 'note';

/** The type of each root field. */
export const typeOf: Readonly<Record<RootField, string>> = { reserve: 'Order', charge: 'Order', note: 'Note' };

/** The mutations of all lists of root fields, by id. Each is a tool, too. */
const documents = Object.fromEntries(
  listsOf(Object.keys(typeOf) as RootField[]).map((fields) => [
    fields.join(),
    mutationOf(fields, { head: `mutation ${fields.join('_')}($tag: ID!) @mcpTool(description: "Changes an order.")` }),
  ]),
);

/** All lists that have each field at most once. */
function listsOf(fields: readonly RootField[]): (readonly RootField[])[] {
  return fields.flatMap((first) => [[first], ...listsOf(fields.filter((one) => one !== first)).map((rest) => [first, ...rest])]);
}

export function mutationOf(fields: readonly RootField[], { isDeferred = false, head = 'mutation ($tag: ID!)' } = {}): string {
  const items = isDeferred ? '... @defer { items { id price } }' : 'items { id price }';
  const selection = (field: RootField): string => (field === 'note' ? '{ id text secret }' : `{ id total secret ${items} }`);
  return `${head} { ${fields.map((field) => `${field}(tag: $tag) ${selection(field)}`).join(' ')} }`;
}

/** One mutation or query, which may be sent several times. */
export interface Element {
  /** Identifies the element in arguments and ids. */
  readonly tag: string;
  /** The fields of a mutation; undefined for a query. */
  readonly fields: readonly RootField[] | undefined;
  readonly onError: OnError;
  /** Whether the request has `onError` at the top or in its extensions, or the trusted document has it. */
  readonly onErrorIn: 'top' | 'extensions' | 'document';
  /** Whether the request has the text of its document, one with deferred fields, or the id of a trusted document, or calls a tool. */
  readonly document: 'text' | 'deferred' | 'id' | 'tool';
  /** The mutation is one that never runs, because this part of it is invalid. */
  readonly invalid: 'variable' | 'page' | 'argument' | undefined;
  readonly hasKey: boolean;
}

/** What one execution of a mutation did. */
export interface Attempt {
  readonly element: Element;
  /** The request of the attempt; undefined if contexts are shared. */
  readonly request: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly began: Map<RootField, number>;
  readonly ended: Map<RootField, 'ok' | 'failed' | 'null'>;
  /** True once a resolver has thrown synchronously with HALT. */
  hasHalted: boolean;
  isLate: boolean;
}

/** The kinds of plugins that one server may have. */
const pluginKinds = ['committing', 'refusing', 'redacting', 'watching', 'redactingAround', 'failingAround', 'ending'] as const;
type PluginKind = (typeof pluginKinds)[number];

/** One server. Its behavior depends on the current world. */
export interface Shop {
  readonly handler: (request: Request, context: object) => Promise<Response>;
  readonly isStrict: boolean;
  /** True if all operations of a client share one instance of a class as their context. */
  readonly sharesContext: boolean;
  readonly kinds: readonly PluginKind[];
  readonly partial: 'NULL' | undefined;
  readonly hasBudget: boolean;
}

/** One history: steps run in a random order, and many of them fail. */
export class World {
  readonly random: Random;
  readonly store: IdempotencyStore = memoryStore();
  readonly elements = new Map<string, Element>();
  readonly attempts = new Map<object, Attempt>();
  /** The number of effects of each element and field. */
  readonly effects = new Map<string, number>();
  readonly purges: string[] = [];
  readonly problems: string[] = [];
  /** The element for which idempotencyKeyOf returned each key. */
  readonly keys = new Map<string, string>();
  /** The number of operations that took points, or were allowed to run without, by request. */
  readonly metered = new Map<string, number>();
  /** The cost lines by request. */
  readonly lines = new Map<string, CostRecord[]>();
  /** True once no step fails or waits long. */
  isCalm = false;
  /** True once the clock has passed a deadline. */
  hasPassedDeadline = false;
  readonly #timers: TestContext['mock']['timers'];
  readonly #waiting: (() => void)[] = [];
  readonly #clients: AbortController[] = [];

  constructor(random: Random, timers: TestContext['mock']['timers']) {
    this.random = random;
    this.#timers = timers;
  }

  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Returns true with this probability, until the world is calm. */
  fails(probability: number): boolean {
    return !this.isCalm && this.random.chance(probability);
  }

  clientSignal(): AbortSignal {
    const client = new AbortController();
    if (this.fails(0.25)) this.#clients.push(client);
    return client.signal;
  }

  /** Runs the waiting steps in a random order until there are none. */
  async run(): Promise<void> {
    for (let idle = 0; idle < 2;) {
      const [next] = this.#waiting.splice(this.random.below(Math.max(1, this.#waiting.length)), 1);
      next?.();
      idle = next === undefined ? idle + 1 : 0;
      // Advances the clock to the deadline, and sometimes into the reserve and to its end.
      if (this.fails(0.05)) for (const milliseconds of [900, 50, 50].slice(0, 1 + this.random.below(3))) await this.#pass(milliseconds);
      if (this.fails(0.15)) this.#clients.pop()?.abort();
      for (let turn = 0; turn < 8; turn++) await Promise.resolve();
      if (next === undefined || this.random.chance(0.1)) await new Promise(setImmediate);
    }
  }

  /** Runs all steps, and advances the timers so that waiting purges are sent. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await this.run();
      this.#timers.tick(1_000);
    }
  }

  async #pass(milliseconds: number): Promise<void> {
    this.hasPassedDeadline = true;
    for (const attempt of this.attempts.values()) attempt.isLate = true;
    this.#timers.tick(milliseconds);
    // The work that follows immediately takes less than a millisecond of the mocked clock.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }

  /** Finds the attempt of a resolver's context value. A shared context belongs to no single attempt. */
  attemptOf(tag: string, contextValue: Context): Attempt {
    const known = this.attempts.get(contextValue);
    if (known !== undefined && known.element.tag === tag) return known;
    const attempt: Attempt = {
      element: this.elements.get(tag)!,
      request: contextValue.request,
      signal: contextValue.signal,
      began: new Map(),
      ended: new Map(),
      hasHalted: false,
      isLate: false,
    };
    this.attempts.set(known === undefined ? contextValue : {}, attempt);
    return attempt;
  }

  /** Resolves a root field of a mutation. */
  resolve(field: RootField, tag: string, contextValue: Context): unknown {
    const attempt = this.attemptOf(tag, contextValue);
    this.begin(attempt, field);
    this.noteKey(attempt, contextValue);
    attempt.began.set(field, this.purges.length);
    const fail = (error: Error): never => {
      attempt.ended.set(field, 'failed');
      throw error;
    };
    const declined = (): GraphQLError => new GraphQLError('Declined.', { extensions: { code: 'DECLINED' } });
    const take = (): object | null => {
      const name = `${tag} ${field}`;
      this.effects.set(name, (this.effects.get(name) ?? 0) + 1);
      if (this.fails(0.12)) return fail(new Error('broken'));
      const isNull = this.fails(0.08);
      attempt.ended.set(field, isNull ? 'null' : 'ok');
      return isNull ? null : { id: tag, text: 'x', total: 5, secret: `secret-${tag}`, tag, items: [{ id: '1' }, { id: '2' }, { id: '3' }] };
    };
    const kind = this.isCalm ? 0 : this.random.below(10);
    if (kind === 1) return this.#throwNow(attempt, () => fail(declined()));
    if (kind === 2) return this.#throwNow(attempt, take);
    return this.turn().then(() => {
      this.#checkSignal(attempt);
      return kind === 3 || kind === 4 ? fail(declined()) : take();
    });
  }

  /** Resolves one call of the batched field, after its guard. */
  prices(parents: readonly { readonly id: string }[], attempt: Attempt | undefined): any {
    const values = (): any => parents.map(({ id }) => (this.fails(0.1) ? new Error('no price') : Number(id)));
    if (this.fails(0.1))
      return this.#throwNow(attempt, () => {
        throw new Error('no prices');
      });
    return this.fails(0.5) ? this.turn().then(values) : values();
  }

  noteLine(record: CostRecord, request: string | null | undefined): void {
    if (typeof request !== 'string') return;
    this.lines.set(request, [...(this.lines.get(request) ?? []), record]);
  }

  begin(attempt: Attempt | undefined, field: string): void {
    if (attempt?.hasHalted === true) this.problems.push(`${field} of ${attempt.element.tag} began after HALT`);
  }

  #throwNow<T>(attempt: Attempt | undefined, call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (attempt?.request !== undefined && attempt.element.onError === 'HALT') attempt.hasHalted = true;
      throw error;
    }
  }

  /** Reports a signal that aborted although the mutation has a key: then only the deadline and HALT may abort it. */
  #checkSignal({ element, signal, isLate, ended }: Attempt): void {
    const mayAbort = !element.hasKey || isLate || this.hasPassedDeadline || (element.onError === 'HALT' && ended.size > 0);
    if (signal?.aborted === true && !mayAbort) this.problems.push(`the signal of ${element.tag} aborted though it has a key`);
  }

  noteKey({ element }: Attempt, contextValue: Context): void {
    let key: string | undefined;
    try {
      key = idempotencyKeyOf(contextValue, 'x');
    } catch {
      return;
    }
    if ((key === undefined) === element.hasKey) this.problems.push(`idempotencyKeyOf gave ${key} for ${element.tag}`);
    if (key === undefined) return;
    const owner = this.keys.get(key) ?? element.tag;
    this.keys.set(key, owner);
    if (owner !== element.tag) this.problems.push(`idempotencyKeyOf gave the key of ${owner} to ${element.tag}`);
  }
}

class Context {
  client = '';
  request: string | undefined = undefined;
  signal: AbortSignal | undefined = undefined;
}

let world: World;

/** Makes this world the current one for all servers. */
export function enter(next: World): void {
  world = next;
}

export function randomShop(random: Random): Shop {
  const isStrict = random.chance(0.5);
  const sharesContext = random.chance(0.2);
  const kinds = pluginKinds.filter(() => random.chance(0.3));
  const partial = random.chance(0.3) ? 'NULL' : undefined;
  const shared = new Map<string, Context>();
  const mark = isStrict ? '!' : '';
  const wrap = functionWrappers[random.pick(Object.keys(functionWrappers))]!;
  const hasBudget = random.chance(0.5);
  const plugins: ServerPlugin[] = [
    limits({ pageLimits: { default: 5, max: 10 } }),
    ...(hasBudget ? [budgetOfWorld(random.pick(['allow', 'refuse'] as const))] : []),
    costLine({ write: (_line, record, outcome) => world.noteLine(record, outcome?.head.headers.get('x-request')) }),
    idempotency({ store: storeOfWorld, identity: ({ client }: Context) => client, storeTimeout: 60_000, releaseIf: areDeclined }),
    mcp({ name: 'shop', version: '1' }),
    edge({ cdn: 'varnish', purge: async (tags) => void world.purges.push(...tags) }),
    ...kinds.map((kind) => ({ ...pluginsByKind[kind], position: random.pick(['first', undefined, 'last'] as const) })),
  ];
  /** True after the guard of the batched resolver has been called, until the resolver is called. */
  let isGuarded = false;
  const price = batch({ maxSize: random.pick([1, 2, 100]) }, (parents: readonly { readonly id: string }[], _: unknown, value: unknown) => {
    const attempt = world.attempts.get(value as object);
    world.begin(attempt, 'price');
    if (!isGuarded) world.problems.push('a batched resolver ran without its guard');
    isGuarded = false;
    return world.prices(parents, attempt);
  });
  const guardedPrice = wrap(price as never, (resolve, given) => {
    isGuarded = true;
    return resolve(...given);
  });
  const handler = createHandler({
    nodeEnv: 'test',
    maskErrors: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typeDefs: `
      ${cacheControlDefinitions}
      ${mcpDefinitions}
      type Query { stock: [Item!] @cacheControl(maxAge: 60) }
      type Mutation { reserve(tag: ID!): Order${mark} charge(tag: ID!): Order${mark} note(tag: ID!): Note${mark} refund(first: Int!): [Refund!] }
      type Refund { id: ID! }
      type Order { id: ID! total: Int! secret: String items: [Item!]${mark} }
      type Note { id: ID! text: String secret: String }
      type Item @cacheControl(maxAge: 60) { id: ID! price: Int${mark} @cacheControl(maxAge: 60) }`,
    resolvers: {
      Query: { stock: () => [{ id: '1' }, { id: '2' }] },
      Mutation: {
        ...Object.fromEntries(
          (Object.keys(typeOf) as RootField[]).map((field) => [
            field,
            (_: unknown, { tag }: { tag: string }, value: Context) => world.resolve(field, tag, value),
          ]),
        ),
        refund: () => void world.problems.push('an invalid mutation has run'),
      },
      Item: { price: guardedPrice },
    },
    incrementalDelivery: incrementalDelivery(),
    trustedDocuments: {
      documents: Object.fromEntries(
        Object.entries(documents).flatMap(([id, text]) => [
          [id, text],
          ...(['NULL', 'PROPAGATE', 'HALT'] as const).map((onError) => {
            const withoutTool = text.replace(/ @mcpTool\(.*?\)/, '');
            return [`${id} ${onError}`, { text: withoutTool, onError }] as const;
          }),
        ]),
      ),
    },
    context: ({ request, response, signal }: { request: WithHeaders; response: WithHeaders; signal: AbortSignal }) => {
      const client = request.headers.get('x-client') ?? 'nobody';
      response.headers.set('x-request', request.headers.get('x-request')!);
      if (!sharesContext) return { client, signal, request: request.headers.get('x-request') };
      const known = shared.get(client) ?? Object.assign(new Context(), { client });
      shared.set(client, known);
      return known;
    },
    ...(random.chance(0.7) ? { deadline: { ms: 1_000, reserveMs: 100, partial } } : {}),
    plugins: plugins.toSorted(() => random.next() - 0.5),
  } as never) as unknown as Shop['handler'];
  return { handler, isStrict, sharesContext, kinds, partial, hasBudget };
}

interface WithHeaders {
  readonly headers: { readonly get: (name: string) => string | null; readonly set: (name: string, value: string) => void };
}

function budgetOfWorld(whenStoreFails: 'allow' | 'refuse'): ServerPlugin {
  const store: BudgetStore = {
    isLocal: true,
    // So ids have the name of the client.
    isInMemory: true,
    async take(id, { cost }) {
      const of = id.slice('budget:default:'.length);
      await world.turn();
      const fails = world.fails(0.1);
      const isTaken = !world.fails(0.1);
      if (fails ? whenStoreFails === 'allow' : isTaken) world.metered.set(of, (world.metered.get(of) ?? 0) + 1);
      if (fails) throw new Error('The store is down.');
      return { isTaken, untilFull: isTaken ? cost : 5_000_000 };
    },
  };
  const identity = (_context: Context, call: { readonly request: WithHeaders }): string => call.request.headers.get('x-request')!;
  return budget({ store, identity: identity as never, capacity: 1_000, refillPerSecond: 1, whenStoreFails, storeTimeout: 60_000 });
}

/** Calls the store of the world after a turn. */
const inTurn =
  <TGiven extends unknown[], TResult>(call: (...given: TGiven) => TResult) =>
  async (...given: TGiven): Promise<Awaited<TResult>> => (await world.turn(), await call(...given));

const storeOfWorld: IdempotencyStore = {
  isLocal: true,
  claim: inTurn((...given) => world.store.claim(...given)),
  finish: inTurn((...given) => world.store.finish(...given)),
  release: inTurn((...given) => world.store.release(...given)),
};

/** True if the mutation was declined, so that it had no effect. */
function areDeclined(errors: readonly GraphQLError[]): boolean {
  return errors.every(({ extensions }) => extensions['code'] === 'DECLINED');
}

function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === 'secret' && one !== null ? 'redacted' : redact(one)]));
}

/** The result with its data redacted, after a turn. */
async function redacted<TResult extends { readonly data?: any }>({ data, ...rest }: TResult): Promise<any> {
  await world.turn();
  return { ...rest, ...(data !== undefined && { data: redact(data) }) };
}

/** Throws with this probability. */
function mayFail(probability: number, message: string, extensions = {}): void {
  if (world.fails(probability)) throw new GraphQLError(message, { extensions });
}

const pluginsByKind: Readonly<Record<PluginKind, ServerPlugin>> = {
  committing: {
    execution: after(async () => {
      await world.turn();
      mayFail(0.3, 'The transaction was rolled back.');
    }),
  },
  refusing: {
    execution: before(async () => {
      await world.turn();
      mayFail(0.3, 'Not now.', { code: 'MAINTENANCE' });
    }),
  },
  watching: { onlyWatches: true, execution: after(() => world.turn()) },
  redacting: {
    requestDidStart: () => ({ willSendResponse: async ({ response }) => void (response.result = await redacted(response.result)) }),
  },
  redactingAround: {
    async operation(_call, next) {
      const outcome = await next();
      return { ...outcome, result: await redacted(outcome.result) };
    },
  },
  failingAround: { operation: after(() => mayFail(0.3, 'The wrapper has failed.')) },
  ending: {
    requestDidStart: () => ({
      executionDidStart: () => ({
        executionDidEnd: async () => {
          await world.turn();
          mayFail(0.15, 'The hook has failed.');
        },
      }),
    }),
  },
};
