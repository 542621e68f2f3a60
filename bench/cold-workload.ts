import { runInThisContext } from 'node:vm';

import { buildSchema, isObjectType } from 'graphql';

import { generateSchema } from '../test/support/schema-generator.ts';
import { browserHeaders, createEvent } from './event.ts';
import type { Workload } from './workloads.ts';

/** The schema and the request of a cold process. */
export interface ColdWorkload extends Workload {
  /** The code of `resolvers` in the user's module, which is part of the bundle. */
  readonly resolversCode: string;
  /** The one event. */
  readonly event: object;
}

/**
 * A schema of so many types with a resolver map in proportion: 8,200 resolvers for 3,000 types, 1.2 MB of text and 570 KB
 * of code; with one request of a browser, for 50 objects. `short`: ten types in 1.5 KB of text instead of 4.9.
 */
export function coldWorkload(types: number, sdl: 'short' | 'long' = 'long'): ColdWorkload {
  const typeDefs = sdl === 'short' ? shortSchema : schemaOf(types);
  const resolversCode = resolversOf(typeDefs);
  const body = JSON.stringify({ query: operation, operationName: 'Products', variables: { first: 50, order: 'NAME', details: true } });
  return {
    name: `${types} types`,
    typeDefs,
    resolversCode,
    // The same code as in the bundles.
    resolvers: runInThisContext(`(${resolversCode})`) as ColdWorkload['resolvers'],
    body: () => body,
    event: createEvent(body, browserHeaders),
  };
}

const operation = `query Products($first: Int!, $order: Order, $details: Boolean!) {
  products(first: $first, order: $order) { id name price ...Details @include(if: $details) seller { id name } }
}
fragment Details on Product { description stock tags }`;

const shortSchema = `
type Query {
  products(first: Int = 20, order: Order): [Product!]!
  product(id: ID!): Product
  sellers(first: Int): [Seller!]!
  customer(id: ID!): Customer
  invoices(customer: ID!, status: Status): [Invoice!]!
  search(text: String!): [Product!]!
}
type Mutation {
  addToCart(product: ID!, count: Int = 1): Cart
  checkOut(cart: ID!, address: AddressInput!): Invoice
  review(product: ID!, review: ReviewInput!): Review
}
enum Order { NAME PRICE }
enum Status { OPEN PAID SENT RETURNED }
type Product { id: ID! name: String! price: Float description: String stock: Int tags: [String!] seller: Seller }
type Seller { id: ID! name: String! }
type Review { id: ID! product: Product! author: Customer stars: Int! title: String text: String createdAt: String! helpful: Int }
type Customer { id: ID! name: String! email: String phone: String address: Address cart: Cart invoices(first: Int): [Invoice!]! }
type Address { id: ID! street: String! number: String city: String! postalCode: String! country: String! }
type Cart { id: ID! customer: Customer! lines: [Line!]! total: Float! currency: String! updatedAt: String }
type Line { id: ID! product: Product! count: Int! price: Float! }
type Invoice { id: ID! customer: Customer! lines: [Line!]! status: Status! total: Float! dueAt: String paidAt: String }
input AddressInput { street: String! number: String city: String! postalCode: String! country: String! }
input ReviewInput { stars: Int! title: String text: String }
`;

/** The generated types, including those that the operation selects. */
function schemaOf(types: number): string {
  const generated = generateSchema({ types, described: 0.05 });
  const asked = `enum Order { NAME PRICE }
"What the shop sells."
type Product { id: ID! name: String! price: Float description: String stock: Int tags: [String!] seller: Seller }
type Seller { id: ID! name: String! }`;
  return `${generated.replace('type Query {', 'type Query {\n  products(first: Int = 20, order: Order): [Product!]!')}\n\n${asked}\n`;
}

const askedResolvers: Readonly<Record<string, string>> = {
  'Query.products':
    "(_, { first }) => Array.from({ length: first }, (_, at) => ({ id: 'p' + at, name: 'Product ' + at, cents: at * 100, stock: at, tags: ['a', 'b'], sellerId: at % 5 }))",
  'Product.price': 'async ({ cents }) => cents / 100',
  'Product.description': "function ({ name }) { return name + ', as good as new'; }",
  'Product.seller': "async ({ sellerId }) => ({ id: 's' + sellerId, name: 'Seller ' + sellerId })",
};

/** Every root field has one, and every third field of the other objects: arrow functions, methods and ordinary functions in turn. */
function resolversOf(typeDefs: string): string {
  const maps = Object.values(buildSchema(typeDefs, { assumeValid: true }).getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || type.name.startsWith('__')) return [];
    const isRoot = type.name === 'Query' || type.name === 'Mutation';
    const named = Object.keys(type.getFields()).flatMap((field, at) => {
      const asked = askedResolvers[`${type.name}.${field}`];
      const isAsked = type.name === 'Product' || type.name === 'Seller';
      if (asked === undefined && (isAsked || (!isRoot && at % 3 !== 0))) return [];
      return [`    ${asked === undefined ? resolverOf(field, at) : `${field}: ${asked}`},`];
    });
    return named.length === 0 ? [] : [`  ${type.name}: {\n${named.join('\n')}\n  },`];
  });
  return `{\n${maps.join('\n')}\n}`;
}

function resolverOf(field: string, at: number): string {
  const call = `api.${field}(parent, args)`;
  if (at % 3 === 0) return `${field}: (parent, args, { api }) => ${call}`;
  return at % 3 === 1
    ? `${field}(parent, args, { api }) { return ${call}; }`
    : `${field}: function (parent, args, { api }) { return ${call}; }`;
}
