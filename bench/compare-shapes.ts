import { createEvent } from './event.ts';
import { createRows, rowTypeDefs } from './rows.ts';

/** A kind of request that compare.ts sends. All of them go to the same handler. */
export interface CompareShape {
  readonly name: string;
  readonly typeDefs: string;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, (parent: any, args: any) => unknown>>>>;
  /** The nth event. */
  readonly event: (nth: number) => unknown;
  /** The handler: of `/aws-lambda`, the same with a `context` function, or of `/fetch`, which takes web `Request`s. */
  readonly entry: 'lambda' | 'context' | 'fetch';
}

const typeDefs = /* GraphQL */ `
  type Query {
    hello: String!
    products(first: Int!, filter: Filter): [Product!]!
    rows(count: Int!): [Row!]!
  }
  type Mutation {
    createOrder(input: OrderInput!, note: String): Order
  }
  input Filter {
    text: String
    kinds: [Kind!]
  }
  enum Kind {
    BOOK
    GAME
  }
  input OrderInput {
    customer: CustomerInput!
    lines: [LineInput!]!
    coupon: String
    kind: Kind = BOOK
  }
  input CustomerInput {
    name: String!
    email: String!
    address: AddressInput
  }
  input AddressInput {
    street: String!
    city: String!
    zip: String
  }
  input LineInput {
    sku: ID!
    count: Int! = 1
    price: Float
  }
  type Order {
    id: ID!
    name: String!
    city: String
    total: Float!
    lines: [Line!]!
  }
  type Line {
    sku: ID!
    count: Int!
  }
  type Product {
    id: ID!
    name: String!
    price: Float
    kind: Kind
    maker: Maker
    stock: Int
    rating: Float
  }
  type Maker {
    id: ID!
    name: String!
  }
  ${rowTypeDefs}
`;

const rows = createRows(1000);
const makers = Array.from({ length: 7 }, (_, id) => ({ id: `m${id}`, name: `Maker ${id}` }));
const products = Array.from({ length: 50 }, (_, id) => ({
  id: `p${id}`,
  name: `Product ${id}`,
  price: id * 2.5,
  kind: id % 2 ? 'BOOK' : 'GAME',
}));

const resolvers: CompareShape['resolvers'] = {
  Query: {
    hello: () => 'world',
    products: async (_, { first }) => products.slice(0, first),
    rows: (_, { count }) => rows.slice(0, count),
  },
  Mutation: {
    createOrder: async (_, { input }) => ({
      id: 'o1',
      name: input.customer.name,
      city: input.customer.address?.city,
      total: 9.5,
      lines: input.lines,
    }),
  },
  Product: {
    maker: async ({ id }) => makers[id.length],
    async stock({ id }) {
      return id.length;
    },
    rating: function rating() {
      return 4.5;
    },
  },
};

const order = {
  input: {
    customer: { name: 'Ada', email: 'ada@example.com', address: { street: '1 Main Street', city: 'London' } },
    lines: [
      { sku: 'a', count: 2, price: 9.5 },
      { sku: 'b', price: 1 },
    ],
    coupon: null,
  },
  note: 'soon',
};

const createOrder =
  'mutation ($input: OrderInput!, $note: String) { createOrder(input: $input, note: $note) { id name city total lines { sku count } } }';
/** A query of products, with a fragment and a condition. */
export const productList = `query ($first: Int!, $detailed: Boolean = true) { products(first: $first) { ...Card stock rating @include(if: $detailed) maker { id name } } }
  fragment Card on Product { id name price kind }`;

const body = (query: string, variables?: object): string => JSON.stringify({ query, ...(variables && { variables }) });
const post = (text: string) => (): unknown => withBrowserFields(createEvent(text));
const hello = body('{ hello }');

/** Other header fields of a browser. */
const browserFields = {
  'accept-language': 'en-GB,en;q=0.9',
  'cache-control': 'no-cache',
  origin: 'https://example.com',
  referer: 'https://example.com/',
  'sec-ch-ua': '"Chromium";v="142"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
};

function withBrowserFields(event: any): unknown {
  return { ...event, headers: { ...event.headers, ...browserFields } };
}

function request(text: string): unknown {
  const headers = { accept: '*/*', 'content-type': 'application/json', ...browserFields };
  return new Request('https://example.com/graphql', { method: 'POST', headers, body: text });
}

interface Asked {
  readonly name: string;
  readonly event: (nth: number) => unknown;
  readonly entry?: CompareShape['entry'];
}

const batch = `[${Array.from({ length: 10 }, () => hello).join(',')}]`;
const unseen = (nth: number): string =>
  body(`query Q${nth}($first: Int!) { hello products(first: $first) { ...F } } fragment F on Product { a${nth}: id name }`, { first: 1 });
const asked: readonly Asked[] = [
  { name: 'hello', event: post(hello) },
  { name: '50 objects', event: post(body(productList, { first: 50 })) },
  { name: 'mutation', event: post(body(createOrder, order)) },
  { name: 'batch of 10', event: post(batch) },
  { name: '1,000 rows', event: post(body('{ rows(count: 1000) { id name price count active sku tag rank } }')) },
  { name: 'unseen documents', event: (nth) => post(unseen(nth))() },
  { name: 'hello, context', event: post(hello), entry: 'context' },
  { name: 'batch, context', event: post(batch), entry: 'context' },
  { name: 'Request hello', event: () => request(hello), entry: 'fetch' },
];

/** The kinds of requests. */
export const compareShapes: readonly CompareShape[] = asked.map((shape) => ({ entry: 'lambda', ...shape, typeDefs, resolvers }));
