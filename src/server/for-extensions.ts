// What the extensions import from the server in addition to hooks and types. No other folder imports this file (test/structure.test.ts).

export { parseAccept, preference } from './http/accept.ts';
export { mayBeStored } from './http/response.ts';
export { codeOf, httpExtensionOf } from './operation/errors.ts';
export { fragmentsOf } from './operation/limits/document-size.ts';
export { aFunction, assertEntries, boolean, positive } from './startup/options.ts';
export type { Expectation } from './startup/options.ts';
