import { createError } from './errors.ts';
import type { GraphQLRequest } from './graphql-request.ts';

/** The document text of a request: sent along, or known by a hash. */
export function resolveSource(request: GraphQLRequest): string {
  if (request.query !== undefined) return request.query;
  if (request.extensions?.['persistedQuery'] !== undefined) {
    throw createError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  }
  throw createError('BAD_REQUEST', 'Expected "query" to be the text of a GraphQL document, but it is missing.');
}
