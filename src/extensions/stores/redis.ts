import { assertCost } from './bucket.ts';
import type { BudgetStore, TakeResult } from './budget-store.ts';
import { conditionalStore } from './conditional-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/**
 * Runs a Lua script with one key (EVAL) and resolves to its result. One line for each client:
 *
 * - redis (node-redis), valkey-glide's createClient: `(script, key, args) => client.eval(script, { keys: [key], arguments: args })`
 * - ioredis, iovalkey: `(script, key, args) => client.eval(script, 1, key, ...args)`
 * - Upstash: `(script, key, args) => client.eval(script, [key], args)`
 */
export type EvaluateScript = (script: string, key: string, args: string[]) => Promise<unknown>;

/**
 * Keeps records and buckets in Redis 5 or newer, or Valkey, by the clock of the server: two scripts for each operation of a record, and one
 * for each take. Set `maxmemory-policy noeviction`: the others evict them. A failover may lose a claim or a take that was not replicated yet.
 *
 * @example
 * redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }))
 */
export function redisStore(evaluate: EvaluateScript): IdempotencyStore & BudgetStore {
  if (typeof evaluate !== 'function')
    throw new TypeError('Expected redisStore to get a function such as (script, key, args) => client.eval(script, 1, key, ...args).');
  return {
    ...conditionalStore({
      read: async (id) => {
        const text = String(await evaluate(readScript, id, []));
        const [start, now] = /^at (\d+) /.exec(text) ?? unexpected(text);
        const value = text.slice(start.length) || undefined;
        return { value, version: value, now: Number(now) };
      },
      write: async (id, { value, version, now, expires }) =>
        (await evaluate(writeScript, id, [version ?? '', value, String(Math.max(1, expires - now))])) === 'written',
    }),
    take: async (id, take) => {
      assertCost(take);
      return toTakeResult(await evaluate(takeScript, id, [String(take.cost), String(take.capacity)]));
    },
  };
}

/** Results are texts that no client takes for JSON or a number, as Upstash's does. */
const readScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return 'at ' .. string.format('%.0f', now) .. ' ' .. (redis.call('GET', KEYS[1]) or '')`;

const writeScript = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 'changed' end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 'written'`;

/** A bucket is a number that expires when the bucket is full. Lua's numbers have 53 bits, so microseconds are exact. */
const takeScript = `
local time = redis.call('TIME')
local now, cost, capacity = time[1] * 1000000 + time[2], tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
if full + cost > now + capacity then return 'refused ' .. string.format('%.0f', full - now) end
full = full + cost
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', math.ceil((full - now) / 1000)))
return 'taken ' .. string.format('%.0f', full - now)`;

function toTakeResult(result: unknown): TakeResult {
  const [, state, untilFull] = /^(taken|refused) (\d+)$/.exec(String(result)) ?? unexpected(String(result));
  return { isTaken: state === 'taken', untilFull: Number(untilFull) };
}

function unexpected(result: string): never {
  throw new Error(`Expected the result of a script of redisStore, got ${result.slice(0, 100)}.`);
}
