export type { ExplainReport } from '../tools/explain/index.ts';
export { createEvent, createTester, readResult, recordingFetch, storeTests } from '../tools/testing/index.ts';
export type {
  AnyHandler,
  DocumentReference,
  EventSettings,
  PlatformName,
  RecordedRequest,
  RecordingFetch,
  RequestFields,
  RunOptions,
  StoreTest,
  SubscriptionResult,
  TestResult,
  Tester,
  TesterSettings,
  TypedDocument,
} from '../tools/testing/index.ts';
export type { HTTPFetch } from '../datasources/index.ts';
