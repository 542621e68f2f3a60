/** The server of the site's playground. It runs in the page: requests to the page's own address never leave the browser. */
import { GraphQLError } from 'graphql';
import { createHandler } from 'graphql-functions/fetch';

import { authors } from '../functions/catalogue-data/authors.ts';
import { books } from '../functions/catalogue-data/books.ts';
import { reviews as firstReviews } from '../functions/catalogue-data/reviews.ts';

const reviews = [...firstReviews];

const { fetch: answer } = createHandler({
  csrfPrevention: true,
  introspection: true,
  typeDefs: `
    type Query {
      "All books, or those of one author."
      books(author: ID): [Book!]!
      book(id: ID!): Book
      authors: [Author!]!
    }

    type Mutation {
      "Added in this browser tab only."
      addReview(book: ID!, stars: Int!, text: String!): Review!
    }

    type Subscription {
      "Counts down to 0, once a second."
      countdown(from: Int! = 5): Int!
    }

    type Book {
      id: ID!
      title: String!
      year: Int!
      author: Author!
      reviews: [Review!]!
    }

    type Author {
      id: ID!
      name: String!
      born: Int!
      died: Int
      books: [Book!]!
    }

    type Review {
      id: ID!
      stars: Int!
      text: String!
      by: String!
    }
  `,
  resolvers: {
    Query: {
      books: (_, { author }) => books.filter((book) => author === undefined || author === null || book.author === author),
      book: (_, { id }) => books.find((book) => book.id === id),
      authors: () => authors,
    },
    Mutation: {
      addReview(_, { book, stars, text }) {
        if (stars < 1 || stars > 5) throw new GraphQLError('Expected stars from 1 to 5.', { extensions: { code: 'BAD_USER_INPUT' } });
        if (!books.some(({ id }) => id === book))
          throw new GraphQLError(`There is no book "${book}".`, { extensions: { code: 'NOT_FOUND' } });
        const review = { id: `r${reviews.length + 1}`, book, stars, text, by: 'you' };
        reviews.push(review);
        return review;
      },
    },
    Subscription: {
      countdown: {
        async *subscribe(_: unknown, { from }: { from: number }) {
          for (let countdown = Math.min(from, 60); countdown >= 0; countdown--) {
            yield { countdown };
            await new Promise((resolve) => setTimeout(resolve, 1000));
          }
        },
      },
    },
    Book: {
      author: (book) => authors.find(({ id }) => id === book.author),
      reviews: (book) => reviews.filter((review) => review.book === book.id),
    },
    Author: { books: (author) => books.filter((book) => book.author === author.id) },
  },
});

const network = globalThis.fetch;
const endpoint = location.origin + location.pathname;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  return request.url === endpoint ? answer(request) : network(request);
};
