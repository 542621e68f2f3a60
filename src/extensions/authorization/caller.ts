import { GraphQLError } from 'graphql';

import { bearerChallenge, describe } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import type { AuthorizationOptions } from './options.ts';
import type { Rules } from './rules.ts';

export type Logger = Parameters<RightsFact['callerOf']>[1];

/** Who sends an operation: asks for claims once, and for each policy at most once. */
export class Caller {
  readonly #options: AuthorizationOptions;
  readonly #context: unknown;
  readonly #logger: Logger;
  #held: Promise<ReadonlySet<string> | undefined> | undefined;
  readonly #answers = new Map<string, Promise<boolean> | boolean>();

  constructor(options: AuthorizationOptions, context: unknown, logger: Logger) {
    this.#options = options;
    this.#context = context;
    this.#logger = logger;
  }

  /** The error of a caller who does not meet all rules. `sort`: puts rules in the order in which policies are asked. Rejects if `claims` fails. */
  async refusalBy(rules: readonly RightsRule[], { sort }: Pick<Rules, 'sort'>): Promise<GraphQLError | undefined> {
    if (rules.length === 0) return undefined;
    const held = await (this.#held ??= this.#claims());
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
    return (await this.#meet(policies)) ? undefined : refusal('FORBIDDEN', scopes);
  }

  /** The caller's claims, undefined for nobody. A failure is not thrown as a GraphQLError, so the answer is a masked 500. */
  async #claims(): Promise<ReadonlySet<string> | undefined> {
    let given: unknown;
    try {
      given = await this.#options.claims({ context: this.#context });
    } catch (error) {
      throw new Error('The option claims of authorization() failed. For an invalid token, return undefined.', { cause: error });
    }
    if (given === undefined || given === null) return undefined;
    if (Array.isArray(given) && given.every((one) => typeof one === 'string')) return new Set(given);
    throw new TypeError(`Expected claims of authorization() to return a list of texts, undefined or null, got ${describe(given)}.`);
  }

  /** Asks policies of rules one after the other, as long as each rule has an alternative that may be met. */
  async #meet(rules: readonly (readonly (readonly string[])[])[]): Promise<boolean> {
    const isOpen = (all: readonly string[]): boolean => all.every((name) => this.#answers.get(name) !== false);
    for (const alternatives of rules)
      while (rules.every((one) => one.some(isOpen))) {
        const name = alternatives.find(isOpen)!.find((one) => this.#answers.get(one) !== true);
        if (name === undefined) break;
        const asked = this.#answers.get(name) ?? this.#policy(name);
        this.#answers.set(name, asked);
        this.#answers.set(name, await asked);
      }
    return rules.every((one) => one.some(isOpen));
  }

  async #policy(name: string): Promise<boolean> {
    try {
      return ((await this.#options.policies![name]!({ context: this.#context })) as unknown) === true;
    } catch (error) {
      this.#logger.error(`The policy "${name}" of authorization() failed, which counts as false.`, error);
      return false;
    }
  }
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
