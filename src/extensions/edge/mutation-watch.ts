import type { ObservedCall } from '../../executor/index.ts';
import { ResolverHints } from './resolver-hints.ts';

/** Observes which root fields of a mutation are called, because a field that is not called changes nothing. */
export class MutationWatch extends ResolverHints {
  /** The response names of the root fields that were called. */
  readonly called: Set<string | number> = new Set();

  field({ path: { prev, key } }: ObservedCall, resolve: () => unknown): unknown {
    if (prev === undefined) this.called.add(key);
    return resolve();
  }
}
