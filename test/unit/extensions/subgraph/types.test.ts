import { it } from 'node:test';

import { createHandler } from '../../../../src/entries/aws-lambda.ts';
import { createHandler as createUniversalHandler, DataSource } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { ApolloServer } from '../../../../src/entries/v3.ts';
import type { LambdaContextFunctionParams } from '../../../../src/entries/v3.ts';

class Books extends DataSource<{ user: string }> {
  book(id: string): string {
    return id;
  }
}

const typeDefs = 'type Query { a: String } type B { a: String }';

it('resolvers and reference resolvers know the context, the data sources and the event of the entry', () => {
  createHandler(
    subgraph({
      typeDefs,
      context: ({ event, request }) => ({ user: request.path, isBase64: event.isBase64Encoded }),
      dataSources: () => ({ books: new Books() }),
      resolvers: {
        Query: { a: (_parent, _args, context) => context.dataSources.books.book(context.user) },
        B: {
          __resolveReference: ({ id }, context) => {
            // @ts-expect-error -- a method that does not exist
            void context.dataSources.books.nothing;
            return { id, user: context.user.trim() };
          },
        },
      },
    }),
  );
  createUniversalHandler(
    subgraph({
      typeDefs,
      context: async ({ request }) => ({ user: request.path }),
      resolvers: {
        B: {
          // @ts-expect-error -- the context has no number
          __resolveReferences: (references, context) => references.map((reference) => [reference, context.count]),
        },
      },
    }),
  );
});

it('takes the options of version 3', () => {
  void new ApolloServer(subgraph({ typeDefs, resolvers: { B: { __resolveReference: () => null } } }));
  void new ApolloServer(subgraph({ typeDefs, context: ({ express }: LambdaContextFunctionParams) => ({ user: express.req.url }) }));
});
