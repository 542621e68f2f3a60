import { GraphQLError } from 'graphql';

/** True for a GraphQLError of any copy of the graphql package. */
export function isGraphQLError(thrown: unknown): thrown is GraphQLError {
  if (thrown instanceof GraphQLError) return true;
  // A subclass may have another name, but only a GraphQLError has positions.
  if (!(thrown instanceof Error) || !('extensions' in thrown) || !(thrown.name === 'GraphQLError' || 'positions' in thrown)) return false;
  return typeof thrown.extensions === 'object' && thrown.extensions !== null;
}
