import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** A KeyValueCache over Redis commands by HTTP, as Upstash accepts them: a POST with the command as JSON. */
export class HTTPRedisCache implements KeyValueCache {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async get(key: string): Promise<string | undefined> {
    return ((await this.#command('GET', key)) as string | null) ?? undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expiry = options?.ttl ? ['EX', String(Math.ceil(options.ttl))] : [];
    await this.#command('SET', key, value, ...expiry);
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#command('DEL', key)) === 1;
  }

  async #command(...command: string[]): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.#url, { method: 'POST', headers, body: JSON.stringify(command) });
    if (!response.ok) throw new Error(`The store answered ${response.status} to ${command[0]}`);
    return ((await response.json()) as { result: unknown }).result;
  }
}
