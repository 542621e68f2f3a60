export const typeDefs = /* GraphQL */ `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

  type Query {
    books(first: Int): [Book!]!
  }

  type Book @key(fields: "id") {
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
