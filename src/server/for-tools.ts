// The development tools import this from the server, in addition to hooks and types. No other folder imports this file (test/unit/structure.test.ts).

export { serve } from './pipeline.ts';
export type { UntypedHandler } from './pipeline.ts';
export { createClose } from './startup/start.ts';
export { uncacheable } from './doors/response-head.ts';
export type { Explainable } from './doors/http-settings.ts';
export { streaming } from './doors/graphql/streams/streaming.ts';
export type { HandlerObserver } from './startup/observer.ts';
export { entriesOf, errorsIn } from './operation/documents/trusted-documents.ts';
export type { OperationSettings } from './operation/operation.ts';
export { fetchAPI } from './platform/fetch.ts';
export { lambdaAdapters } from './platform/aws.ts';
export { netlifyV1 } from './platform/netlify.ts';
export { assertOptions } from './startup/options.ts';
export { findBuiltFile, hasPackageFiles } from './startup/package-files.ts';
export { createServer } from './startup/server.ts';
export { Starter } from './startup/start.ts';
