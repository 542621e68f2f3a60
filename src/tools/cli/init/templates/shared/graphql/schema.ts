export const typeDefs = /* GraphQL */ `
  type Query {
    books: [Book!]!
    book(id: ID!): Book
  }

  type Book {
    id: ID!
    title: String!
    year: Int!
  }
`;
