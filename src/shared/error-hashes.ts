import type { GraphQLError } from 'graphql';

import { isGraphQLError } from './is-graphql-error.ts';
import { isObjectLike } from './plain-object.ts';

/** Returns the thrown value, without the GraphQLErrors around it. */
export function rootCause(error: GraphQLError): unknown {
  const original = error.originalError;
  if (original === undefined || original === null || original === error) return error;
  return isGraphQLError(original) ? rootCause(original) : original;
}

/** The hashes of causes that have been answered. */
const hashes = new WeakMap<object, string>();

export function rememberErrorHash(cause: unknown, hash: string): void {
  if (isObjectLike(cause)) hashes.set(cause, hash);
}

/** The `errorHash` of an unexpected error that has been answered. */
export function errorHashOf(error: GraphQLError): string | undefined {
  return hashes.get(rootCause(error) as object);
}
