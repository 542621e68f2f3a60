import type { KeyValueCache } from '../../../src/entries/index.ts';

/** A store in memory that several servers share. Each call first awaits `turn`. Default: a resolved promise */
export class MapCache implements KeyValueCache {
  readonly #entries = new Map<string, string>();
  readonly #turn: () => Promise<void>;
  calls = 0;

  constructor(turn: () => Promise<void> = () => Promise.resolve()) {
    this.#turn = turn;
  }

  async get(key: string): Promise<string | undefined> {
    this.calls++;
    await this.#turn();
    return this.#entries.get(key);
  }

  async set(key: string, value: string): Promise<void> {
    this.calls++;
    await this.#turn();
    this.#entries.set(key, value);
  }

  async delete(key: string): Promise<void> {
    await this.#turn();
    this.#entries.delete(key);
  }

  /** Returns the keys of edge's entries of this kind. */
  keysOf(kind: string): string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(`edge:${kind}`));
  }
}
