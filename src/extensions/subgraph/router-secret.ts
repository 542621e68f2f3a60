import { GraphQLError } from 'graphql';

import { aFunction, assertEntries, assertSynchronous, describe } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';

/** A secret that only the router knows. */
export interface RouterSecret {
  /** The name of the header field that has the secret. Default: x-router-secret. */
  readonly header?: string;
  /**
   * Returns the secrets that are accepted: several while one replaces another. Called for every request. An empty list, or one with an
   * empty secret, is an error at start.
   */
  readonly secrets: () => readonly string[];
}

/** Throws an Error that says what to write if the option is wrong, or if there is no secret. */
export function assertRouterSecret(option: RouterSecret): void {
  const { secrets } = option ?? {};
  if (typeof secrets !== 'function')
    throw new TypeError(`Expected routerSecret.secrets to be a function that returns a list of secrets, got ${describe(secrets)}.`);
  assertEntries('routerSecret.', option, { header: fieldName, secrets: aFunction }, 'subgraph');
  const list: unknown = assertSynchronous(secrets(), 'routerSecret.secrets');
  if (Array.isArray(list) && list.length > 0 && list.every((secret) => typeof secret === 'string' && secret !== '')) return;
  // The message does not contain the secrets, because it is logged.
  throw new TypeError(
    `Expected routerSecret.secrets to return secrets that are not empty, such as [process.env.ROUTER_SECRET], got ${describe(Array.isArray(list) ? list : typeof list)}. Is the variable set?`,
  );
}

const fieldName: Expectation = {
  words: 'the name of a header field',
  holds: (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
};

/** Throws a GraphQLError with the code UNAUTHENTICATED unless the header fields have one of the secrets. */
export function assertRouter({ header = 'x-router-secret', secrets }: RouterSecret, headers: { get(name: string): string | null }): void {
  const given = headers.get(header) ?? '';
  let isRouter = false;
  // Every secret is compared, so that the time does not reveal which one is similar.
  for (const secret of assertSynchronous(secrets(), 'routerSecret.secrets')) if (isEqual(given, secret)) isRouter = true;
  if (isRouter) return;
  const message = `Expected the secret of the router in the header ${header.toLowerCase()}.`;
  throw new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } });
}

/** Takes as long for every text of the same length. Not by node:crypto, which takes a cold start 4 ms. */
function isEqual(given: string, secret: string): boolean {
  if (typeof secret !== 'string' || secret === '') return false;
  let difference = given.length ^ secret.length;
  for (let at = 0; at < given.length; at++) difference |= given.charCodeAt(at) ^ secret.charCodeAt(at % secret.length);
  return difference === 0;
}
