import type { ErrorHandling } from '../../executor/index.ts';

/**
 * What an error does to the response, as a client chooses with `onError`. Experimental: the names are those of the proposal for the
 * GraphQL specification (graphql/graphql-spec#1163).
 *
 * - `NULL`: the position of the error is null, even if its type is non-null
 * - `PROPAGATE`: the nearest nullable position above is null. The default
 * - `HALT`: the execution ends with the first error, and `data` is null
 */
export type ErrorBehavior = 'NULL' | 'PROPAGATE' | 'HALT';

/** How the executor handles errors, for each value of `onError`. */
export const errorHandling: Readonly<Record<ErrorBehavior, ErrorHandling>> = {
  NULL: { propagates: false },
  PROPAGATE: { propagates: true },
  HALT: { halts: true },
};

/** All values of `onError`. */
export const errorBehaviors = Object.keys(errorHandling) as readonly ErrorBehavior[];

/** How the executor handles errors of requests without `onError`. Undefined: they propagate. */
export function defaultErrorHandling(partial: 'PROPAGATE' | 'NULL' | undefined): ErrorHandling | undefined {
  return partial === 'NULL' ? { keepsFinished: true } : undefined;
}
