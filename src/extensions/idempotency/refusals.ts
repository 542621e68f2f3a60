import { GraphQLError } from 'graphql';

type Code =
  | 'IDEMPOTENCY_KEY_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_IDENTITY_MISSING'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_OUTCOME_UNKNOWN'
  | 'IDEMPOTENCY_ANSWER_NOT_KEPT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_STORE_UNAVAILABLE'
  | 'DEADLINE_EXCEEDED';

/** The codes and statuses of draft-ietf-httpapi-idempotency-key-header-07, section 2.7, and more. */
function refusal(code: Code, status: number, message: string, retry?: Retry): GraphQLError {
  const http = { status, ...(retry?.withField && { headers: { 'retry-after': String(retry.after) } }) };
  return new GraphQLError(message, { extensions: { code, ...(retry && { retryAfter: retry.after }), http } });
}

/** When a retry can help. */
export interface Retry {
  /** Seconds. */
  readonly after: number;
  /** False in a batch: a header field would be that of all elements. */
  readonly withField: boolean;
}

export const requiredKey = (field?: string): GraphQLError =>
  refusal(
    'IDEMPOTENCY_KEY_REQUIRED',
    400,
    `${field === undefined ? 'Mutations need' : `The mutation ${field} needs`} an idempotency key: send the header Idempotency-Key with a new UUID in quotation marks, and the same one with every retry.`,
  );

export const invalidKey = (expected: string): GraphQLError => refusal('IDEMPOTENCY_KEY_INVALID', 400, `Expected ${expected}.`);

export const identityMissing = (): GraphQLError =>
  refusal('IDEMPOTENCY_IDENTITY_MISSING', 401, 'Idempotency keys belong to a client, and the server does not know who sent this one.');

export const inProgress = (retry: Retry): GraphQLError =>
  refusal('IDEMPOTENCY_IN_PROGRESS', 409, 'The first request with this idempotency key is still running. Send it again later.', retry);

export const outcomeUnknown = (): GraphQLError =>
  refusal(
    'IDEMPOTENCY_OUTCOME_UNKNOWN',
    409,
    'An earlier request with this idempotency key was interrupted, so that its outcome is unknown. It is not run again: look whether it took effect.',
  );

export const answerNotKept = (): GraphQLError =>
  refusal('IDEMPOTENCY_ANSWER_NOT_KEPT', 409, 'This mutation has run, and will not run again, but its answer was not kept.');

export const keyReused = (): GraphQLError =>
  refusal('IDEMPOTENCY_KEY_REUSED', 422, 'This idempotency key was used for another operation or other variables. Send a new key.');

export const storeUnavailable = (retry: Retry): GraphQLError =>
  refusal('IDEMPOTENCY_STORE_UNAVAILABLE', 503, 'Idempotency keys cannot be checked at present, so nothing was run. Try again.', retry);

export const tooLate = (): GraphQLError =>
  refusal('DEADLINE_EXCEEDED', 504, 'The deadline of the request came before the mutation was run.');
