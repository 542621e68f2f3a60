export { createHandlerFor, createServe } from './handler.ts';
export { parseAccept, preference } from './http/accept.ts';
export { isPreflightHeader } from './http/assert-csrf.ts';
export { parseJSON, readText } from './http/body.ts';
export { uncacheable } from './http/cache-control.ts';
export type { ContextArgument } from './http/context-argument.ts';
export type { CORSOptions, CORSOrigin } from './http/cors.ts';
export type { CSRFSettings } from './http/csrf.ts';
export type { Explainable } from './http/http-call.ts';
export { parseMediaType } from './http/media-type.ts';
export type { HTTPStatusProfile } from './http/status.ts';
export { multipart } from './http/streams/multipart.ts';
export type { IncrementalDelivery } from './http/streams/multipart.ts';
export { streaming } from './http/streams/streaming.ts';
export { createUntypedStreamingHandler } from './lambda-stream-handler.ts';
export { observeHandlers } from './observer.ts';
export type { CreateFromOptions } from './observer.ts';
export { followStream } from './operation/delivery/follow-stream.ts';
export { executeIncrementally } from './operation/delivery/incremental.ts';
export { documentHash } from './operation/documents/document-hash.ts';
export type { PersistedQuerySettings } from './operation/documents/persisted-queries.ts';
export { entriesOf } from './operation/documents/trusted-documents.ts';
export type {
  ApolloOperationManifest,
  TrustedDocument,
  TrustedDocumentManifest,
  TrustedDocumentOptions,
} from './operation/documents/trusted-documents.ts';
export type { ErrorBehavior } from './operation/error-behavior.ts';
export { codeOf, httpExtensionOf } from './operation/errors.ts';
export type { FormatError, HTTPExtension } from './operation/errors.ts';
export type { CostOptions } from './operation/limits/cost.ts';
export { fragmentsOf } from './operation/limits/document-size.ts';
export { maxNameLength } from './operation/limits/nesting.ts';
export type * from './operation/plugin.ts';
export {
  CallOutcome,
  areDecisionsRequested,
  requestDecisions,
  decisionOf,
  recordDecision,
  recordRun,
  runOf,
  now,
} from './operation/reporting.ts';
export type { AnswerDecision } from './operation/reporting.ts';
export type { OperationSettings } from './operation/state.ts';
export type * from './operation/types.ts';
export type { PlatformAdapter } from './platform/adapter.ts';
export { applicationLoadBalancer } from './platform/alb.ts';
export { findAdapter } from './platform/detect.ts';
export { fetchAPI } from './platform/fetch.ts';
export { functionURL, httpAPI } from './platform/http-api.ts';
export type { ResponseStream } from './platform/lambda-stream.ts';
export { lambdaAdapters } from './platform/lambda.ts';
export { latticeV1, latticeV2 } from './platform/lattice.ts';
export { netlifyV1 } from './platform/netlify-v1.ts';
export type { NetlifyContext, NetlifyHandlerContext, NetlifyHandlerEvent, NetlifyHandlerResponse } from './platform/netlify.ts';
export type { NodeExchange } from './platform/node.ts';
export { ping } from './platform/ping.ts';
export { restAPI } from './platform/rest-api.ts';
export type { DeadlineOptions } from './startup/deadline.ts';
export { assertOptions } from './startup/options.ts';
export type { ContextFits, ContextValue, ServerOptions } from './startup/options.ts';
export { findBuiltFile, requireFromPackage } from './startup/package-files.ts';
export { createStarter } from './startup/start.ts';
export type { OptionsSource } from './startup/start.ts';
export { createHandler } from './universal-handler.ts';
export type { Handler } from './universal-handler.ts';
