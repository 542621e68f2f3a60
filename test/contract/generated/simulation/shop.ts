import { buildSchema } from 'graphql';
import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql';

import { createHandler as createLambdaHandler } from '../../../../src/entries/aws-lambda.ts';
import { budget } from '../../../../src/entries/budget.ts';
import { compression } from '../../../../src/entries/compression.ts';
import { costLine } from '../../../../src/entries/cost-line.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { idempotency } from '../../../../src/entries/idempotency.ts';
import { InMemoryLRUCache, RESTDataSource } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { createRandom } from '../../../support/random.ts';
import { activity } from './clock.ts';
import { limits } from './world.ts';
import type { World } from './world.ts';

/** What an instance is made of. */
export interface Parts {
  readonly world: World;
  /** The name of the deploy. */
  readonly deploy: string;
}

/** Replaces parts of the function or of the world, to see whether the simulator finds the bug. */
export interface PlantedBug {
  readonly seed: number;
  readonly world?: (world: World) => void;
  readonly plugins?: (plugins: Record<string, ServerPlugin>, parts: Parts) => void;
  readonly options?: (options: Record<string, any>, parts: Parts) => void;
}

export type Handler = (event: unknown, context: unknown) => Promise<any>;

export interface Context {
  /** The user that the request's token names. */
  readonly user: () => string | null;
  readonly signal: AbortSignal;
  readonly world: World;
  readonly deploy: string;
  readonly dataSources: { readonly api: Products };
}

/** The points of each client. */
export const budgetPlan = { capacity: 40, refillPerSecond: 1 } as const;

/** The REST API behind the function. */
export class Products extends RESTDataSource<Context> {
  override baseURL = 'https://api.example/';

  product(id: string): Promise<object> {
    return this.get(`products/${id}`);
  }

  rename(id: string): Promise<object> {
    return this.post(`products/${id}`);
  }

  me(user: string): Promise<object> {
    return this.get('me', undefined, { headers: { authorization: user } });
  }

  /** The user whose token the call gets elsewhere. */
  anybody(): Promise<object> {
    return this.get('me');
  }

  pay(user: string, tag: string): Promise<object> {
    return this.post(`payments?tag=${tag}`, undefined, { headers: { authorization: user } });
  }
}

/** The data source of one operation. */
export function productsOf({ setting }: World, httpFetch?: (request: Request) => Promise<Response>): Products {
  const products = new Products(httpFetch);
  products.timeout = setting.call - 500;
  return products;
}

const typeDefs = `
  ${cacheControlDefinitions}
  type Query {
    product(id: ID!): Product @cacheControl(maxAge: 60)
    products: [Product] @cacheControl(maxAge: 60)
    build: String @cacheControl(maxAge: 60)
    me: User
  }
  interface Product @cacheControl(maxAge: 60) { id: ID! version: Int! }
  type Even implements Product @cacheControl(maxAge: 60) { id: ID! version: Int! }
  type Odd implements Product @cacheControl(maxAge: 60) { id: ID! version: Int! }
  type User { id: ID! secret: String! card: String }
  type Mutation { rename(id: ID!): Product strictRename(id: ID!): Product! pay(order: ID!): Receipt! }
  type Receipt { id: ID! payer: String! }`;

async function change({ world }: Context, run: () => Promise<object>): Promise<object> {
  const { request } = activity()!;
  try {
    return await run();
  } finally {
    for (const made of world.changes) if (made.request === request) made.knownAt ??= world.clock.now;
  }
}

const resolvers: Readonly<Record<string, Readonly<Record<string, (parent: unknown, args: any, context: Context) => unknown>>>> = {
  Query: {
    product: (_, { id }, { dataSources }) => dataSources.api.product(id),
    products: (_, __, { dataSources }) => ['1', '2'].map((id) => dataSources.api.product(id)),
    build: (_, __, { deploy }) => deploy,
    me: (_, __, { user, dataSources }) => {
      const name = user();
      return name === null ? null : dataSources.api.me(name);
    },
  },
  Mutation: {
    rename: (_, { id }, context) => change(context, () => context.dataSources.api.rename(id)),
    strictRename: (_, { id }, context) => change(context, () => context.world.rename(id)),
    pay: (_, { order }, { user, dataSources }) => dataSources.api.pay(user()!, `${user()}-${order}`),
  },
};

/** Built once, because building it takes most of the time of a cold start. What differs between instances is in the context. */
const schema = buildSchema(typeDefs);
for (const [type, fields] of Object.entries(resolvers))
  for (const [name, resolve] of Object.entries(fields)) (schema.getType(type) as GraphQLObjectType).getFields()[name]!.resolve = resolve;

// Each change of a product changes its type, too.
(schema.getType('Product') as GraphQLInterfaceType).resolveType = ({ version }: { version: number }) =>
  version % 2 === 0 ? 'Even' : 'Odd';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Asks a service which fields the user may see, after the operation, and removes the number of the card. */
function redacting(world: World): ServerPlugin {
  return {
    requestDidStart: () => ({
      async willSendResponse({ response }) {
        const me = response.result.data?.['me'];
        if (!isRecord(me)) return;
        await world.call('may see', { fails: 'store fails', isSlow: 'store is slow', serve: () => true });
        response.result = { ...response.result, data: { ...response.result.data, me: { ...me, card: 'xxxx' } } };
      },
    }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Creates edge for the setting of the world. */
export function edgeOf({ world, deploy }: Parts, more: Partial<EdgeOptions> = {}): ServerPlugin {
  const { cdn, hasStore } = world.setting;
  const purge = cdn && ((tags: readonly string[]) => world.purge(tags));
  return edge({ cdn, deploy, ignoredHeaders: ['x-request'], ...(hasStore && { store: world.answerStore() }), purge, ...more });
}

/** The plugins by name, which a planted bug may replace or wrap. */
function pluginsOf({ world, deploy }: Parts): Record<string, ServerPlugin> {
  const { hasBudget, platform } = world.setting;
  return {
    costLine: costLine({ write: (_line, record) => void world.records.push({ ...activity()!, record }) }),
    edge: edgeOf({ world, deploy }),
    ...(hasBudget && {
      budget: budget({
        store: world.budgetStore(),
        identity: ({ user }: Context) => user() ?? 'everybody',
        ...budgetPlan,
        whenStoreFails: 'refuse',
      }),
    }),
    idempotency: idempotency({ store: world.idempotencyStore(), identity: ({ user }: Context) => user() }),
    redacting: redacting(world),
    ...(platform === 'lambda' && { compression: compression() }),
  };
}

/** One instance of the function: a real handler with its own memory, over the stores and APIs of the world. */
export function createInstance(parts: Parts, bug?: PlantedBug): Handler {
  const { world, deploy } = parts;
  const { platform, order } = world.setting;
  const plugins = pluginsOf(parts);
  bug?.plugins?.(plugins, parts);
  const random = createRandom(order);
  const options: Record<string, unknown> = {
    nodeEnv: 'production',
    logger: silent,
    schema,
    context: ({ request, signal }: { request: { headers: { get(name: string): string | null } }; signal: AbortSignal }) => ({
      user: () => request.headers.get('authorization'),
      signal,
      world,
      deploy,
    }),
    dataSources: () => ({ api: productsOf(world) }),
    cache: new InMemoryLRUCache(),
    deadline: { ms: world.setting.call, reserveMs: limits.reserve },
    plugins: Object.values(plugins).toSorted(() => random.next() - 0.5),
  };
  bug?.options?.(options, parts);
  return (platform === 'lambda' ? createLambdaHandler(options as never) : createFetchHandler(options as never).fetch) as Handler;
}
