export type { Closable } from './startup/start.ts';
export { createHandlerFor, createUnobservedHandler } from './pipeline.ts';
export type { ContextArgument } from './doors/http-settings.ts';
export { parseAccept } from './doors/accept.ts';
export { matchesOrigin, writeCORSFields } from './doors/cors.ts';
export type { CORSOptions, CORSOrigin } from './doors/cors.ts';
export { needsNoPreflight } from './doors/rules.ts';
export { VariablesLimit, parseJSON, readText } from './doors/body.ts';
export type { HTTPStatusProfile } from './doors/graphql/status.ts';
export { streaming } from './doors/graphql/streams/streaming.ts';
export { createUntypedStreamingHandler } from './lambda-stream-handler.ts';
export type {
  ApolloOperationManifest,
  CheckedDocument,
  CheckedDocuments,
  TrustedDocument,
  TrustedDocumentManifest,
  TrustedDocumentOptions,
} from './operation/documents/trusted-documents.ts';
export { assertFresh } from './operation/context.ts';
export { DocumentCache, loadDocument } from './operation/documents/document.ts';
export type { DocumentHooks, DocumentSettings } from './operation/documents/document.ts';
export { DocumentError, toGraphQLError } from './operation/errors.ts';
export type { HTTPExtension } from './operation/errors.ts';
export { ErrorAllowance } from './operation/limits/error-allowance.ts';
export { createExecution, executeOperation } from './operation/run-operation.ts';
export type { FormatError } from './operation/format-errors.ts';
export type * from './operation/apollo-hooks.ts';
export type * from './operation/door.ts';
export type * from './operation/plugin.ts';
export type * from './operation/server-start.ts';
export type * from './operation/types.ts';
export { clientAddress, ping } from './platform/adapter.ts';
export type { PlatformCall } from './platform/adapter.ts';
export type { ResponseStream } from './platform/aws-stream.ts';
export { lambdaAdapters } from './platform/aws.ts';
export { fetchAPI } from './platform/fetch.ts';
export { netlifyV1 } from './platform/netlify.ts';
export type { NetlifyContext, NetlifyHandlerContext, NetlifyHandlerEvent, NetlifyHandlerResponse } from './platform/netlify.ts';
export { nodeHTTP } from './platform/node.ts';
export type { NodeExchange } from './platform/node.ts';
export type { DeadlineOptions } from './startup/deadline.ts';
export type { ContextFits, ContextValue, ServerOptions } from './startup/options.ts';
export { findCheck } from './startup/load-tools.ts';
export type { CreateHandler, OptionsPromise, OptionsSource } from './startup/start.ts';
export { createHandler } from './universal-handler.ts';
export type { Handler } from './universal-handler.ts';
export { incrementalDelivery } from './doors/graphql/streams/incremental-delivery.ts';
export type { IncrementalDelivery, IncrementalDeliveryOptions } from './doors/graphql/streams/incremental-delivery.ts';
