import type { ObservedCall } from '../../executor/index.ts';
import { ResolverHints } from './resolver-hints.ts';
import { isRefusal } from './tags.ts';

/** Observes which root fields of a mutation are called, because a field that is not called changes nothing. */
export class MutationWatch extends ResolverHints {
  /** The response names of fields that were called, and of fields that were refused. */
  readonly #called = new Set<string | number>();
  readonly #refused = new Set<string | number>();

  /** Whether a root field was called, and not refused. */
  hasRun(key: string): boolean {
    return this.#called.has(key) && !this.#refused.has(key);
  }

  field({ path: { prev, key } }: ObservedCall, resolve: () => unknown): unknown {
    if (prev !== undefined) return resolve();
    const fail = (error: unknown): void => void (isRefusal(error) && this.#refused.add(key));
    this.#called.add(key);
    try {
      const result = resolve();
      if (result instanceof Promise) result.catch(fail);
      return result;
    } catch (error) {
      fail(error);
      throw error;
    }
  }
}
