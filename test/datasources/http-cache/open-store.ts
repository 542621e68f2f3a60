import type { KeyValueCache } from '../../../src/datasources/cache/key-value-cache.ts';

/** A store whose entries tests can read, and which never removes entries by itself. */
export class OpenStore implements KeyValueCache {
  readonly entries = new Map<string, string>();
  readonly ttls: (number | null | undefined)[] = [];
  async get(key: string): Promise<string | undefined> {
    return this.entries.get(key);
  }
  async set(key: string, value: string, options?: { ttl?: number | null }): Promise<void> {
    this.entries.set(key, value);
    this.ttls.push(options?.ttl);
  }
  async delete(key: string): Promise<boolean> {
    return this.entries.delete(key);
  }
}
