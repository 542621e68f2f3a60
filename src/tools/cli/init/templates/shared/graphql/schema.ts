export const typeDefs = /* GraphQL */ `
  type Query {
    books(first: Int): [Book!]!
    book(id: ID!): Book
  }

  type Book {
    id: ID!
    title: String!
    year: Int!
  }
`;
