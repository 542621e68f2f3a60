export { createEvent, createTester, readResult, recordingFetch } from '../tools/testing/index.ts';
export type {
  AnyHandler,
  EventSettings,
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
