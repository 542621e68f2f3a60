import type { OperationExecution, ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { counted, mayBeStored } from '../../shared/index.ts';
import type { BudgetReport } from '../../shared/index.ts';
import { costOf } from '../limits/index.ts';
import { assertShared, inTime, refusal } from '../stores/index.ts';
import type { Take, TakeResult } from '../stores/index.ts';
import { clientOf } from './client.ts';
import type { Client } from './client.ts';
import { measured, planOf, pointsLeft, secondsUntil, takeOf } from './measured-plan.ts';
import { assertBudgetOptions } from './options.ts';
import type { BudgetOptions } from './options.ts';

/**
 * The entries of an operation in the fields of draft-ietf-httpapi-ratelimit-headers-11, in the syntax of Structured Fields (RFC 9651), and
 * the points that it left.
 */
interface BudgetEntry {
  readonly left: number | undefined;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of `RateLimit`; undefined if the store has failed. */
  readonly limit: string | undefined;
}

/** Key of a fact: the entries of the `RateLimit` fields, for the operation that left the fewest points. */
const ownFact: unique symbol = Symbol('budget');

/**
 * Gives each client points, and takes the cost of every operation from them before it runs. All instances of a function share the points in
 * a store. Points come back continuously, as in a token bucket.
 *
 * @example
 * export default createHandler({
 *   typeDefs, resolvers, context,
 *   plugins: [budget({ store: redisStore(…), identity: ({ user }) => user?.id, capacity: 1000, refillPerSecond: 10, whenStoreFails: 'allow' })],
 * });
 */
export function budget<TContext = any>(options: BudgetOptions<TContext>): ServerPlugin {
  assertBudgetOptions(options);
  let server: ServerStartContext | undefined;
  return {
    once: 'budget()',
    // Around the request, this plugin is the outermost, so it sees whether another plugin has made the response public. Around the
    // execution, it is the innermost, so an operation that another plugin refuses takes no points.
    position: { request: 'first', execution: 'last' },
    onlyWatches: true,
    corsHeaders: { exposed: ['RateLimit', 'RateLimit-Policy', 'Retry-After'] },
    schemaWillBuild: (_parts, environment) => assertShared(options.store, environment),
    check: ({ facts }) => void facts.set('budget', true),
    start(context) {
      context.facts.set('budget', true);
      server = context;
    },
    async execution(execution, next) {
      await pay(options as BudgetOptions, execution, costOf(server!, execution));
      return next();
    },
    ...(options.perEvent === true && {
      async payload(execution, next) {
        const payload = await next();
        const isEvent = payload !== undefined && execution.operation.operation === 'subscription';
        if (isEvent) await pay(options as BudgetOptions, execution, costOf(server!, execution));
        return payload;
      },
    }),
    async request(call, next) {
      const response = await next();
      const { policy, limit } = (call.facts.get(ownFact) ?? {}) as Partial<BudgetEntry>;
      // A response that other clients may get has no such fields, because they are about one client.
      if (policy === undefined || mayBeStored(response.headers)) return response;
      response.headers.set('ratelimit-policy', policy);
      if (limit !== undefined) response.headers.set('ratelimit', limit);
      return response;
    },
  };
}

/** Takes the points of an operation. Throws a refusal. */
async function pay(options: BudgetOptions, execution: OperationExecution, cost: number): Promise<void> {
  // Introspection takes no points.
  if (cost === 0) return;
  const { call, facts, contextValue, batchIndex } = execution;
  const client = clientOf(options, call, await options.identity(contextValue, call));
  if (client === undefined) throw refusal('UNAUTHENTICATED', 'Operations take points here, which needs a known client.', { status: 401 });
  const { policy } = client;
  const plan = policy === 'anonymous' ? measured(options.anonymous!) : await planOf(options, contextValue);
  const { capacity } = plan;
  const record = (result: TakeResult | undefined): void => {
    const left = result && pointsLeft(result, plan);
    const report: BudgetReport = { policy, capacity, cost, left };
    facts.set('budget', report);
    const limit = result && `"${policy}";r=${left};t=${Math.ceil(result.untilFull / 1e6)}`;
    const least = (call.facts.get(ownFact) as BudgetEntry | undefined)?.left ?? Infinity;
    if ((left ?? Infinity) <= least)
      call.facts.set(ownFact, { left, policy: `"${policy}";${plan.parameters}`, limit } satisfies BudgetEntry);
  };
  // The cost of a list of infinite size is NaN if its items cost nothing.
  if (!(cost <= capacity)) {
    record(undefined);
    const isShown = cost < 1e9;
    const message = `This operation costs ${isShown ? counted(cost, 'point') : 'more than a billion points'}, and the client can have at most ${capacity}. Request less.`;
    throw refusal('COST_ABOVE_CAPACITY', message, { status: 422, details: isShown ? { cost, capacity } : { capacity } });
  }
  const take = takeOf(cost, plan);
  const result = await takeFrom(options, client, take).catch((error: unknown) => {
    call.logger.error(`The store of budget failed. An operation of ${counted(cost, 'point')} took none.`, error);
    return undefined;
  });
  record(result);
  if (result === undefined) {
    if (options.whenStoreFails === 'allow') return;
    const message = 'The points of the client are unknown now: nothing was run.';
    throw refusal('BUDGET_STORE_UNAVAILABLE', message, { status: 503, retryAfter: 1, batchIndex });
  }
  if (result.isTaken) return;
  const [left, retryAfter] = [pointsLeft(result, plan), secondsUntil(take, result)];
  const message = `This operation costs ${counted(cost, 'point')}, and the client has ${left} left. Try again in ${counted(retryAfter, 'second')}.`;
  // RFC 6585, section 4.
  throw refusal('RATE_LIMITED', message, { status: 429, retryAfter, batchIndex, details: { cost, left } });
}

/** Takes points, once: a take that fails or is late may have taken them. */
async function takeFrom({ store, storeTimeout = 250 }: BudgetOptions, { id, policy }: Client, take: Take): Promise<TakeResult> {
  const result = await inTime(storeTimeout, 'The store of budget', () =>
    store.take(id, policy === 'anonymous' ? { ...take, isAnonymous: true } : take),
  );
  // A store of the user may return anything.
  if (typeof result?.isTaken === 'boolean' && Number.isFinite(result.untilFull) && result.untilFull >= 0) return result;
  throw new TypeError('Expected take of the store to return { isTaken, untilFull }, with a finite number that is not negative.');
}
