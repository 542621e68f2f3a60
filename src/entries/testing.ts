export type { ExplainReport } from '../tools/explain/index.ts';
export { createEvent, createTester, idempotencyStoreTests, readResult, recordingFetch } from '../tools/testing/index.ts';
export type {
  AnyHandler,
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
