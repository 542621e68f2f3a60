import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { budget } from '../../../../../src/entries/budget.ts';
import { costLine } from '../../../../../src/entries/cost-line.ts';
import { createHandler } from '../../../../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../../../src/entries/index.ts';
import { graphqlJSExecutor } from '../../../../../src/entries/graphql-js.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import { mcp } from '../../../../../src/entries/mcp.ts';
import { rest } from '../../../../../src/entries/rest.ts';
import { subgraph } from '../../../../../src/entries/subgraph.ts';
import { Prices } from '../../../../../src/extensions/limits/prices.ts';
import { Sizes } from '../../../../../src/extensions/limits/sizes.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { silent } from '../../../../unit/extensions/subgraph/serving.ts';
import { randomShop } from './random-shop.ts';
import type { RandomOperation, RandomShop, Tally } from './random-shop.ts';

const perShop = 20;

/** The ways in which an operation reaches a server: what each sends. Without a method, the handler is invoked directly. */
const ways: Readonly<Record<string, (operation: RandomOperation, id: string) => Sent>> = {
  POST: (operation) => ({ method: 'POST', body: operation }),
  GET: ({ query, variables }) => ({ method: 'GET', url: `?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}` }),
  QUERY: (operation) => ({ method: 'QUERY', body: operation }),
  'a document id': ({ variables }, documentId) => ({ method: 'POST', body: { documentId, variables } }),
  'a batch': (operation) => ({ method: 'POST', body: [operation] }),
  'an event stream': (operation) => ({ method: 'POST', body: operation, accept: 'text/event-stream' }),
  'a tool of MCP': ({ variables }, name) => ({
    method: 'POST',
    url: 'mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: variables } },
  }),
  'a GET of REST': ({ variables }, id) => ({ method: 'GET', url: `rest/GET/${id}?${parametersOf(variables)}` }),
  'a POST of REST': ({ variables }, id) => ({ method: 'POST', url: `rest/POST/${id}`, body: variables }),
  'a direct invocation': (operation) => ({ body: operation }),
};

/** Parameters of a URL, which has no null and no empty list. */
function parametersOf(variables: RandomOperation['variables']): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(variables))
    for (const item of value === null ? [] : Array.isArray(value) ? (value as unknown[]) : [value])
      parameters.append(name, typeof item === 'string' ? item : JSON.stringify(item));
  return parameters;
}

interface Sent {
  readonly method?: string;
  readonly url?: string;
  readonly body?: unknown;
  readonly accept?: string;
}

/** What became of an operation, in points. */
interface Bill {
  readonly what: string;
  readonly resolved: number;
  /** Each time that the store was asked. */
  readonly taken: readonly number[];
  /** In the cost line. */
  readonly told: readonly number[];
  /** By the refusal of a client whose capacity is smaller, or of a lower `maxCost`. */
  readonly refusals: readonly number[];
  readonly text: string;
}

/** Runs each of some random operations of a shop by one of the ways, and returns their bills. */
async function billsOf(random: Random): Promise<readonly Bill[]> {
  const tally: Tally = { points: 0 };
  const shop = randomShop(random, tally);
  const operations = Array.from({ length: perShop }, (_, at) => [`op${at}`, shop.operation(`op${at}`)] as const);
  const taken: number[] = [];
  const told: number[] = [];
  const take = async (_id: string, { cost }: { readonly cost: number }) => (taken.push(cost / 1_000_000), { isTaken: true, untilFull: 1 });
  const points = (capacity: number): ServerPlugin =>
    budget({ store: { take }, whenStoreFails: 'refuse', identity: () => 'ada', capacity, refillPerSecond: 1 });
  const handler = serve(shop, operations, [
    limits(shop.limits),
    points(1e7),
    costLine({ write: (_line, { budget: report }) => void (report !== undefined && told.push(report.cost)) }),
  ]);
  const poor = serve(shop, operations, [points(0.5), limits(shop.limits)]);
  const bounded = serve(shop, operations, [limits({ ...shop.limits, maxCost: 1 })]);
  const bills: Bill[] = [];
  for (const [id, operation] of operations) {
    const way = random.pick(Object.keys(ways));
    const sent = ways[way]!(operation, id);
    [tally.points, taken.length, told.length] = [0, 0, 0];
    const text = await send(handler, sent);
    const bill = { resolved: tally.points, taken: [...taken], told: [...told], text };
    const refusals: number[] = [];
    for (const refusing of random.chance(0.2) && (taken[0] ?? 0) > 1 ? [poor, bounded] : []) {
      const refusal = await send(refusing, sent);
      for (const [, cost] of refusal.matchAll(/costs (\d+)(?: points?, and the client can have|\.)/g)) refusals.push(Number(cost));
      assert.equal(tally.points, bill.resolved, refusal);
    }
    bills.push({ ...bill, refusals, what: `by ${way}: ${JSON.stringify([operation, shop.limits, shop.typeDefs])}` });
  }
  return bills;
}

type Handler = (event: unknown, context?: unknown) => Promise<unknown>;

