export type { ExplainReport } from '../tools/explain/index.ts';
export { budgetStoreTests, createEvent, createTester, idempotencyStoreTests, readResult, recordingFetch } from '../tools/testing/index.ts';
export type {
  AnyHandler,
  BudgetStoreTest,
  EventSettings,
  IdempotencyStoreTest,
  PlatformName,
  RecordedRequest,
  RecordingFetch,
  RequestFields,
  RunOptions,
  SubscriptionResult,
  TestResult,
  Tester,
  TesterSettings,
  TypedDocument,
} from '../tools/testing/index.ts';
