export { createTester } from './testing/tester.ts';
export type { AnyHandler, RunOptions, SubscriptionResult, Tester, TesterSettings, TestResult, TypedDocument } from './testing/tester.ts';
export { createEvent, readResult } from './testing/platforms.ts';
export type { EventSettings, PlatformName } from './testing/platforms.ts';
export type { RequestFields } from './testing/event-request.ts';
export { recordingFetch } from './testing/recording-fetch.ts';
export type { RecordedRequest, RecordingFetch } from './testing/recording-fetch.ts';