function serve(
  { typeDefs, resolvers, isSubgraph, isPlanned }: RandomShop,
  operations: readonly (readonly [string, RandomOperation])[],
  plugins: readonly ServerPlugin[],
): Handler {
  const tools = Object.fromEntries(operations.map(([id]) => [id, { document: id, description: 'Asks.' }]));
  const options = {
    nodeEnv: 'production',
    logger: silent,
    typeDefs,
    resolvers,
    trustedDocuments: {
      documents: Object.fromEntries(
        operations.flatMap(([id, { query, route }]) => [[id, query], ...['GET', 'POST'].map((method) => [method + id, route(method)])]),
      ),
    },
    // graphql-js knows no defaults of pages.
    ...(isPlanned ? {} : { executor: graphqlJSExecutor() }),
    plugins: [...plugins, mcp({ name: 'shop', version: '1', tools }), rest()],
  } as unknown as ServerOptions<any, any, any, any>;
  return createHandler(isSubgraph ? subgraph(options as never) : options) as unknown as Handler;
}

async function send(handler: Handler, { method, url = '', body, accept = 'application/json' }: Sent): Promise<string> {
  if (method === undefined) return JSON.stringify(await handler(body, {}));
  const init = { method, headers: { 'content-type': 'application/json', accept }, ...(method !== 'GET' && { body: JSON.stringify(body) }) };
  const response = (await handler(new Request(`https://shop.example/${url}`, init), { waitUntil: () => {} })) as Response;
  return response.text();
}

/** Throws for a bill that is wrong. Returns whether the operation has run, and whether it has paid exactly what it resolved. */
function audit({ what, resolved, taken, told, refusals, text }: Bill): readonly [ran: boolean, exact: boolean] {
  const [paid = 0] = taken;
  assert.ok(taken.length <= 1, `It paid ${taken.length} times ${what}`);
  assert.ok(resolved <= paid, `It resolved ${resolved} points and paid ${paid} ${what}`);
  assert.deepEqual(told, taken, what);
  for (const refusal of refusals) assert.equal(refusal, paid, `A refusal tells ${refusal}, and it paid ${paid} ${what}`);
  // Only pages are refused.
  const isRefused = what.includes('of REST') ? text.includes('about:blank') : !/"data":|"structuredContent":/.test(text);
  if (paid === 0 && isRefused)
    assert.match(text, /to be asked for (?:0 to|its first or)|to be provided|was not provided|once, got it/, what);
  return [paid > 0, paid === resolved];
}

test('an operation resolves no more than it has paid, by every way, and pays the price that it is told', async () => {
  const random = createRandom(67_001);
  const counts = { ran: 0, exact: 0, refused: 0, told: 0 };
  for (let left = cases({ short: 200, long: 10_000 }); left > 0; left -= perShop)
    for (const bill of await billsOf(random)) {
      const [ran, exact] = audit(bill);
      counts.told += bill.refusals.length;
      counts[ran ? 'ran' : 'refused']++;
      if (ran && exact) counts.exact++;
    }

  // Else the prices, or the operations, would say nothing.
  assert.ok(counts.exact > counts.ran / 3 && counts.refused > 0 && counts.told > 0, JSON.stringify(counts));
});

type Count = (this: Sizes, byDefault: number) => number;
type FieldOf = Prices['fieldOf'];

const counting = (count: Count) => (): (() => void) => replace(Sizes.prototype, 'count', () => count);
const priced = (change: (field: NonNullable<ReturnType<FieldOf>>, name: string) => object) => (): (() => void) =>
  replace(
    Prices.prototype,
    'fieldOf',
    (fieldOf: FieldOf) =>
      function (this: Prices, type, name) {
        const field = fieldOf.call(this, type, name);
        return field && { ...field, ...change(field, name) };
      } as FieldOf,
  );

/** Defects of prices, each planted by a function that returns the one that removes it. */
const defects: Readonly<Record<string, () => () => void>> = {
  'fractions are rounded down': () => replace(Math, 'ceil', () => Math.floor),
  'a text that only begins with a number has no size': () => replace(Number, 'parseInt', () => () => Number.NaN),
  'sizes in input objects do not count': counting(function (byDefault) {
    return Math.max(this.direct, this.direct === 0 || this.isUnclear ? byDefault : 0);
  }),
  'a size that is not clear counts as not given': counting(function (byDefault) {
    return Math.max(this.direct === 0 ? byDefault : this.direct, this.inObjects);
  }),
  'the default of a page does not count': () =>
    replace(Sizes.prototype, 'count', (count: Count) => function () { return count.call(this, 1); } as Count), // prettier-ignore
  'a list without its own sizes counts as the default': priced(({ isOpen, variants }) => ({ isOpen: isOpen && variants.length > 0 })),
  'the first object of an interface counts for all': priced(({ variants }) => ({ variants: variants.slice(0, 1) })),
  'a list of lists counts as a list': priced(({ dimensions }) => ({ dimensions: Math.min(1, dimensions) })),
  'representations do not count': priced((_, name) => (name === '_entities' ? { variants: [], isOpen: true } : {})),
  'the price that is taken is another one': () =>
    replace(Prices.prototype, 'costOf', (costOf) => function (this: Prices, priced) { return costOf.call(this, priced) + (this.maxCost === undefined ? 1 : 0); } as Prices['costOf']), // prettier-ignore
};

/** Replaces a method. Returns a function that restores it. */
function replace<T extends object, TName extends keyof T>(owner: T, name: TName, create: (given: T[TName]) => T[TName]): () => void {
  const given = owner[name];
  owner[name] = create(given);
  return () => void (owner[name] = given);
}

describe('the audit notices that', () => {
  for (const [defect, plant] of Object.entries(defects))
    test(defect, async () => {
      const restore = plant();
      try {
        await assert.rejects(async () => {
          const random = createRandom(67_002);
          for (let left = 2_000; left > 0; left -= perShop) for (const bill of await billsOf(random)) audit(bill);
        }, assert.AssertionError);
      } finally {
        restore();
      }
    });
});
