import type { KeyValueCache, ServerOptions } from '../../../src/entries/index.ts';
import { RESTDataSource } from '../../../src/entries/datasource.ts';
import { cacheControlDefinitions, edge } from '../../../src/entries/edge.ts';

const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) stock(id: ID!): Int }
  type Book { id: ID! title: String! }
  type Mutation { rename(id: ID!, title: String!): Book }`;

class Catalogue extends RESTDataSource {
  override readonly baseURL: string;

  constructor(url: string) {
    super();
    this.baseURL = url;
  }

  book(id: string): Promise<object> {
    return this.get(`books/${encodeURIComponent(id)}`);
  }

  rename(id: string, title: string): Promise<object> {
    return this.put(`books/${encodeURIComponent(id)}`, { title });
  }

  async stock(id: string): Promise<number> {
    return ((await this.get(`stock/${encodeURIComponent(id)}`)) as { count: number }).count;
  }
}

type Context = { dataSources: { catalogue: Catalogue } };

/** One process of a shop over a catalogue. A single store holds all it keeps: answers, responses of the catalogue, persisted queries. */
export function shopOver(cache: KeyValueCache, catalogue: string): ServerOptions {
  return {
    typeDefs: [cacheControlDefinitions, typeDefs],
    cache,
    dataSources: () => ({ catalogue: new Catalogue(catalogue) }),
    resolvers: {
      Query: {
        book: (_: unknown, { id }: { id: string }, { dataSources }: Context) => dataSources.catalogue.book(id),
        stock: (_: unknown, { id }: { id: string }, { dataSources }: Context) => dataSources.catalogue.stock(id),
      },
      Mutation: {
        rename: (_: unknown, { id, title }: { id: string; title: string }, { dataSources }: Context) =>
          dataSources.catalogue.rename(id, title),
      },
    },
    plugins: [edge({ store: cache, deploy: 'v1' })],
  } as unknown as ServerOptions;
}
