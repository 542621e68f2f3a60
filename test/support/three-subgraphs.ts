import { createHandler } from '../../src/entries/fetch.ts';
import { subgraph } from '../../src/entries/subgraph.ts';
import { ApolloServer } from '../../src/entries/v3.ts';
import { httpAPIEvent } from '../../src/tools/testing/events.ts';

// One subgraph whose schema uses many directives, and two others, one of them of version 3, for what only a gateway shows.

const secret = 'open sesame';
const routerSecret = { secrets: () => [secret] };

const productsText = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@composeDirective", "@extends", "@external", "@inaccessible", "@interfaceObject", "@key", "@override", "@provides", "@requires", "@shareable"])
    @link(url: "https://example.com/custom/v1.0", import: ["@custom"])
    @composeDirective(name: "@custom")

  directive @custom on OBJECT

  type Query { product(id: ID!): Product }
  type Product @custom @key(fields: "id") @key(fields: "sku package") {
    id: ID!
    sku: String
    package: String
    dimensions: ProductDimension
    createdBy: User @provides(fields: "totalProductsCreated")
  }
  type DeprecatedProduct @key(fields: "sku package") { sku: String! package: String! reason: String createdBy: User }
  type ProductDimension @shareable { size: String weight: Float unit: String @inaccessible }
  extend type User @key(fields: "email") {
    averageProductsCreatedPerYear: Int @requires(fields: "totalProductsCreated yearsOfEmployment")
    email: ID! @external
    name: String @override(from: "users")
    totalProductsCreated: Int @external
    yearsOfEmployment: Int! @external
  }
  type Inventory @interfaceObject @key(fields: "id") { id: ID! deprecatedProducts: [DeprecatedProduct!]! }
`;

const product = {
  id: 'p1',
  sku: 'federation',
  package: '@apollo/federation',
  dimensions: { size: 'small', weight: 1, unit: 'kg' },
  createdBy: { email: 'a@x.test', totalProductsCreated: 1337 },
};
const deprecated = {
  sku: 'apollo-federation-v1',
  package: '@apollo/federation-v1',
  reason: 'Migrate',
  createdBy: { email: 'a@x.test' },
};

const products = createHandler(
  subgraph({
    typeDefs: productsText,
    routerSecret,
    nodeEnv: 'production',
    resolvers: {
      Query: { product: () => product },
      Product: {
        __resolveReference: ({ id, sku, package: name }) =>
          id === product.id || (sku === product.sku && name === product.package) ? product : null,
      },
      DeprecatedProduct: { __resolveReferences: (references) => references.map(({ sku }) => (sku === deprecated.sku ? deprecated : null)) },
      User: {
        __resolveReference: (reference) => ({ name: 'Jane Smith', ...reference }),
        averageProductsCreatedPerYear: ({ totalProductsCreated, yearsOfEmployment }) =>
          Math.round(totalProductsCreated / yearsOfEmployment),
      },
      Inventory: { deprecatedProducts: () => [deprecated] },
    },
  }),
);

const users = createHandler(
  subgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])
      type Query { user: User }
      type User @key(fields: "email") { email: ID! name: String totalProductsCreated: Int @shareable yearsOfEmployment: Int! }
    `,
    routerSecret,
    nodeEnv: 'production',
    resolvers: {
      Query: { user: () => ({ email: 'a@x.test', name: 'never seen', totalProductsCreated: 1337, yearsOfEmployment: 10 }) },
      User: {
        __resolveReferences: async (references) =>
          references.map(({ email }) => ({ email, totalProductsCreated: 1337, yearsOfEmployment: 10 })),
      },
    },
  }),
);

const inventory = new ApolloServer({
  ...subgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@external", "@key", "@requires", "@shareable"])
      type Query { inventories: [Inventory] }
      interface Inventory @key(fields: "id") { id: ID! }
      type Store implements Inventory @key(fields: "id") { id: ID! city: String }
      type Product @key(fields: "id") {
        id: ID!
        dimensions: ProductDimension @external
        delivery(zip: String): String @requires(fields: "dimensions { size weight }")
      }
      type ProductDimension @shareable { size: String weight: Float }
    `,
    resolvers: {
      Query: { inventories: () => [{ __typename: 'Store', id: 's1', city: 'Bath' }] },
      Inventory: { __resolveType: () => 'Store' },
      Store: { __resolveReference: ({ id }) => ({ id, city: 'Bath' }) },
      Product: { delivery: ({ id, dimensions: { size, weight } }, { zip }) => `${id} of ${weight} kg, ${size}, to ${zip}` },
    },
  }),
  nodeEnv: 'production',
  csrfPrevention: true,
}).createHandler<any, any>();

interface GraphQLRequest {
  readonly query: string;
  readonly variables?: unknown;
}

export type Subgraph = 'products' | 'users' | 'inventory';

/** Sends an operation as the router does. */
export async function ask(name: Subgraph, body: GraphQLRequest): Promise<any> {
  const headers = { 'content-type': 'application/json', 'x-router-secret': secret };
  const text = JSON.stringify(body);
  if (name !== 'inventory')
    return (await (name === 'products' ? products : users)(new Request('https://x.test/', { method: 'POST', headers, body: text }))).json();
  const event = httpAPIEvent({ method: 'POST', path: '/', query: '', headers: Object.entries(headers), body: text });
  return JSON.parse((await inventory(event, {} as never, () => {})).body as string);
}
