import type { GraphQLError } from 'graphql';

import { assertSynchronous, describe } from '../../shared/index.ts';
import type { Milliseconds, RunDecision } from '../../shared/index.ts';
import type { Seconds } from '../../datasources/index.ts';
import type { OperationExecution, OperationOutcome } from '../../server/index.ts';
import { toReplay, toStoredAnswer } from './answer.ts';
import { rememberRecord } from './idempotency-key-of.ts';
import { fingerprintOf, recordId, rootFields } from './keys.ts';
import type { FoundKey } from './keys.ts';
import type { IdempotencyOptions } from './options.ts';
import { refusalFor } from './refusals.ts';
import type { RefusalCode } from './refusals.ts';
import { identityText, inTime } from '../stores/index.ts';
import type { ClaimResult } from '../stores/index.ts';

/** The options with their defaults. */
export interface RunSettings extends IdempotencyOptions {
  readonly prefix: string;
  readonly ttl: Seconds;
  readonly storeTimeout: Milliseconds;
  readonly maxAnswerBytes: number;
}

/** One attempt to run an operation with a key. */
interface Attempt {
  readonly settings: RunSettings;
  readonly execution: OperationExecution;
  readonly id: string;
  readonly token: string;
}

/** Runs an operation unless its key has been used, and stores its answer; else returns the stored answer, or throws a refusal. */
export async function runOnce(
  settings: RunSettings,
  { execution, found }: { readonly execution: OperationExecution; readonly found: FoundKey },
  next: () => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
  const identity = await identityOf(settings, execution);
  // A key in the document belongs to its field, however the operation is sent.
  const position = found.isInHeader ? (execution.batchIndex ?? 0) : 0;
  const id = recordId(settings.prefix, [identity, found.key, position]);
  const attempt: Attempt = { settings, execution, id, token: crypto.randomUUID() };
  const fingerprint = fingerprintOf(execution);
  const claimed = await claim(attempt, fingerprint);
  if (claimed.state !== 'claimed') return answerFor(attempt, claimed, fingerprint);
  record(execution, 'claimed');
  rememberRecord(execution.contextValue, id);
  const outcome = await next();
  await end(attempt, outcome);
  return outcome;
}

/** Records the decision for plugins that report it. */
function record({ facts }: OperationExecution, decision: RunDecision): void {
  facts.set('idempotency', decision);
}

async function identityOf(settings: RunSettings, { contextValue, call }: OperationExecution): Promise<string> {
  const client = await inTime(settings.storeTimeout, 'identity of idempotency', () => settings.identity(contextValue, call.request));
  if (client === undefined || client === null || client === '') throw refusalFor('IDEMPOTENCY_IDENTITY_MISSING');
  const text = identityText(client);
  if (typeof text === 'string') return text;
  throw new TypeError(`Expected a string or a number from identity of idempotency, got ${describe(client)}.`);
}

/** The time beyond the deadline for a slow network, and for a store whose clock differs by half a second. */
const margin = 2000;
/** Seconds. */
const defaultLease = 60;

async function claim(attempt: Attempt, fingerprint: string): Promise<ClaimResult> {
  const { settings, execution, id, token } = attempt;
  const { store, ttl, lease } = settings;
  const again = settings.afterCrash === 'run again';
  assertOpen(execution);
  const left = execution.invocation.deadlineLeft();
  if (left === undefined && lease === undefined && again)
    throw new Error("Expected lease of idempotency to be set: with afterCrash 'run again', a request without a deadline needs it.");
  const attemptEnds = left === undefined ? (lease ?? defaultLease) * 1000 : left + margin;
  // A record that expires before its attempt ends would let another one run.
  const given = { token, fingerprint, lease: attemptEnds, keep: Math.max(ttl * 1000, attemptEnds), again };
  try {
    return await twice(settings, () => store.claim(id, given));
  } catch (error) {
    // The claim may have reached the store.
    execution.invocation.waitUntil(release(attempt));
    throw logAndReturn(attempt, refuse(attempt, 'IDEMPOTENCY_STORE_UNAVAILABLE', 1000), error);
  }
}

/**
 * Throws if the request has been answered already, while `identity` or the store was running, or if the client had left before that: a
 * resolver that passes the signal of `context` on would be aborted, and the abort stored.
 */
function assertOpen({ invocation }: OperationExecution): void {
  const left = invocation.deadlineLeft();
  if (left !== undefined && left <= 0) throw refusalFor('DEADLINE_EXCEEDED');
  if (invocation.signal.aborted) throw refusalFor('CLIENT_LEFT');
}

