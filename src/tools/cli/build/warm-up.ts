import { callStreamingHandler, createEvent, createLambdaContext, isStreamingHandler, readResult } from '../../testing/index.ts';
import { observeHandlers } from '../project/observe-handlers.ts';

type Handler = (event: unknown, context: object) => unknown;
type CreateHandler = (options: object) => unknown;

/** Collects what creates the handlers of the code that runs from now on. */
export function collectCreators(): ReadonlySet<CreateHandler> {
  const creators = new Set<CreateHandler>();
  observeHandlers((create, options) => {
    creators.add(create as CreateHandler);
    return create(options);
  });
  return creators;
}

/**
 * Runs operations on a sample schema, so that the cache contains the functions that requests need: variables, fragments, lists,
 * asynchronous fields, abstract types, a mutation, an error. The user's resolvers are not called, because they may have side
 * effects. Resolves to the responses.
 */
export async function warmUp(create: CreateHandler): Promise<unknown[]> {
  const handler = create({ typeDefs, resolvers, nodeEnv: 'production', logger: silent });
  const results: unknown[] = [];
  for (const operation of operations) results.push(await send(handler, operation));
  return results;
}

/** Sends a request as a function URL does, and ignores failures. */
export async function send(handler: unknown, operation: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const event: unknown = createEvent('function-url', { method: 'POST', headers, body: JSON.stringify(operation) });
  const context = createLambdaContext('warm-up');
  try {
    if (!isStreamingHandler(handler)) return await (handler as Handler)(event, context);
    const response = await callStreamingHandler({ handler, event, context, readHead: (head) => readResult('function-url', head) });
    return { statusCode: response.status, body: await response.text() };
  } catch {
    // The cache is still useful without this request.
    return undefined;
  }
}

const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const typeDefs = /* GraphQL */ `
  "The root of queries."
  type Query {
    items(first: Int = 2, order: Order, filter: Filter, ids: [ID!]): [Item!]!
    node(id: ID!): Node
    found: [Found]
  }
  type Mutation {
    add(item: Filter!): Item
  }
  type Subscription {
    added: Item
  }
  enum Order {
    NAME
    PRICE @deprecated
  }
  input Filter {
    name: String
    price: Float = 1.5
    tags: [String!]
    not: Filter
  }
  interface Node {
    id: ID!
  }
  union Found = Item | Maker
  type Item implements Node {
    id: ID!
    name: String
    price: Float
    count: Int
    isNew: Boolean!
    tags: [String!]!
    maker: Maker
  }
  type Maker implements Node {
    id: ID!
    name: String!
    items: [Item]
  }
  scalar Date
  extend type Query {
    today: Date
  }
`;

const item = { __typename: 'Item', id: 'a', name: 'Item', price: 1, count: 2, isNew: true, tags: ['b'], maker: { id: 'm', name: 'Maker' } };
const resolvers = {
  Query: {
    items: (): unknown => Array.from({ length: 20 }, () => item),
    node: async (): Promise<unknown> => item,
    found: (): unknown => [item, { __typename: 'Maker', id: 'm', name: 'Maker' }, null],
    today: (): string => '2026-01-01',
  },
  Mutation: { add: async (): Promise<unknown> => item },
  Item: {
    price: async (): Promise<number> => 1,
    maker: ({ maker }: typeof item): unknown => maker,
  },
};

const query = `query Items($first: Int!, $order: Order, $filter: Filter, $details: Boolean!) {
  items(first: $first, order: $order, filter: $filter, ids: ["a", "b"]) { __typename id name price ...Details @include(if: $details) maker { id name } }
  node(id: "a") { id ... on Item { count } }
  found { ... on Item { name } ... on Maker { maker: name } }
  today
}
fragment Details on Item { count isNew tags }`;
const variables = { first: 20, order: 'NAME', filter: { name: 'a', tags: ['b'], not: { price: 2 } }, details: true };

const operations: readonly object[] = [
  { query, operationName: 'Items', variables },
  { query, operationName: 'Items', variables },
  { query: 'mutation Add($item: Filter!) { add(item: $item) { id name tags } }', variables: { item: { name: 'a' } } },
  { query: '{ items(first: 1) { id name tags } }' },
];
