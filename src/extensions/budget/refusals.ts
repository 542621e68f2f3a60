import { GraphQLError } from 'graphql';

import { counted } from '../../shared/index.ts';

const statuses = {
  // RFC 6585, section 4.
  RATE_LIMITED: 429,
  COST_ABOVE_CAPACITY: 422,
  UNAUTHENTICATED: 401,
  BUDGET_STORE_UNAVAILABLE: 503,
} as const;

interface Details {
  /** Seconds after which the operation can be sent again. */
  readonly retryAfter?: number;
  readonly [extension: string]: number | undefined;
}

/** The error of an operation that is not run. In a batch, a header field would apply to all elements. */
export function refusal(code: keyof typeof statuses, message: string, details: Details = {}, isBatched = false): GraphQLError {
  const { retryAfter } = details;
  const headers = retryAfter !== undefined && !isBatched && { headers: { 'retry-after': String(retryAfter) } };
  return new GraphQLError(message, { extensions: { code, ...details, http: { status: statuses[code], ...headers } } });
}

export function rateLimited(
  cost: number,
  { left, wait: retryAfter }: { readonly left: number; readonly wait: number },
  isBatched: boolean,
): GraphQLError {
  const message = `This operation costs ${counted(cost, 'point')}, and the client has ${left} left. Try again in ${counted(retryAfter, 'second')}.`;
  return refusal('RATE_LIMITED', message, { cost, left, retryAfter }, isBatched);
}

/** Such an operation can never run, so the client is not asked to wait. The cost of lists may be infinite. */
export function costAboveCapacity(cost: number, capacity: number): GraphQLError {
  const isShown = cost < 1e9;
  const shown = isShown ? counted(cost, 'point') : 'more than a billion points';
  const message = `This operation costs ${shown}, and the client can have at most ${capacity}. Request less.`;
  return refusal('COST_ABOVE_CAPACITY', message, isShown ? { cost, capacity } : { capacity });
}
