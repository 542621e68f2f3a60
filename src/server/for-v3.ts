// The parts of the server that the version-3 surface (src/v3) is built from: it has its own pipeline and its own rules for HTTP,
// and shares the platform adapters, the reading and caching of documents, the execution of operations, and all size limits with the server.
// src/v3 imports nothing else from src/server, and no other folder imports this file (test/unit/structure.test.ts).

// Platforms
export { createUnobservedHandler } from './pipeline.ts';
export { clientAddress } from './platform/adapter.ts';
export type { PlatformCall } from './platform/adapter.ts';
export { fetchAPI } from './platform/fetch.ts';
export { lambdaAdapters } from './platform/aws.ts';
export { netlifyV1 } from './platform/netlify.ts';
export { nodeHTTP } from './platform/node.ts';
export type { ServerOptions } from './startup/options.ts';

// HTTP
export { parseAccept } from './http/accept.ts';
export { VariablesLimit, readText } from './http/params.ts';
export { needsNoPreflight } from './http/csrf.ts';
export type { CORSOptions } from './http/cors.ts';

// Documents
export { DocumentCache } from './operation/documents/document.ts';
export { loadDocument } from './operation/documents/document.ts';
export type { DocumentHooks, DocumentSettings } from './operation/documents/document.ts';
export { DocumentError, toGraphQLError } from './operation/errors.ts';

// Operations
export { copyMutableParts } from './operation/apollo-hooks.ts';
export { assertFresh } from './operation/context.ts';
export { createExecution, executeOperation } from './operation/run-operation.ts';

// Limits
export { ErrorAllowance } from './operation/limits/error-allowance.ts';

// Startup
export { findCheck } from './startup/load-tools.ts';
