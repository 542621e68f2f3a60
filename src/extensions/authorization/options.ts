import { aFunction, assertEntries, isRecord } from '../../shared/index.ts';
import type { Expectation, PromiseOrValue } from '../../shared/index.ts';

/** The argument of `claims` and of policies. */
export interface RightsArgument<TContext = any> {
  /** The third argument of resolvers: the return value of `context`, with `dataSources`. */
  readonly context: TContext;
}

/** Options of {@link authorization}. */
export interface AuthorizationOptions<TContext = any> {
  /**
   * Returns the scopes of the caller, or undefined or null for nobody. Called at most once for each operation, and not for one that needs
   * nothing. Anything else, such as a text of scopes, and an error fail the operation with a masked 500.
   */
  claims(argument: RightsArgument<TContext>): PromiseOrValue<readonly string[] | null | undefined>;
  /**
   * The policies that `@policy` may name. Only `true` allows. Each is called at most once for each operation, after the scopes, and only
   * while the operation can still be allowed. An error is logged, and counts as false. Default: no policies
   */
  readonly policies?: Readonly<Record<string, (argument: RightsArgument<TContext>) => PromiseOrValue<boolean>>> | undefined;
}

const expectations: Readonly<Record<keyof AuthorizationOptions, Expectation>> = {
  claims: { ...aFunction, isRequired: true },
  policies: { words: 'an object with functions by the names of policies', holds: isRecord, each: { ...aFunction, isRequired: true } },
};

/** Throws for options that would not do what they say. */
export function assertAuthorizationOptions(options: AuthorizationOptions): void {
  assertEntries('', options, expectations, 'authorization');
}
