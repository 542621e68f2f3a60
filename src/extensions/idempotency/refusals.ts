import type { GraphQLError } from 'graphql';

import type { Seconds } from '../../datasources/index.ts';
import { refusal } from '../stores/index.ts';

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

interface Details {
  /** Default: the message of the code. */
  readonly message?: string;
  readonly retryAfter?: Seconds;
  readonly batchIndex?: number | undefined;
}

/** The error for a mutation that is not run. */
export function refusalFor(code: RefusalCode, { message, ...details }: Details = {}): GraphQLError {
  const [status, usual] = refusals[code];
  return refusal(code, message ?? usual, { status, ...details });
}
