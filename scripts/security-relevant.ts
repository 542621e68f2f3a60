/** The files that decide what a request may do and what of an answer others see, for scripts/coverage.ts and scripts/mutations.ts. */

/** The tests of each file: the fewest that say what the file promises, the fastest first. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  'src/server/doors/rules.ts': [
    'test/unit/server/doors/csrf.test.ts',
    'test/contract/security/advisories.test.ts',
    'test/unit/server/doors/body.test.ts',
    'test/unit/v3/handler.test.ts',
  ],
  'src/server/operation/format-errors.ts': [
    'test/unit/server/operation/errors.test.ts',
    'test/unit/server/operation/error-hash.test.ts',
    'test/unit/server/operation/hooks.test.ts',
    'test/contract/security/leaks.test.ts',
    'test/unit/server/operation/masking.test.ts',
    'test/unit/server/operation/on-error.test.ts',
    'test/unit/executor/run/batch/batch.test.ts',
  ],
  'src/extensions/authorization/needs.ts': [
    'test/unit/extensions/authorization/attacks.test.ts',
    'test/contract/generated/rights/holes.test.ts',
    'test/contract/generated/rights/decided.test.ts',
  ],
  'src/extensions/authorization/rules.ts': [
    'test/unit/extensions/authorization/attacks.test.ts',
    'test/contract/generated/rights/holes.test.ts',
    'test/contract/generated/rights/decided.test.ts',
  ],
  'src/extensions/authorization/caller.ts': [
    'test/unit/extensions/authorization/attacks.test.ts',
    'test/contract/generated/rights/holes.test.ts',
    'test/contract/generated/rights/decided.test.ts',
  ],
  'src/extensions/edge/decide.ts': [
    'test/unit/extensions/edge/sharing.test.ts',
    'test/unit/extensions/edge/reports.test.ts',
    'test/unit/extensions/edge/hints.test.ts',
    'test/unit/extensions/edge/dialects.test.ts',
    'test/unit/extensions/edge/stored-responses.test.ts',
    'test/unit/extensions/edge/mutation-tags.test.ts',
    'test/unit/extensions/edge/purge-repeats.test.ts',
    'test/unit/extensions/edge/purger.test.ts',
    'test/unit/extensions/edge/store.test.ts',
  ],
  'src/datasources/http-cache/request-identity.ts': [
    'test/unit/datasources/http-cache/sharing.test.ts',
    'test/unit/datasources/http-cache/reuse.test.ts',
    'test/unit/datasources/http-cache/response-cache.test.ts',
  ],
  'src/extensions/subgraph/router-secret.ts': [
    'test/unit/extensions/subgraph/router-secret.test.ts',
    'test/unit/extensions/options.test.ts',
    'test/unit/extensions/subgraph/version-3.test.ts',
  ],
  'src/extensions/idempotency/keys.ts': [
    'test/unit/extensions/idempotency/keys.test.ts',
    'test/unit/extensions/idempotency/answers.test.ts',
    'test/unit/extensions/idempotency/reports.test.ts',
  ],
  'src/extensions/idempotency/run-once.ts': [
    'test/unit/extensions/idempotency/reports.test.ts',
    'test/unit/extensions/idempotency/answers.test.ts',
    'test/unit/extensions/idempotency/guarantees.test.ts',
    'test/unit/extensions/idempotency/stores.test.ts',
    'test/unit/extensions/idempotency/keys.test.ts',
  ],
  'src/server/operation/documents/trusted-documents.ts': [
    'test/unit/server/operation/documents/trusted-documents.test.ts',
    'test/unit/server/operation/documents/persisted-queries.test.ts',
  ],
  'src/extensions/budget/plugin.ts': [
    'test/unit/extensions/budget/budget.test.ts',
    'test/unit/extensions/budget/failures.test.ts',
    'test/unit/extensions/budget/doors.test.ts',
    'test/unit/extensions/options.test.ts',
    'test/unit/extensions/budget/reports.test.ts',
    'test/unit/extensions/budget/clients.test.ts',
  ],
  'src/extensions/budget/client.ts': ['test/unit/extensions/budget/clients.test.ts'],
  'src/server/operation/limits/nesting.ts': [
    'test/unit/server/operation/limits/nesting.test.ts',
    'test/unit/server/operation/limits/limits.test.ts',
    'test/unit/server/operation/limits/bills.test.ts',
  ],
  'src/server/operation/limits/document-size.ts': [
    'test/unit/server/operation/limits/limits.test.ts',
    'test/unit/server/operation/limits/bills.test.ts',
    'test/unit/server/operation/documents/document.test.ts',
    'test/contract/security/advisories.test.ts',
  ],
};
