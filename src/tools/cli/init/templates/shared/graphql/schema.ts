export const typeDefs = /* GraphQL */ `
  type Query {
    books(first: Int, genre: Genre, since: Date): [Book!]!
    book(id: ID!): Book
  }

  type Book {
    id: ID!
    title: String!
    genre: Genre!
    published: Date!
  }

  enum Genre {
    NOVEL
    HORROR
  }

  scalar Date
`;
