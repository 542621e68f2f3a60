import { setTimeout } from 'node:timers/promises';

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { batch, byKey, createHandler, DataSource, gql } from 'graphql-functions';

interface Order {
  readonly customer: string;
  readonly number: number;
  readonly product: string;
}

interface Product {
  readonly id: string;
  readonly name: string;
}

// The client reuses its connections.
const database = DynamoDBDocumentClient.from(new DynamoDBClient({}));

class Shop extends DataSource<{ user: string }> {
  /** A page of the user's orders. `after` is the number of the last order of the previous page. */
  async orders(first: number, after: number | null): Promise<Order[]> {
    const { user } = this.context;
    const { Items = [] } = await database.send(
      new QueryCommand({
        TableName: 'orders',
        KeyConditionExpression: 'customer = :user',
        ExpressionAttributeValues: { ':user': user },
        Limit: first,
        ...(after !== null && { ExclusiveStartKey: { customer: user, number: after } }),
      }),
    );
    return Items as Order[];
  }
}

/** Reads up to 100 items, the most that DynamoDB accepts in one request, each key once. Under load, it leaves some of them unprocessed. */
async function readProducts(ids: readonly string[]): Promise<(Product | null)[]> {
  const found: Product[] = [];
  let keys: Record<string, unknown>[] = [...new Set(ids)].map((id) => ({ id }));
  for (let attempt = 0; keys.length > 0; attempt++) {
    if (attempt === 5) throw new Error('DynamoDB left products unread five times.');
    if (attempt > 0) await setTimeout(20 * 2 ** attempt);
    const { Responses, UnprocessedKeys } = await database.send(new BatchGetCommand({ RequestItems: { products: { Keys: keys } } }));
    found.push(...((Responses?.['products'] ?? []) as Product[]));
    keys = UnprocessedKeys?.['products']?.Keys ?? [];
  }
  return byKey(ids, found, 'id');
}

export default createHandler({
  csrfPrevention: true,
  typeDefs: gql`
    type Query {
      orders(first: Int! = 20, after: Int): [Order!]!
    }

    type Order {
      number: Int!
      product: Product
    }

    type Product {
      name: String!
    }
  `,
  context: ({ request }) => ({ user: request.headers.get('x-user') ?? '' }),
  dataSources: () => ({ shop: new Shop() }),
  resolvers: {
    Query: {
      orders: (_, { first, after = null }: { first: number; after?: number | null }, { dataSources }) =>
        dataSources.shop.orders(first, after),
    },
    Order: { product: batch({ maxSize: 100 }, (orders: readonly Order[]) => readProducts(orders.map(({ product }) => product))) },
  },
});
