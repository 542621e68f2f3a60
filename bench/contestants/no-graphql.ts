import type { Contestant } from '../event.ts';

/** Calls the resolvers by hand, for known requests only. No GraphQL server can be faster. */
export const create: Contestant = ({ resolvers }) => {
  const run = async ({ query, variables }: { query: string; variables?: any }): Promise<unknown> => {
    const { Query, Mutation, User, Product } = resolvers;
    if (query.includes('hello }')) return { data: { hello: Query!['hello']!(null, {}) } };
    if (query.startsWith('mutation')) return { data: { rename: Mutation!['rename']!(null, variables) } };
    if (query.includes('rows(')) return { data: { rows: Query!['rows']!(null, variables) } };
    if (query.includes('products')) {
      const products = Query!['products']!(null, variables) as { id: string; name: string; stock: number; tags: string[] }[];
      return {
        data: {
          products: await Promise.all(
            products.map(async (product) => ({
              id: product.id,
              name: product.name,
              price: await Product!['price']!(product, {}),
              description: Product!['description']!(product, {}),
              stock: product.stock,
              tags: product.tags,
              seller: await Product!['seller']!(product, {}),
            })),
          ),
        },
      };
    }
    const users = Query!['users']!(null, variables ?? { first: 1 }) as { id: string }[];
    return {
      data: {
        users: await Promise.all(
          users.map(async (user) => ({ ...user, email: await User!['email']!(user, {}), posts: await User!['posts']!(user, {}) })),
        ),
      },
    };
  };
  return async (event) => {
    const body = JSON.parse(event.body);
    const result = Array.isArray(body) ? await Promise.all(body.map(run)) : await run(body);
    return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) };
  };
};
