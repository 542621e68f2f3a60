import type { ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { assertBudgetOptions } from './options.ts';
import type { BudgetOptions } from './options.ts';
import { writeFields } from './rate-limit-fields.ts';
import type { BudgetEntry } from './rate-limit-fields.ts';
import { Meter, entriesOfBudget } from './meter.ts';

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
  const meter = new Meter(options as BudgetOptions);
  return {
    // This plugin is the outermost, so that it sees whether another one has made the response public.
    position: 'first',
    onlyWatches: true,
    corsHeaders: { exposed: ['RateLimit', 'RateLimit-Policy', 'Retry-After'] },
    async serverWillStart(context) {
      assertFits(options, context);
      if (started.has(context)) throw new Error('Expected budget() once in plugins, got it twice: each operation would take points twice.');
      started.add(context);
      meter.start(context);
    },
    async execution(execution, next) {
      await meter.meter(execution);
      return next();
    },
    async request(call, next) {
      const entries: BudgetEntry[] = [];
      call.facts.set(entriesOfBudget, entries);
      const response = await next();
      if (entries.length > 0) writeFields(response.headers, entries);
      return response;
    },
  };
}

/** The starts of servers with this plugin. */
const started = new WeakSet<ServerStartContext>();

function assertFits({ store }: BudgetOptions, { nodeEnv }: ServerStartContext): void {
  if (store.isLocal === true && nodeEnv !== 'development' && nodeEnv !== 'test')
    throw new Error(
      'Expected a shared store in production, got memoryStore(). If one process serves all requests, set isOnlyProcess: true.',
    );
}
