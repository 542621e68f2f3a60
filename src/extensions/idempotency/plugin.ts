import type { GraphQLSchema } from 'graphql';

import type { ServerPlugin } from '../../server/index.ts';
import { isPlainObject } from '../../shared/index.ts';
import { assertShared } from '../stores/index.ts';
import { rememberRecord } from './idempotency-key-of.ts';
import { findKey, needsKeyWith } from './keys.ts';
import { assertIdempotencyOptions, defaultTTL } from './options.ts';
import type { IdempotencyOptions } from './options.ts';
import { runOnce } from './run-once.ts';
import type { RunSettings } from './run-once.ts';

/** The directive `@idempotent`, for `typeDefs`: names a mutation by its only field, in place of the header `Idempotency-Key`. */
export const idempotencyDefinitions = 'directive @idempotent(key: String!) on FIELD\n';

/**
 * Runs a mutation once, even if it is sent several times with the same idempotency key
 * (draft-ietf-httpapi-idempotency-key-header-07): a retry gets the stored answer. Requests without a key, and queries, never touch the store.
 *
 * @example
 * export default createHandler({
 *   typeDefs, resolvers, context,
 *   plugins: [idempotency({ store: redisStore(client), identity: ({ user }) => user?.id })],
 * });
 */
export function idempotency<TContext = any>(options: IdempotencyOptions<TContext>): ServerPlugin {
  assertIdempotencyOptions(options);
  const { prefix = 'idempotency:', ttl = defaultTTL, storeTimeout = 500, maxAnswerBytes = 262_144 } = options;
  const settings: RunSettings = { ...options, prefix, ttl, storeTimeout, maxAnswerBytes };
  return {
    once: 'idempotency()',
    // This makes the plugin an outer one: it stores the answer that the client gets, after other plugins have changed it.
    onlyWatches: true,
    corsHeaders: { allowed: ['Idempotency-Key'], exposed: ['Idempotent-Replayed', 'Retry-After'] },
    schemaWillBuild: (_parts, environment) => assertShared(options.store, environment),
    check: ({ schema }) => assertRequired(options, schema),
    start({ schema, facts }) {
      assertRequired(options, schema);
      facts.set('idempotency', needsKeyWith(options));
    },
    async execution(execution, next) {
      if (execution.operation.operation !== 'mutation') return next();
      const found = findKey(options, execution);
      if (found === undefined) {
        // Only an instance of a class can be the context of several operations, one of which may have a key.
        if (!isPlainObject(execution.contextValue)) rememberRecord(execution.contextValue, '');
        return next();
      }
      // A client that loses the connection retries, so the mutation must end, and its answer must be stored.
      execution.invocation.until = 'deadline';
      const running = runOnce(settings, { execution, found }, () => next({ inOneAnswer: true }));
      // A claim that comes too late is released.
      execution.invocation.waitUntil(running.catch(() => {}));
      return running;
    },
  };
}

function assertRequired({ required }: IdempotencyOptions, schema: GraphQLSchema): void {
  if (typeof required !== 'object') return;
  const fields = schema.getMutationType()?.getFields() ?? {};
  const unknown = required.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new Error(`Expected required of idempotency to list mutations, got "${unknown}".`);
}
