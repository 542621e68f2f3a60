import { PrefixingKeyValueCache } from '../../datasources/index.ts';
import type { KeyValueCache } from '../../datasources/index.ts';

/** A cache whose failed reads count as misses and are logged. */
export class ErrorsAreMissesCache<T = string> extends PrefixingKeyValueCache<T> {
  readonly #logger: { error(message: unknown): void } | undefined;

  constructor(cache: KeyValueCache<T>, logger?: { error(message: unknown): void }) {
    super(cache, '');
    this.#logger = logger;
  }

  override async get(key: string): Promise<T | undefined> {
    try {
      return await super.get(key);
    } catch (error) {
      this.#logger?.error(error instanceof Error ? error.message : error);
      return undefined;
    }
  }
}
