export { idempotency, idempotencyDefinitions, idempotencyKeyOf } from '../extensions/idempotency/index.ts';
export type { IdempotencyOptions } from '../extensions/idempotency/index.ts';
export {
  IdempotencyRecord,
  d1Store,
  durableObjectStore,
  dynamoDBStore,
  memoryStore,
  netlifyBlobsStore,
  postgresStore,
  redisStore,
  storeTable,
} from '../extensions/stores/index.ts';
export type {
  BlobStore,
  BudgetStore,
  Claim,
  ClaimResult,
  D1Client,
  DurableObjectBinding,
  DurableObjectState,
  DynamoDBClient,
  DynamoDBStoreOptions,
  EvaluateScript,
  Finish,
  IdempotencyStore,
  MemoryStoreOptions,
  PostgresClient,
  TableOptions,
  Take,
  TakeResult,
} from '../extensions/stores/index.ts';
export type { ServerPlugin } from '../server/index.ts';
