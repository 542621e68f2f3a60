export type { RequestFields } from './event-request.ts';
export { createEvent, createFunctionContext, createLambdaContext, readResult } from './platforms.ts';
export type { EventSettings, PlatformName } from './platforms.ts';
export { recordingFetch } from './recording-fetch.ts';
export type { RecordedRequest, RecordingFetch } from './recording-fetch.ts';
export { storeTests } from './store-tests.ts';
export type { StoreTest } from './store-tests.ts';
export { callStreamingHandler, isStreamingHandler } from './response-stream.ts';
export { readWranglerSettings, resolveWorkerModules, workerEnvironment } from './workers.ts';
export { createTester } from './tester.ts';
export type {
  AnyHandler,
  DocumentReference,
  RunOptions,
  SubscriptionResult,
  TestResult,
  Tester,
  TesterSettings,
  TypedDocument,
} from './tester.ts';
