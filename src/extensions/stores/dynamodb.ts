import { takeFrom } from './bucket.ts';
import type { BudgetStore, Take, TakeResult } from './budget-store.ts';
import type { Claim, ClaimResult, Finish, IdempotencyStore } from './idempotency-store.ts';

type Item = Readonly<Record<string, { readonly S?: string; readonly N?: string; readonly BOOL?: boolean } | undefined>>;

/** The class `DynamoDB` of `@aws-sdk/client-dynamodb`. */
export interface DynamoDBClient {
  putItem(input: any): Promise<unknown>;
  updateItem(input: any): Promise<unknown>;
  deleteItem(input: any): Promise<unknown>;
  getItem(input: any): Promise<{ readonly Item?: any }>;
}

/** Options of {@link dynamoDBStore}. */
export interface DynamoDBStoreOptions {
  readonly client: DynamoDBClient;
  /** The name of the table. Its partition key is `id`, a string, and its attribute for the time to live `expires`. */
  readonly table: string;
}

/**
 * Keeps records and buckets in a table of DynamoDB. A record takes one conditional write for each operation, a bucket a consistent read and
 * a conditional write. DynamoDB has no clock for conditions, so the clock of the function decides. Not for global tables: between regions,
 * the last writer wins.
 *
 * @example
 * dynamoDBStore({ client: new DynamoDB({ maxAttempts: 1 }), table: 'idempotency' })
 */
export function dynamoDBStore({ client, table }: DynamoDBStoreOptions): IdempotencyStore & BudgetStore {
  if (typeof client?.putItem !== 'function')
    throw new TypeError('Expected client of dynamoDBStore to have putItem: use the class DynamoDB of @aws-sdk/client-dynamodb.');
  const read = async (id: string): Promise<Item | undefined> =>
    (await client.getItem({ TableName: table, Key: { id: { S: id } }, ConsistentRead: true })).Item as Item | undefined;
  /** Awaits a conditional write. Resolves to undefined if it took place, and otherwise to the existing item. */
  const unlessRefused = async (id: string, write: Promise<unknown>): Promise<Item | undefined> => {
    try {
      await write;
      return undefined;
    } catch (error) {
      const { name, Item: item } = error as { name?: string; Item?: Item };
      if (name !== 'ConditionalCheckFailedException') throw error;
      // DynamoDB returns the item with the refusal. Some emulators do not.
      return item ?? (await read(id)) ?? {};
    }
  };
  /** Tries again while other operations take from the same bucket. If that happens too often, the operation is refused. */
  const take = async (id: string, given: Take): Promise<TakeResult> => {
    let known = await read(id);
    for (let tries = 0; tries < 5; tries++) {
      const fullAt = known?.['fullAt']?.N;
      const { result, write } = takeFrom(fullAt === undefined ? undefined : Number(fullAt), given, Date.now() * 1000);
      if (write === undefined) return result;
      known = await unlessRefused(id, client.putItem(takeInput({ table, id, fullAt }, write)));
      if (known === undefined) return result;
    }
    return { isTaken: false, untilFull: given.capacity };
  };
  return {
    claim: async (id, claim) => {
      const now = Date.now();
      const old = await unlessRefused(id, client.putItem(claimInput({ table, id, now }, claim)));
      return old === undefined ? { state: 'claimed' } : toResult(old, now);
    },
    finish: async (id, finish) => {
      const now = Date.now();
      const old = await unlessRefused(id, client.updateItem(finishInput({ table, id, now }, finish)));
      return (
        old === undefined || (old['token']?.S === finish.token && old['isFinished'] !== undefined && Number(old['expiresAt']?.N) > now)
      );
    },
    release: async (id, { token }) =>
      (await unlessRefused(id, client.deleteItem(ofClaim({ table, id, now: Date.now() }, token)))) === undefined,
    take,
  };
}

interface Place {
  readonly table: string;
  readonly id: string;
  readonly now: number;
}

function claimInput({ table, id, now }: Place, { token, fingerprint, lease, keep, again }: Claim): object {
  const takeover = again ? ' OR (leaseEnds <= :now AND fingerprint = :fingerprint)' : '';
  return {
    TableName: table,
    Item: {
      id: { S: id },
      token: { S: token },
      fingerprint: { S: fingerprint },
      leaseEnds: { N: time(now + lease) },
      ...expiry(now + keep, ''),
    },
    ConditionExpression: `attribute_not_exists(id) OR expiresAt <= :now OR (attribute_not_exists(isFinished) AND (#token = :token${takeover}))`,
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':now': { N: time(now) }, ':token': { S: token }, ...(again && { ':fingerprint': { S: fingerprint } }) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function finishInput(place: Place, { token, answer, keep }: Finish): object {
  const input = ofClaim(place, token);
  const kept = answer !== undefined && { ':answer': { S: answer } };
  return {
    ...input,
    UpdateExpression: `SET isFinished = :true, expiresAt = :expiresAt, expires = :expires${kept ? ', answer = :answer' : ''}`,
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':true': { BOOL: true }, ...expiry(place.now + keep, ':'), ...kept },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Writes only to the claim with this token. */
function ofClaim({ table, id, now }: Place, token: string): { readonly ExpressionAttributeValues: object } {
  return {
    TableName: table,
    Key: { id: { S: id } },
    ConditionExpression: '#token = :token AND expiresAt > :now AND attribute_not_exists(isFinished)',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':token': { S: token }, ':now': { N: time(now) } },
  } as { readonly ExpressionAttributeValues: object };
}

interface BucketPlace {
  readonly table: string;
  readonly id: string;
  /** The time that was read. Undefined: there was no item. */
  readonly fullAt: string | undefined;
}

/** Writes only if no other operation has written since. */
function takeInput({ table, id, fullAt }: BucketPlace, write: number): object {
  return {
    TableName: table,
    Item: { id: { S: id }, fullAt: { N: String(write) }, expires: { N: time(write / 1_000_000) } },
    ...(fullAt === undefined
      ? { ConditionExpression: 'attribute_not_exists(id)' }
      : { ConditionExpression: 'fullAt = :old', ExpressionAttributeValues: { ':old': { N: fullAt } } }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** The end of a record in milliseconds; and in seconds for DynamoDB's time to live, which removes it up to days later. */
function expiry(end: number, prefix: '' | ':'): object {
  return { [`${prefix}expiresAt`]: { N: time(end) }, [`${prefix}expires`]: { N: time(end / 1000) } };
}

function time(milliseconds: number): string {
  return String(Math.ceil(milliseconds));
}

function toResult(item: Item, now: number): ClaimResult {
  const fingerprint = item['fingerprint']?.S;
  if (fingerprint === undefined) throw new Error('DynamoDB refused a claim, but did not return the item that was there.');
  if (item['isFinished'] !== undefined) return { state: 'finished', fingerprint, answer: item['answer']?.S };
  const left = Number(item['leaseEnds']?.N) - now;
  return left > 0 ? { state: 'running', fingerprint, left } : { state: 'abandoned', fingerprint };
}
