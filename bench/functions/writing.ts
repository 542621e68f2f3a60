// Every operation sends a request, and writes the response into a store in the network.
import { createHandler } from '../../src/entries/aws-lambda.ts';
import { RESTDataSource } from '../../src/entries/datasource.ts';
import type { KeyValueCache } from '../../src/entries/cache.ts';

const url = (path: string): string => `${process.env['SERVER_URL']}${path}`;

class Items extends RESTDataSource {
  override baseURL = url('items/');
  item(id: string): Promise<{ id: string }> {
    return this.get(id);
  }
}

const store: KeyValueCache = {
  async get(key) {
    const response = await fetch(url(`store/${encodeURIComponent(key)}`));
    return response.ok ? response.text() : undefined;
  },
  async set(key, value) {
    await fetch(url(`store/${encodeURIComponent(key)}`), { method: 'PUT', body: value });
  },
  async delete(key) {
    await fetch(url(`store/${encodeURIComponent(key)}`), { method: 'DELETE' });
  },
};

export default createHandler({
  cache: store,
  typeDefs: 'type Query { item(id: ID!): Item } type Item { id: ID! }',
  dataSources: () => ({ items: new Items() }),
  resolvers: { Query: { item: (_, { id }, { dataSources }) => dataSources.items.item(id) } },
});
