import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** The methods of `DynamoDBDocument` of @aws-sdk/lib-dynamodb that this class uses. */
export interface DocumentTable {
  get(input: { TableName: string; Key: { key: string } }): Promise<{ Item?: Record<string, unknown> }>;
  put(input: { TableName: string; Item: Record<string, unknown> }): Promise<unknown>;
  delete(input: { TableName: string; Key: { key: string } }): Promise<unknown>;
}

/**
 * A KeyValueCache in a DynamoDB table with the partition key `key`, and `expires` as its time-to-live attribute.
 * DynamoDB removes expired items hours late, so `get` checks the time too.
 */
export class DynamoDBCache implements KeyValueCache {
  readonly #table: DocumentTable;
  readonly #name: string;

  constructor(table: DocumentTable, name: string) {
    this.#table = table;
    this.#name = name;
  }

  async get(key: string): Promise<string | undefined> {
    const { Item: item } = await this.#table.get({ TableName: this.#name, Key: { key } });
    const isLive = item !== undefined && (item['expires'] === undefined || Date.now() / 1000 < Number(item['expires']));
    return isLive ? String(item['value']) : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? { expires: Math.ceil(Date.now() / 1000 + options.ttl) } : {};
    await this.#table.put({ TableName: this.#name, Item: { key, value, ...expires } });
  }

  async delete(key: string): Promise<void> {
    await this.#table.delete({ TableName: this.#name, Key: { key } });
  }
}
