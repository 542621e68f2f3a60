import { compareShapes, productList } from './compare-shapes.ts';
import { createEvent } from './event.ts';
import type { Contestant } from './event.ts';

const { typeDefs, resolvers } = compareShapes[0]!;
const events = Object.fromEntries(compareShapes.map(({ name, event }) => [name, event]));
export const product = (): object => createEvent(JSON.stringify({ query: productList, variables: { first: 20 } }));
const hello = events['hello']!;
export const mutation = events['mutation']!;
const unseen = events['unseen documents']!;
const rows = (): object =>
  createEvent(
    JSON.stringify({
      query: 'query Rows($count: Int!) { rows(count: $count) { id name price count active sku tag rank } }',
      variables: { count: 50 },
    }),
  );
const mix = [product, hello, rows, product, mutation, product, hello, rows, product, unseen];

/** The nth event of mixed traffic: of ten, four queries of 20 products, two `hello`, two of 50 rows, one mutation and one unseen document. */
export function trafficEvent(nth: number): unknown {
  return mix[nth % mix.length]!(nth);
}

/** A handler for this traffic. */
export function createServer(create: Contestant): ReturnType<Contestant> {
  return create({ typeDefs, resolvers });
}

/** Calls the same resolvers without GraphQL. */
export function createByHand(): ReturnType<Contestant> {
  const { Query, Mutation, Product } = resolvers;
  const list = async (first: number): Promise<unknown> => {
    const products = (await Query!['products']!(undefined, { first })) as { id: string; name: string; price: number; kind: string }[];
    return Promise.all(
      products.map(async (product) => ({
        ...product,
        stock: await Product!['stock']!(product, {}),
        rating: Product!['rating']!(product, {}),
        maker: await Product!['maker']!(product, {}),
      })),
    );
  };
  const run = async (query: string, variables: any): Promise<unknown> => {
    if (query.startsWith('mutation')) return { createOrder: await Mutation!['createOrder']!(undefined, variables) };
    if (query.startsWith('query Rows')) return { rows: Query!['rows']!(undefined, variables) };
    if (query.startsWith('query')) return { products: await list(variables.first) };
    return { hello: Query!['hello']!(undefined, {}) };
  };
  return async (event) => {
    const { query, variables } = JSON.parse(event.body);
    const body = JSON.stringify({ data: await run(query, variables) });
    return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
  };
}
