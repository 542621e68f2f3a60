import type { BudgetStore } from './budget-store.ts';
import { conditionalStore } from './conditional-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** The class `DynamoDB` of `@aws-sdk/client-dynamodb`. */
export interface DynamoDBClient {
  putItem(input: any): Promise<unknown>;
  getItem(input: any): Promise<{ readonly Item?: any }>;
}

/** Options of {@link dynamoDBStore}. */
export interface DynamoDBStoreOptions {
  readonly client: DynamoDBClient;
  /** The name of the table. Its partition key is `id`, a string, and its attribute for the time to live `expires`. */
  readonly table: string;
}

/**
 * Keeps records and buckets in a table of DynamoDB: a consistent read and a conditional write for each operation. DynamoDB has no clock for
 * conditions, so the clock of the function decides. Not for global tables: between regions, the last writer wins.
 *
 * @example
 * dynamoDBStore({ client: new DynamoDB({ maxAttempts: 1 }), table: 'idempotency' })
 */
export function dynamoDBStore({ client, table }: DynamoDBStoreOptions): IdempotencyStore & BudgetStore {
  if (typeof client?.putItem !== 'function')
    throw new TypeError('Expected client of dynamoDBStore to have putItem: use the class DynamoDB of @aws-sdk/client-dynamodb.');
  return conditionalStore({
    read: async (id) => {
      const { Item: item } = await client.getItem({ TableName: table, Key: { id: { S: id } }, ConsistentRead: true });
      const value = (item as { readonly value: { readonly S: string } } | undefined)?.value.S;
      return { value, version: value, now: Date.now() };
    },
    write: async (id, { value, version, expires }) => {
      const condition = version === undefined ? isNew : { ...isSame, ExpressionAttributeValues: { ':version': { S: version } } };
      try {
        // DynamoDB removes items up to days after their time, which is in seconds.
        const item = { id: { S: id }, value: { S: value }, expires: { N: String(Math.ceil(expires / 1000)) } };
        await client.putItem({ TableName: table, Item: item, ...condition });
        return true;
      } catch (error) {
        if ((error as Error).name === 'ConditionalCheckFailedException') return false;
        throw error;
      }
    },
  });
}

const isNew = { ConditionExpression: 'attribute_not_exists(id)' };
const isSame = { ConditionExpression: '#value = :version', ExpressionAttributeNames: { '#value': 'value' } };
