import { GraphQLError } from 'graphql';

/** Statuses of draft-ietf-httpapi-idempotency-key-header-07 (section 2.7), and messages. */
const refusals = {
  IDEMPOTENCY_KEY_REQUIRED: [400, 'This mutation needs the header Idempotency-Key, the same for every retry.'],
  IDEMPOTENCY_KEY_INVALID: [400, 'The idempotency key is invalid.'],
  IDEMPOTENCY_IDENTITY_MISSING: [401, 'An idempotency key needs a known client.'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'The first request with this idempotency key is still running.'],
  IDEMPOTENCY_OUTCOME_UNKNOWN: [
    409,
    'The first request with this idempotency key was interrupted: its outcome is unknown, and it is not run again.',
  ],
  IDEMPOTENCY_ANSWER_NOT_KEPT: [409, 'The first request with this idempotency key has run, but its answer was not kept.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The first request with this idempotency key had another operation.'],
  IDEMPOTENCY_STORE_UNAVAILABLE: [503, 'The idempotency key cannot be checked now: nothing was run.'],
  CLIENT_LEFT: [499, 'The client disconnected before the mutation ran.'],
  DEADLINE_EXCEEDED: [504, 'The deadline passed before the mutation ran.'],
} as const;

export type RefusalCode = keyof typeof refusals;

/** The time after which a retry can succeed. */
interface Retry {
  /** Seconds. */
  readonly after: number;
  /** False in a batch, where a header field would apply to all elements. */
  readonly withField: boolean;
}

/** The error for an operation that is not run. Without `retry`, clients and proxies do not try again. */
export function refusal(code: RefusalCode, { expected, retry }: { readonly expected?: string; readonly retry?: Retry } = {}): GraphQLError {
  const [status, message] = refusals[code];
  const http = { status, ...(retry?.withField && { headers: { 'retry-after': String(retry.after) } }) };
  return new GraphQLError(expected === undefined ? message : `Expected ${expected}.`, {
    extensions: { code, ...(retry && { retryAfter: retry.after }), http },
  });
}
