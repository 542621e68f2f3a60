import { GraphQLError, GraphQLScalarType } from 'graphql';

import { batch } from '../../../src/entries/index.ts';

/** Types that implement every interface and are in the union. */
export const kinds = 40;
export const currencies: readonly string[] = Array.from({ length: 500 }, (_, at) => `CURRENCY_${at}`);
const comparisons = Array.from({ length: 60 }, (_, at) => `field${at}: Compare`).join(' ');
const picks = Array.from({ length: 20 }, (_, at) => `pick${at}: Compare`).join(' ');
const defaults = '{ and: [{ field0: { in: ["a", "b"] } }, { field1: { eq: "c" } }], bounds: {} }';

const noted = `note(text: String, where: Where = ${defaults}, pick: Pick, list: [[[Int!]]], currencies: [Currency!]): String
  later(text: String, where: Where): String`;
const product = `id: ID! price(currency: Currency = CURRENCY_7, at: DateTime): Float
  siblings(first: Int = 3, where: Where = ${defaults}): [Listed!]!
  parent: Listed name: String fails: String! refuses: String stock: Int counted: Int! sold: Int
  ${noted} matrix: [[Float!]!]! related(first: Int = 5): [Thing]`;

/** The schema of a shop as generators make them: filters within filters, oneOf inputs, interfaces of interfaces, pages of edges. */
export const shopTypes: string = `
  scalar DateTime
  scalar Json
  directive @tag(name: String, where: Where) repeatable on QUERY | MUTATION | FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT | FRAGMENT_DEFINITION | VARIABLE_DEFINITION
  interface Node { id: ID! }
  interface Priced implements Node { id: ID! price(currency: Currency = CURRENCY_7, at: DateTime): Float }
  interface Listed implements Node & Priced { id: ID! price(currency: Currency = CURRENCY_7, at: DateTime): Float siblings(first: Int = 3, where: Where = ${defaults}): [Listed!]! parent: Listed refuses: String ${noted} }
  enum Currency { ${currencies.join(' ')} }
  input Compare { eq: String ne: String in: [String!] nin: [String!] like: String = "%" between: [Int!] = [0, 1] }
  input Bounds { lower: Compare = { in: ["x"] } upper: Compare = {} at: DateTime }
  input Where { and: [Where!] or: [Where!] not: Where bounds: Bounds = {} at: DateTime json: Json ${comparisons} }
  input Pick @oneOf { id: ID where: Where list: [Pick!] ${picks} }
  input New { name: String! price: Float! where: Where parent: New many: [New!] currency: Currency! = CURRENCY_1 }
  ${Array.from({ length: kinds }, (_, at) => `type Product${at} implements Listed & Node & Priced { ${product} own${at}: Product${(at + 1) % kinds} }`).join('\n')}
  union Thing = ${Array.from({ length: kinds }, (_, at) => `Product${at}`).join(' | ')}
  type Edge { cursor: String! node: Listed! }
  type Page { edges: [Edge!]! nodes: [Listed!]! total: Int! hasNext: Boolean! }
  type Query {
    node(id: ID!): Node nodes(ids: [ID!]! = ["1", "2"]): [Node]! listed: [Listed!]!
    search(where: Where = ${defaults}, order: [Currency!] = [CURRENCY_1, CURRENCY_2], pick: Pick): [Thing!]!
    page(first: Int = 10, after: String, where: Where): Page! product: Product0 count(ids: [ID!], where: [Where!], json: Json): Int!
    note(text: String, where: Where = ${defaults}, pick: Pick, list: [[[Int!]]], currencies: [Currency!]): String fails: String!
  }
  type Mutation { create(input: New!): Product0 bulk(inputs: [New!]!): [Product0!]! fail: Product0! }
  type Subscription { changes(where: Where): Listed }
`;

const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  parseValue(value) {
    const date = new Date(value as string);
    if (Number.isNaN(date.getTime())) throw new TypeError(`Expected the text of a date and time, got ${String(value)}.`);
    return date;
  },
});

const all = Array.from({ length: 100 }, (_, id) => ({ __typename: `Product${id % kinds}`, id: `${id}`, name: `Product ${id}` }));
const some = (first: number | null | undefined): object[] => all.slice(0, Math.max(0, Math.min(first ?? 10, all.length)));
const note = (_: unknown, { text }: { text?: string }): string => text?.slice(0, 1000) ?? 'note';
const fails = (): never => {
  throw new Error('The warehouse does not answer.');
};
/** One shared error, because creating an error with its stack is the resolver's cost. */
const refusal = new GraphQLError('Not yours.', { extensions: { code: 'FORBIDDEN' } });
const productResolvers = {
  price: () => 9.99,
  siblings: (_: unknown, { first }: { first?: number }) => some(first),
  parent: async () => all[3],
  fails,
  refuses: () => Promise.reject(refusal),
  stock: batch({ maxSize: 7 }, (products) => products.map(() => 3)),
  // The same error for each call, in nullable and non-null fields.
  counted: batch({ maxSize: 7 }, fails),
  sold: batch(async () => fails()),
  note,
  later: async (_: unknown, { text }: { text?: string }) => text?.slice(0, 1000) ?? 'later',
  matrix: () => [[1, 2, 3], [4, 5, 6], [7, 8, 9]], // prettier-ignore
  related: async (_: unknown, { first }: { first?: number }) => some(first),
};

export const shopResolvers = {
  DateTime: dateTime,
  Query: {
    node: () => all[1],
    nodes: () => some(40),
    listed: () => all,
    search: () => some(40),
    page: (_: unknown, { first }: { first?: number }) => ({
      edges: some(first).map((node, cursor) => ({ node, cursor: `c${cursor}` })),
      nodes: some(first),
      total: 100,
      hasNext: true,
    }),
    product: () => all[0],
    count: () => 7,
    note,
    fails,
  },
  Mutation: { create: () => all[0], bulk: () => some(10), fail: fails },
  Subscription: {
    changes: {
      async *subscribe() {
        yield { changes: all[0] };
        yield { changes: all[1] };
      },
    },
  },
  ...Object.fromEntries(
    Array.from({ length: kinds }, (_, at) => [`Product${at}`, { ...productResolvers, [`own${at}`]: () => all[(at + 1) % kinds] }]),
  ),
};
