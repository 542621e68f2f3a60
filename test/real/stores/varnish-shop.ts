import type { ContextArgument, ServerOptions } from '../../../src/entries/index.ts';
import { cacheControlDefinitions } from '../../../src/entries/edge.ts';

const typeDefs = `
  type Query {
    product(id: ID!): Product @cacheControl(maxAge: 600)
    category(name: Int!): [Product!]! @cacheControl(maxAge: 600)
    me: String @cacheControl(maxAge: 600, scope: PUBLIC)
  }
  type Product { id: ID! name: String! category: Int! }
  type Mutation { rename(id: ID!, name: String!): Product }`;

/** The number of products in the shop; a tenth of them are in lists. */
const productCount = 500;

/** A shop with products whose names change. */
export function createShop(): ServerOptions {
  const products = Array.from({ length: productCount }, (_, id) => ({ id: String(id), name: `product ${id}`, category: id % 5 }));
  const resolvers = {
    Query: {
      product: (_: unknown, { id }: { id: string }) => products[Number(id)],
      category: (_: unknown, { name }: { name: number }) => products.filter(({ category }) => category === name).slice(0, 10),
      me: (_: unknown, __: unknown, { user }: { user: () => string | null }) => user(),
    },
    Mutation: { rename: (_: unknown, { id, name }: { id: string; name: string }) => Object.assign(products[Number(id)]!, { name }) },
  };
  const context = ({ request }: ContextArgument): object => ({ user: () => request.headers.get('cookie') });
  return { typeDefs: [cacheControlDefinitions, typeDefs], context, resolvers } as unknown as ServerOptions;
}
