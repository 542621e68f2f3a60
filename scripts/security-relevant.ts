/** The files that decide what a request may do and what of an answer others see; what scripts/coverage.ts and scripts/mutations.ts accept of them. */

/** The tests of each file: the fewest that say what the file promises, the fastest first. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  'src/server/http/csrf.ts': [
    'test/unit/server/http/csrf.test.ts',
    'test/contract/security/advisories.test.ts',
    'test/unit/server/http/body.test.ts',
    'test/unit/v3/handler.test.ts',
  ],
  'src/server/operation/format-errors.ts': [
    'test/unit/server/operation/errors.test.ts',
    'test/unit/server/operation/error-hash.test.ts',
    'test/unit/server/call/hooks.test.ts',
    'test/contract/security/leaks.test.ts',
    'test/unit/server/operation/masking.test.ts',
    'test/unit/server/operation/on-error.test.ts',
    'test/unit/executor/run/batch/batch.test.ts',
  ],
  'src/extensions/edge/decide.ts': [
    'test/unit/extensions/edge/sharing.test.ts',
    'test/unit/extensions/edge/reports.test.ts',
    'test/unit/extensions/edge/hints.test.ts',
    'test/unit/extensions/edge/dialects.test.ts',
    'test/unit/extensions/edge/stored-responses.test.ts',
    'test/unit/extensions/edge/purge.test.ts',
    'test/unit/extensions/edge/store.test.ts',
  ],
  'src/datasources/http-cache/request-identity.ts': [
    'test/unit/datasources/http-cache/sharing.test.ts',
    'test/unit/datasources/http-cache/reuse.test.ts',
    'test/unit/datasources/http-cache/response-cache.test.ts',
  ],
  'src/extensions/subgraph/router-secret.ts': [
    'test/unit/extensions/subgraph/router-secret.test.ts',
    'test/unit/extensions/subgraph/version-3.test.ts',
  ],
  'src/extensions/idempotency/keys.ts': [
    'test/unit/extensions/idempotency/idempotency.test.ts',
    'test/unit/extensions/idempotency/reports.test.ts',
  ],
  'src/extensions/idempotency/run-once.ts': [
    'test/unit/extensions/idempotency/reports.test.ts',
    'test/unit/extensions/idempotency/idempotency.test.ts',
  ],
  'src/server/operation/documents/trusted-documents.ts': [
    'test/unit/server/operation/documents/trusted-documents.test.ts',
    'test/unit/server/operation/documents/persisted-queries.test.ts',
  ],
  'src/extensions/budget/plugin.ts': [
    'test/unit/extensions/budget/budget.test.ts',
    'test/unit/extensions/budget/failures.test.ts',
    'test/unit/extensions/budget/doors.test.ts',
    'test/unit/extensions/budget/options.test.ts',
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

const undecided = 'Without a decision the answer stays private, as with one; only the reason is missing from the report.';
const anyOrder = 'Any order will do that is the same for every attempt, and keys differ.';
const late = 'The signal is aborted at the deadline as well, and the request has its answer.';
const logWords = 'A log line, which changes no answer.';
const everyOtherRuns = "Every verdict but 'forgery' and 'unsupported' lets the request run.";

/** Changes that no test can notice, or need not, by file: the line before and after, and the reason. */
export const accepted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/extensions/edge/decide.ts': {
    "return notShareable('a header was read that this store cannot vary by'); → return;": undecided,
    'if (wrong !== undefined) return notShareable(`it varies by ${wrong}, which is not in the key`); → if (wrong !== undefined) return;':
      undecided,
    'if (!methods.includes(method)) return notShareable(`the method is ${method}`); → if (!methods.includes(method)) return;': undecided,
  },
  'src/extensions/idempotency/keys.ts': {
    "const field = execution.source.includes('idempotent') ? fieldWithKey(execution) : undefined; → const field = execution.source.includes('') ? fieldWithKey(execution) : undefined;":
      'A shortcut for documents without the directive, which are searched then.',
    "if (field !== undefined) return { kind: 'directive', field }; → if (field !== undefined) return { kind: '', field };":
      "Every kind but 'header' is that of the directive.",
    'return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))); → return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one <= other ? -1 : 1)));':
      anyOrder,
    "throw invalidKey(`one Idempotency-Key of ${characters}${bareKeys ? '' : ' in quotation marks'}`); → throw invalidKey(`one Idempotency-Key of ${characters}${!(bareKeys) ? '' : ' in quotation marks'}`);":
      'The words of the message.',
    'return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))); → return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (!(one < other) ? -1 : 1)));':
      anyOrder,
    '/^ *"((?:[ !#-[\\]-~]|\\\\["\\\\]){1,510})"(?:; *[a-z*][\\w.*-]*(?:=(?:%?"(?:[ !#-[\\]-~]|\\\\["\\\\])*"|[\\w:+/=.*?@!#$%&\'^`|~-]+))?)* *$/; → /^ *"((?:[ !#-[\\]-~]|\\\\["\\\\]){1,511})"(?:; *[a-z*][\\w.*-]*(?:=(?:%?"(?:[ !#-[\\]-~]|\\\\["\\\\])*"|[\\w:+/=.*?@!#$%&\'^`|~-]+))?)* *$/;':
      'The length of the key without backslashes is checked below.',
    'return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))); → return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -2 : 1)));':
      anyOrder,
    'return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))); → return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 2)));':
      anyOrder,
  },
  'src/extensions/idempotency/run-once.ts': {
    "if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED'); → if (left === undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED');":
      late,
    "if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED'); → if (left !== undefined && left < 0) throw refusalFor('DEADLINE_EXCEEDED');":
      late,
    'if (cause === undefined) logger.warn(text); → if (cause !== undefined) logger.warn(text);': logWords,
    'assertOpen(execution); → ;': late,
    "log(attempt, 'The answer of a mutation was not stored: its record had expired, or was taken over.'); → ;": logWords,
    "log(attempt, 'An idempotency key was not released.', error); → ;": logWords,
    "if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED'); → if (left !== undefined && left <= 0) ;": late,
    "if (found.answer === undefined) throw refuse(attempt, 'IDEMPOTENCY_ANSWER_NOT_KEPT'); → if (found.answer === undefined) ;":
      'A missing answer is refused below with the same error, and a log line.',
    'const defaultLease = 60; → const defaultLease = 61;': 'A lease is a time, which no test measures.',
    "if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED'); → if (left !== undefined && left <= 1) throw refusalFor('DEADLINE_EXCEEDED');":
      late,
    'return refusalFor(code, { retryAfter: Math.min(5, Math.max(1, Math.ceil(left / 1000))), batchIndex: execution.batchIndex }); → return refusalFor(code, { retryAfter: Math.min(5, Math.max(1, Math.ceil(left / 1001))), batchIndex: execution.batchIndex });':
      'A time, which no test measures.',
    'if (!(await twice(settings, () => store.finish(id, { token, answer, keep: ttl * 1000 })))) → if (!(await twice(settings, () => store.finish(id, { token, answer, keep: ttl * 1001 }))))':
      'A time, which no test measures.',
    "if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED'); → if (left !== undefined && left <= 0) throw refusalFor('');":
      late,
    "if (invocation.signal.aborted) throw refusalFor('CLIENT_LEFT'); → if (invocation.signal.aborted) throw refusalFor('');":
      'The client that would read the code has left.',
  },
  'src/server/http/csrf.ts': {
    "const verdict = row === run ? 'run' : row[columnOf({ csrfPrevention, csrfRequestHeaders }, headers)]; → const verdict = row === run ? '' : row[columnOf({ csrfPrevention, csrfRequestHeaders }, headers)];":
      everyOtherRuns,
    "const mediaType = contentType === null || contentType === 'application/json' ? undefined : parseMediaType(contentType); → const mediaType = contentType === null || contentType === '' ? undefined : parseMediaType(contentType);":
      'A shortcut for the usual content type, whose row is not read.',
    "const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: 'run' }; → const run: Row = { withHeader: '', always: 'run', foreign: 'run', unguarded: 'run' };":
      everyOtherRuns,
    "const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: 'run' }; → const run: Row = { withHeader: 'run', always: '', foreign: 'run', unguarded: 'run' };":
      everyOtherRuns,
    "const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: 'run' }; → const run: Row = { withHeader: 'run', always: 'run', foreign: '', unguarded: 'run' };":
      everyOtherRuns,
    "const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: 'run' }; → const run: Row = { withHeader: 'run', always: 'run', foreign: 'run', unguarded: '' };":
      everyOtherRuns,
    "none: { withHeader: 'run', always: 'forgery', foreign: 'forgery', unguarded: 'run' }, → none: { withHeader: '', always: 'forgery', foreign: 'forgery', unguarded: 'run' },":
      everyOtherRuns,
    "none: { withHeader: 'run', always: 'forgery', foreign: 'forgery', unguarded: 'run' }, → none: { withHeader: 'run', always: 'forgery', foreign: 'forgery', unguarded: '' },":
      everyOtherRuns,
  },
};

/** Branches that no test of the plain suite reaches, by file: the line, and the reason. */
export const unreached: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
