export { budget } from '../extensions/budget/index.ts';
export type { BudgetOptions, Plan } from '../extensions/budget/index.ts';
export {
  BudgetBucket,
  d1Store,
  durableObjectStore,
  dynamoDBStore,
  memoryStore,
  postgresStore,
  redisStore,
  storeTable,
} from '../extensions/stores/index.ts';
export type {
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
  Microseconds,
  PostgresClient,
  TableOptions,
  Take,
  TakeResult,
} from '../extensions/stores/index.ts';
export type { ServerPlugin } from '../server/index.ts';