/** Retries once with the same token, because the first try may have had its effect. */
async function twice<T>({ storeTimeout }: RunSettings, call: () => Promise<T>): Promise<T> {
  const once = async (): Promise<T> => inTime(storeTimeout, 'The store of idempotency', call);
  return once().catch(once);
}

/** Returns the answer if the operation is not run. */
function answerFor(attempt: Attempt, found: Exclude<ClaimResult, { state: 'claimed' }>, fingerprint: string): OperationOutcome {
  const { execution } = attempt;
  assertOpen(execution);
  if (found.fingerprint !== fingerprint) throw logAndReturn(attempt, refuse(attempt, 'IDEMPOTENCY_KEY_REUSED'));
  if (found.state === 'running') throw refuse(attempt, 'IDEMPOTENCY_IN_PROGRESS', found.left);
  if (found.state === 'abandoned') throw logAndReturn(attempt, refuse(attempt, 'IDEMPOTENCY_OUTCOME_UNKNOWN'));
  if (found.answer === undefined) throw refuse(attempt, 'IDEMPOTENCY_ANSWER_NOT_KEPT');
  try {
    const replay = toReplay(found.answer, execution);
    record(execution, 'replayed');
    return replay;
  } catch (error) {
    throw logAndReturn(attempt, refuse(attempt, 'IDEMPOTENCY_ANSWER_NOT_KEPT'), error);
  }
}

/** Creates a refusal. `left` is the time until a retry can succeed, but clients may retry after five seconds. */
function refuse({ execution }: Attempt, code: RefusalCode, left?: Milliseconds): GraphQLError {
  record(execution, 'refused');
  if (left === undefined) return refusalFor(code);
  return refusalFor(code, { retryAfter: Math.min(5, Math.max(1, Math.ceil(left / 1000))), batchIndex: execution.batchIndex });
}

/** Logs the refusal and returns it: these need attention. */
function logAndReturn(attempt: Attempt, refused: GraphQLError, cause?: unknown): GraphQLError {
  log(attempt, refused.message, cause);
  return refused;
}

function log({ execution: { call }, id }: Attempt, message: string, cause?: unknown): void {
  const text = `${message} (record ${id})`;
  if (cause === undefined) call.logger.warn(text);
  else call.logger.error(text, cause);
}

/** Stores the answer, or releases the record. The client gets its answer in every case. */
async function end(attempt: Attempt, outcome: OperationOutcome): Promise<void> {
  const { settings, id, token } = attempt;
  const { store, ttl, afterCrash } = settings;
  const isLate = outcome.unfinished === true;
  // A plugin or the deadline has refused the operation, so no resolver was called.
  if (outcome.executed === false || (!isLate && isReleased(attempt, outcome))) return release(attempt);
  // A resolver may still be writing, so the lease determines when the mutation can run again.
  if (isLate && afterCrash === 'run again') return undefined;
  const answer = toStoredAnswer(outcome, attempt.execution, settings.maxAnswerBytes);
  try {
    if (!(await twice(settings, () => store.finish(id, { token, answer, keep: ttl * 1000 }))))
      log(attempt, 'The answer of a mutation was not stored: its record had expired, or was taken over.');
  } catch (error) {
    const consequence = afterCrash === 'run again' ? 'a retry will run again after the lease.' : 'a retry will be refused.';
    log(attempt, `The answer of a mutation was not stored: ${consequence}`, error);
  }
}

async function release(attempt: Attempt): Promise<void> {
  const { settings, id, token } = attempt;
  try {
    await twice(settings, () => settings.store.release(id, { token }));
  } catch (error) {
    log(attempt, 'An idempotency key was not released.', error);
  }
}

function isReleased(attempt: Attempt, { errors }: OperationOutcome): boolean {
  const { settings, execution } = attempt;
  const { releaseIf } = settings;
  try {
    return releaseIf !== undefined && haveAllFailed(execution, errors) && assertSynchronous(releaseIf(errors), 'releaseIf of idempotency');
  } catch (error) {
    log(attempt, 'releaseIf of idempotency has failed.', error);
    return false;
  }
}

/**
 * True if the resolver of every root field has failed. `data: null` does not prove this: with HALT, and where fields are non-null, earlier
 * fields may have run. An error below a field means that the field has run.
 */
function haveAllFailed(execution: OperationExecution, errors: readonly GraphQLError[]): boolean {
  const failed = new Set(errors.flatMap(({ path }) => (path?.length === 1 ? path[0] : [])));
  return rootFields(execution).every(({ alias, name }) => failed.has((alias ?? name).value));
}
