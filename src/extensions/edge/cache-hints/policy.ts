/** Who may keep an answer. */
export type CacheScope = 'PUBLIC' | 'PRIVATE';

/** The values of {@link CacheScope} by name, as plugins of the version-3 generation read them. */
export const CacheScope: { readonly Public: 'PUBLIC'; readonly Private: 'PRIVATE' } = { Public: 'PUBLIC', Private: 'PRIVATE' };

/** How long a value may be kept, in seconds, and by whom. */
export interface CacheHint {
  /** Seconds for which the value may be kept. 0: not at all. */
  maxAge?: number | undefined;
  /** "PUBLIC": by every store. "PRIVATE": by the client only. Default: "PUBLIC" */
  scope?: CacheScope | undefined;
}

/** The arguments of `@cacheControl` in the schema. */
export interface CacheAnnotation extends CacheHint {
  /** The field has the lifetime of its parent field. */
  inheritMaxAge?: true;
}

/** A hint that can be refined. */
export interface CachePolicy extends CacheHint {
  /** Takes the shorter lifetime and the narrower scope. A malformed hint counts as the strictest. */
  restrict(hint: CacheHint): void;
  /** Takes the given lifetime and scope. A value that is not given stays unchanged. */
  replace(hint: CacheHint): void;
  /** The policy of an answer that may be kept; null when it may not. */
  policyIfCacheable(): { maxAge: number; scope: CacheScope } | null;
}

/** A policy without a lifetime and a scope. */
export function newCachePolicy(): CachePolicy {
  return new Policy();
}

class Policy implements CachePolicy {
  maxAge: number | undefined = undefined;
  scope: CacheScope | undefined = undefined;

  restrict({ maxAge, scope }: CacheHint): void {
    if (maxAge !== undefined) this.maxAge = Math.min(this.maxAge ?? Infinity, Number.isFinite(maxAge) ? maxAge : 0);
    if (scope !== undefined && this.scope !== 'PRIVATE') this.scope = scope === 'PUBLIC' ? scope : 'PRIVATE';
  }

  replace({ maxAge, scope }: CacheHint): void {
    if (maxAge !== undefined) this.maxAge = maxAge;
    if (scope !== undefined) this.scope = scope;
  }

  policyIfCacheable(): { maxAge: number; scope: CacheScope } | null {
    if (this.maxAge === undefined || this.maxAge === 0) return null;
    return { maxAge: this.maxAge, scope: this.scope ?? 'PUBLIC' };
  }
}
