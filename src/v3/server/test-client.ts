import type { DocumentNode } from 'graphql';

import type { GraphQLRequest, GraphQLResponse } from '../types.ts';
import type { ApolloServerBase } from './apollo-server-base.ts';

type Operation = string | DocumentNode;
type Rest = Omit<GraphQLRequest, 'query'>;

/** The result of `createTestClient`. */
export interface ApolloServerTestClient {
  // Any: tests read the data without types.
  query(operation: Rest & { readonly query: Operation; readonly mutation?: undefined }): Promise<GraphQLResponse & { data?: any }>;
  mutate(operation: Rest & ({ readonly mutation: Operation } | { readonly query: Operation })): Promise<GraphQLResponse & { data?: any }>;
}

/**
 * The client of apollo-server-testing: operations without HTTP. New tests should use `executeOperation`.
 *
 * @example
 * ```ts
 * const { query } = createTestClient(new ApolloServer({ typeDefs, resolvers }));
 * const { data, errors } = await query({ query: '{ hello }' });
 * ```
 */
export function createTestClient(server: Pick<ApolloServerBase, 'executeOperation'>): ApolloServerTestClient {
  const run = ({
    query,
    mutation,
    ...request
  }: Rest & { query?: Operation | undefined; mutation?: Operation | undefined }): Promise<GraphQLResponse> => {
    if ((query === undefined) === (mutation === undefined)) throw new Error('Either `query` or `mutation` must be passed, but not both.');
    return server.executeOperation({ ...request, query: (query ?? mutation)! });
  };
  return { query: run, mutate: run as ApolloServerTestClient['mutate'] };
}
