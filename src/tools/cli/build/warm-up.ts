import { callStreamingHandler, createEvent, createLambdaContext, isStreamingHandler, readResult } from '../../testing/index.ts';
import { observeHandlers } from '../project/observe-handlers.ts';

type Handler = (event: unknown, context: object) => unknown;
type CreateHandler = (options: object) => unknown;

/** Collects the functions that create handlers, in all code that runs from now on. */
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
 * asynchronous fields, an abstract type. The user's resolvers are not called, because they may have side
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

const typeDefs = `
  type Query { items(first: Int = 2, filter: Filter): [Item!]! node: Node }
  input Filter { name: String tags: [String!] not: Filter }
  interface Node { id: ID! }
  type Item implements Node { id: ID! name: String count: Int tags: [String!]! maker: Item }`;
const item = {
  __typename: 'Item',
  id: 'a',
  name: 'Item',
  count: 2,
  tags: ['b'],
  maker: async (): Promise<object> => ({ id: 'm', tags: [] }),
};
const resolvers = { Query: { items: (): unknown => Array.from({ length: 20 }, () => item), node: async (): Promise<unknown> => item } };

const query = `query Items($first: Int, $filter: Filter, $details: Boolean!) {
  items(first: $first, filter: $filter) { id ...Details @include(if: $details) maker { id name } }
  node { __typename id ... on Item { count } }
}
fragment Details on Item { __typename name count tags }`;
const variables = { first: 20, filter: { name: 'a', tags: ['b'], not: { name: 'c' } }, details: true };
const operations: readonly object[] = [{ query, variables }, { query, variables }, { query: '{ items { id name tags } }' }];
