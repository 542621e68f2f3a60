import { GraphQLError } from 'graphql';

import { bearerChallenge, describe } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import type { AuthorizationOptions } from './options.ts';
import type { Rules } from './rules.ts';

type Logger = Parameters<RightsFact['callerOf']>[1];

/** Returns the error of a caller who does not meet all rules. `sort`: puts rules in the order in which policies are asked. Rejects if `claims` fails. */
export type Caller = (rules: readonly RightsRule[], { sort }: Pick<Rules, 'sort'>) => Promise<GraphQLError | undefined>;

/** Who sends an operation: asks for claims once, and for each policy at most once. */
export function createCaller(options: AuthorizationOptions, context: unknown, logger: Logger): Caller {
  let asked: Promise<ReadonlySet<string> | undefined> | undefined;
  const answers = new Map<string, Promise<boolean> | boolean>();
  const policy = async (name: string): Promise<boolean> => {
    try {
      return ((await options.policies![name]!({ context })) as unknown) === true;
    } catch (error) {
      logger.error(`The policy "${name}" of authorization() failed, which counts as false.`, error);
      return false;
    }
  };
  const isOpen = (all: readonly string[]): boolean => all.every((name) => answers.get(name) !== false);
  return async (rules, { sort }) => {
    if (rules.length === 0) return undefined;
    const held = await (asked ??= claimsOf(options, context));
    const missing = new Set<string>();
    const needed = new Set<string>();
    let isRefused = false;
    for (const { authenticated, scopes } of rules) {
      if (authenticated === true && held === undefined) isRefused = true;
      if (scopes === undefined) continue;
      const lacks = scopes.map((all) => all.filter((scope) => held?.has(scope) !== true));
      const at = lacks.findIndex((one) => lacks.every((other) => one.length <= other.length));
      // Without an alternative, nobody is allowed.
      if (lacks[at]?.length !== 0) isRefused = true;
      for (const scope of lacks[at] ?? []) missing.add(scope);
      for (const scope of scopes[at] ?? []) needed.add(scope);
    }
    const scopes = { missing: [...missing].toSorted(), needed: [...needed].toSorted() };
    if (isRefused) return refusal(held === undefined ? 'UNAUTHENTICATED' : 'FORBIDDEN', scopes);
    const policies = sort(rules.filter((rule) => rule.policies !== undefined)).map((rule) => rule.policies!);
    // One after the other, as long as each rule has an alternative that may be met.
    for (const alternatives of policies)
      while (policies.every((one) => one.some(isOpen))) {
        const name = alternatives.find(isOpen)!.find((one) => answers.get(one) !== true);
        if (name === undefined) break;
        const answer = answers.get(name) ?? policy(name);
        answers.set(name, answer).set(name, await answer);
      }
    return policies.every((one) => one.some(isOpen)) ? undefined : refusal('FORBIDDEN', scopes);
  };
}

/** The caller's claims, undefined for nobody. A failure is not thrown as a GraphQLError, so the answer is a masked 500. */
async function claimsOf(options: AuthorizationOptions, context: unknown): Promise<ReadonlySet<string> | undefined> {
  let given: unknown;
  try {
    given = await options.claims({ context });
  } catch (error) {
    throw new Error('The option claims of authorization() failed. For an invalid token, return undefined.', { cause: error });
  }
  if (given === undefined || given === null) return undefined;
  if (Array.isArray(given) && given.every((one) => typeof one === 'string')) return new Set(given);
  throw new TypeError(`Expected claims of authorization() to return a list of texts, undefined or null, got ${describe(given)}.`);
}

/** An error with a challenge (RFC 6750 section 3). A caller who lacks no scope gets none with 403, because another token would not help. */
function refusal(code: 'UNAUTHENTICATED' | 'FORBIDDEN', scopes: Readonly<Record<'missing' | 'needed', readonly string[]>>): GraphQLError {
  const { missing, needed } = scopes;
  const isForbidden = code === 'FORBIDDEN';
  const challenge = bearerChallenge({ scope: needed.join(' '), error: isForbidden ? 'insufficient_scope' : undefined });
  const headers = isForbidden && missing.length === 0 ? {} : { 'www-authenticate': challenge };
  const message = isForbidden ? 'You may not run this operation.' : 'Sign in to run this operation.';
  const lacked = missing.length === 0 ? '' : ` Missing scopes: ${missing.join(', ')}.`;
  return new GraphQLError(message + lacked, { extensions: { code, ...scopes, http: { headers } } });
}
