import { assertCost } from './bucket.ts';
import type { BudgetStore, TakeResult } from './budget-store.ts';
import type { ClaimResult, IdempotencyStore } from './idempotency-store.ts';

/**
 * Runs a Lua script with one key (EVAL) and resolves to its result. One line for each client:
 *
 * - redis (node-redis), valkey-glide's createClient: `(script, key, args) => client.eval(script, { keys: [key], arguments: args })`
 * - ioredis, iovalkey: `(script, key, args) => client.eval(script, 1, key, ...args)`
 * - Upstash: `(script, key, args) => client.eval(script, [key], args)`
 */
export type EvaluateScript = (script: string, key: string, args: string[]) => Promise<unknown>;

/**
 * Keeps records and buckets in Redis 5 or newer, or Valkey: one script for each operation, by the clock of the server. Set
 * `maxmemory-policy noeviction`: the others evict them. A failover may lose a claim or a take that was not replicated yet.
 *
 * @example
 * redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }))
 */
export function redisStore(evaluate: EvaluateScript): IdempotencyStore & BudgetStore {
  if (typeof evaluate !== 'function')
    throw new TypeError('Expected redisStore to get a function such as (script, key, args) => client.eval(script, 1, key, ...args).');
  return {
    claim: async (id, { token, fingerprint, lease, keep, again }) =>
      toResult(await evaluate(claimScript, id, [token, fingerprint, toInteger(lease), toInteger(keep), again ? '1' : '0'])),
    finish: async (id, { token, answer, keep }) =>
      (await evaluate(finishScript, id, [token, toInteger(keep), answer === undefined ? '0' : '1', answer ?? ''])) === 'yes',
    release: async (id, { token }) => (await evaluate(releaseScript, id, [token])) === 'yes',
    take: async (id, take) => {
      assertCost(take);
      return toTakeResult(await evaluate(takeScript, id, [String(take.cost), String(take.capacity)]));
    },
  };
}

/** Times of Redis are whole milliseconds. */
function toInteger(milliseconds: number): string {
  return String(Math.ceil(milliseconds));
}

/**
 * A record is a hash; `answer` begins with "+", or is "-" if it was not kept. Results are texts that no client takes for JSON or a number,
 * as Upstash's does: `running <left> <fingerprint>`, `finished <fingerprint> <answer>`.
 */
const claimScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token, fingerprint, ends, answer = unpack(redis.call('HMGET', KEYS[1], 'token', 'fingerprint', 'ends', 'answer'))
if answer then return 'finished ' .. fingerprint .. ' ' .. answer end
if token and token ~= ARGV[1] then
  if tonumber(ends) > now then return 'running ' .. string.format('%d', tonumber(ends) - now) .. ' ' .. fingerprint end
  if ARGV[5] ~= '1' or fingerprint ~= ARGV[2] then return 'abandoned ' .. fingerprint end
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'fingerprint', ARGV[2], 'ends', string.format('%d', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 'claimed'`;

const finishScript = `
local token, answer = unpack(redis.call('HMGET', KEYS[1], 'token', 'answer'))
if token ~= ARGV[1] then return 'no' end
if not answer then
  redis.call('HSET', KEYS[1], 'answer', ARGV[3] == '1' and '+' .. ARGV[4] or '-')
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 'yes'`;

const releaseScript = `
local token, answer = unpack(redis.call('HMGET', KEYS[1], 'token', 'answer'))
if token ~= ARGV[1] or answer then return 'no' end
redis.call('DEL', KEYS[1])
return 'yes'`;

function toResult(result: unknown): ClaimResult {
  const text = String(result);
  const [state, first = '', second = ''] = text.split(' ', 3);
  if (state === 'claimed') return { state };
  if (state === 'running') return { state, fingerprint: second, left: Number(first) };
  if (state === 'abandoned') return { state, fingerprint: first };
  if (state !== 'finished') throw unexpected(text);
  return { state, fingerprint: first, answer: second.startsWith('+') ? text.slice(`finished ${first} +`.length) : undefined };
}

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
  const [state, untilFull] = String(result).split(' ', 2);
  if (state !== 'taken' && state !== 'refused') throw unexpected(String(result));
  return { isTaken: state === 'taken', untilFull: Number(untilFull) };
}

function unexpected(result: string): Error {
  return new Error(`Expected the result of a script of redisStore, got ${result.slice(0, 100)}.`);
}
