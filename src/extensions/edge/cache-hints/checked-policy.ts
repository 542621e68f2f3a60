import type { CacheHint, CachePolicy, CacheScope } from './policy.ts';

/** A policy that throws for a malformed hint: a misspelt scope must not count as a public one. */
export class CheckedPolicy implements CachePolicy {
  readonly #policy: CachePolicy;

  constructor(policy: CachePolicy) {
    this.#policy = policy;
  }

  get maxAge(): number | undefined {
    return this.#policy.maxAge;
  }

  set maxAge(maxAge: number | undefined) {
    assertHint({ maxAge });
    this.#policy.maxAge = maxAge;
  }

  get scope(): CacheScope | undefined {
    return this.#policy.scope;
  }

  set scope(scope: CacheScope | undefined) {
    assertHint({ scope });
    this.#policy.scope = scope;
  }

  restrict(hint: CacheHint): void {
    assertHint(hint);
    this.#policy.restrict(hint);
  }

  replace(hint: CacheHint): void {
    assertHint(hint);
    this.#policy.replace(hint);
  }

  policyIfCacheable(): { maxAge: number; scope: CacheScope } | null {
    return this.#policy.policyIfCacheable();
  }
}

function assertHint({ maxAge, scope }: CacheHint): void {
  if (maxAge !== undefined && !(typeof maxAge === 'number' && Number.isFinite(maxAge) && maxAge >= 0))
    throw new TypeError(`Expected maxAge of a cache hint to be a number of seconds, 0 or more, got ${String(maxAge)}.`);
  if (scope !== undefined && scope !== 'PUBLIC' && scope !== 'PRIVATE')
    throw new TypeError(`Expected scope of a cache hint to be "PUBLIC" or "PRIVATE", got ${String(scope)}.`);
}
