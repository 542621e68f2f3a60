import type { Contestant } from './event.ts';

/** A schema with its resolvers, and requests as web `Request` objects. */
export interface RequestWorkload {
  readonly name: string;
  readonly typeDefs: string;
  readonly resolvers: Parameters<Contestant>[0]['resolvers'];
  /** The bodies of requests that are sent in turn. Variables have other values in each. */
  readonly requests: readonly { readonly body: string; readonly headers: Readonly<Record<string, string>> }[];
}

const typeDefs = /* GraphQL */ `
  type Query {
    hello: String!
    products(first: Int!, after: ID, sort: Sort): [Product!]!
  }
  type Mutation {
    order(input: OrderInput!): Order
  }
  enum Sort {
    NAME
    PRICE
  }
  type Product {
    id: ID!
    name: String!
    price: Float
    stock: Int
    note: String
  }
  input OrderInput {
    lines: [LineInput!]!
    address: AddressInput
  }
  input LineInput {
    product: ID!
    count: Int = 1
  }
  input AddressInput {
    street: String!
    city: String!
  }
  type Order {
    id: ID!
    total: Float
  }
`;

const products = Array.from({ length: 50 }, (_, id) => ({ id: `p${id}`, name: `Product ${id}`, price: id * 1.5 }));

/** Arrow functions, methods and ordinary functions, as real maps have them. */
const resolvers: RequestWorkload['resolvers'] = {
  Query: {
    hello: () => 'world',
    products(_, { first }) {
      return products.slice(0, first);
    },
  },
  Mutation: {
    order: function (_, { input }) {
      return { id: 'o1', total: input.lines.length };
    },
  },
  Product: {
    stock: async ({ id }) => id.length,
    async note({ name }) {
      return `about ${name}`;
    },
  },
};

const body = (query: string, variables?: object): string => JSON.stringify({ query, ...(variables && { variables }) });

/** The header fields of a browser's request. */
export const browserHeaders: Readonly<Record<string, string>> = {
  accept: 'application/graphql-response+json, application/json;q=0.9',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  'cache-control': 'no-cache',
  'content-type': 'application/json',
  cookie: 'session=0123456789abcdef; theme=dark',
  dnt: '1',
  origin: 'https://www.example.com',
  pragma: 'no-cache',
  priority: 'u=1, i',
  referer: 'https://www.example.com/products',
  'sec-ch-ua': '"Chromium";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-site',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};

const manyProducts =
  'query ($first: Int!, $after: ID, $notes: Boolean!) { products(first: $first, after: $after, sort: NAME) { ...P note @include(if: $notes) } } fragment P on Product { id name price stock }';
const order = 'mutation ($input: OrderInput!) { order(input: $input) { id total } }';

const workloads: readonly { readonly name: string; readonly body: (nth: number) => string }[] = [
  { name: 'hello', body: () => body('{ hello }') },
  {
    name: '50 objects, 100 async resolvers, fragment, condition',
    body: (nth) => body(manyProducts, { first: 50, after: `p${nth}`, notes: true }),
  },
  {
    name: 'mutation with an input object',
    body: (nth) => {
      const lines = [{ product: `p${nth}` }, { product: `p${nth + 1}`, count: 3 }];
      return body(order, { input: { lines, address: { street: `Gower Street ${nth}`, city: 'London' } } });
    },
  },
];

export const requestWorkloads: readonly RequestWorkload[] = workloads.map((workload) => ({
  name: workload.name,
  typeDefs,
  resolvers,
  requests: Array.from({ length: 100 }, (_, nth) => {
    const text = workload.body(nth);
    return { body: text, headers: { ...browserHeaders, 'content-length': String(text.length) } };
  }),
}));
