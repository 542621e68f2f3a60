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
} from '../extensions/stores/index.ts';
