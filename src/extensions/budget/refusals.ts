import { GraphQLError } from 'graphql';

/** What the client may do about a refusal. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly extensions?: Readonly<Record<string, number | undefined>>;
  /** The seconds after which the operation can be sent again. */
  readonly retryAfter?: number;
}

/** The error of an operation that is not run. In a batch, a header field would apply to all elements. */
function refusal({ status, code, message, extensions, retryAfter }: Refusal, isBatched: boolean): GraphQLError {
  const headers = retryAfter !== undefined && !isBatched && { headers: { 'retry-after': String(retryAfter) } };
  return new GraphQLError(message, {
    extensions: { code, ...extensions, ...(retryAfter !== undefined && { retryAfter }), http: { status, ...headers } },
  });
}

/** RFC 6585, section 4. */
export function rateLimited(
  cost: number,
  { left, wait }: { readonly left: number; readonly wait: number },
  isBatched: boolean,
): GraphQLError {
  const message = `This operation costs ${counted(cost, 'point')}, and the client has ${left} left. Try again in ${counted(wait, 'second')}.`;
  return refusal({ status: 429, code: 'RATE_LIMITED', message, extensions: { cost, left }, retryAfter: wait }, isBatched);
}

/** Such an operation can never run, so the client is not asked to wait. The cost of lists may be infinite. */
export function costAboveCapacity(cost: number, capacity: number): GraphQLError {
  const isShown = cost < 1e9;
  const shown = isShown ? counted(cost, 'point') : 'more than a billion points';
  const message = `This operation costs ${shown}, and the client can have at most ${capacity}. Request less.`;
  return refusal({ status: 422, code: 'COST_ABOVE_CAPACITY', message, extensions: { ...(isShown && { cost }), capacity } }, false);
}

export function unknownClient(): GraphQLError {
  return refusal({ status: 401, code: 'UNAUTHENTICATED', message: 'Operations take points here, which needs a known client.' }, false);
}

export function storeUnavailable(isBatched: boolean): GraphQLError {
  const message = 'The points of the client cannot be checked now: nothing was run.';
  return refusal({ status: 503, code: 'BUDGET_STORE_UNAVAILABLE', message, retryAfter: 1 }, isBatched);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
