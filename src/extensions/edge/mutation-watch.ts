import type { ObservedCall } from '../../executor/index.ts';
import { ResolverHints } from './resolver-hints.ts';

/** Observes which root fields of a mutation are called, because a field that is not called changes nothing. */
export class MutationWatch extends ResolverHints {
  readonly #called = new Set<string | number>();

  /** Whether the root field of this response name was called. */
  hasRun(key: string): boolean {
    return this.#called.has(key);
  }

  field({ path: { prev, key } }: ObservedCall, resolve: () => unknown): unknown {
    if (prev === undefined) this.#called.add(key);
    return resolve();
  }
}
