import { describe, waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import { recordRun } from '../../server/index.ts';
import type { CoercedExecution, Logger, OperationOutcome } from '../../server/index.ts';
import { toReplay, toStoredAnswer } from './answer.ts';
import { rememberRecord } from './idempotency-key-of.ts';
import { fingerprintOf, readKey, recordId } from './keys.ts';
import type { KeySource } from './keys.ts';
import type { IdempotencyOptions } from './options.ts';
import { answerNotKept, identityMissing, inProgress, keyReused, outcomeUnknown, storeUnavailable, tooLate } from './refusals.ts';
import type { Retry } from './refusals.ts';
import type { ClaimResult } from './store.ts';

/** The options with their defaults, in milliseconds. */
export interface RunSettings extends Pick<IdempotencyOptions, 'store' | 'identity' | 'releaseIf' | 'seal' | 'open'> {
  readonly logger: Logger;
  readonly prefix: string;
  readonly keep: Milliseconds;
  /** True: an abandoned record is taken over. */
  readonly again: boolean;
  /** Undefined: not set. */
  readonly lease: Milliseconds | undefined;
  readonly storeTimeout: Milliseconds;
  readonly maxAnswerBytes: number;
}

/** One attempt to run an operation with a key. */
interface Attempt {
  readonly settings: RunSettings;
  readonly execution: CoercedExecution;
  readonly id: string;
  readonly token: string;
}

/** Runs an operation unless its key has been used, and stores its answer; else returns the stored answer, or throws a refusal. */
export async function runOnce(
  settings: RunSettings,
  { execution, source }: { readonly execution: CoercedExecution; readonly source: KeySource },
  next: () => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
  const key = readKey(source, execution);
  const identity = await identityOf(settings, execution);
  // A key in the document names its field wherever the operation is sent; one in the header names all elements of a batch.
  const position = source.kind === 'header' ? (execution.batchIndex ?? 0) : 0;
  const id = recordId(settings.prefix, [identity, key, position]);
  const attempt: Attempt = { settings, execution, id, token: crypto.randomUUID() };
  const fingerprint = fingerprintOf(execution);
  const claimed = await claim(attempt, fingerprint);
  if (claimed.state !== 'claimed') return answerFor(attempt, claimed, fingerprint);
  recordRun(execution.response, 'claimed');
  rememberRecord(execution.contextValue, id);
  const outcome = await next();
  await end(attempt, outcome);
  return outcome;
}

async function identityOf({ identity }: RunSettings, { contextValue, http }: CoercedExecution): Promise<string> {
  const client = await identity(contextValue, http);
  if (client === undefined || client === null || client === '') throw identityMissing();
  if (typeof client !== 'string') throw new TypeError(`Expected identity of idempotency to return a string, got ${describe(client)}.`);
  return client;
}

/** How long a store whose clock differs by half a second, and a slow network, may take longer than the deadline. */
const margin = 2000;
const defaultLease = 60_000;

async function claim(attempt: Attempt, fingerprint: string): Promise<ClaimResult> {
  const { settings, execution, id, token } = attempt;
  const { store, again, keep, logger } = settings;
  const left = execution.invocation.deadlineLeft();
  // The request has been answered already, while `identity` was running.
  if (left !== undefined && left <= 0) throw tooLate();
  if (left === undefined && settings.lease === undefined && again)
    throw new Error("idempotency with afterCrash: 'run again' needs a deadline (option deadline of the server), or its option lease.");
  const lease = left === undefined ? (settings.lease ?? defaultLease) : left + margin;
  try {
    return await twice(settings, () => store.claim(id, { token, fingerprint, lease, keep, again }));
  } catch (error) {
    logger.error(`The idempotency store did not answer, so a mutation was refused (record ${id}).`, error);
    // The claim may have arrived.
    execution.invocation.waitUntil(release(attempt));
    recordRun(execution.response, 'refused');
    throw storeUnavailable(retryIn(1000, execution));
  }
}

/** Tries again once, with the same token: the first try may have had its effect. */
async function twice<T>({ storeTimeout }: RunSettings, call: () => Promise<T>): Promise<T> {
  const once = async (): Promise<T> => {
    const result = await waitAtMost(storeTimeout, call());
    if (result === 'late') throw new Error(`No answer within ${storeTimeout} ms.`);
    return result;
  };
  try {
    return await once();
  } catch {
    return once();
  }
}

/** The answer if the operation is not run. */
async function answerFor(
  { settings, execution, id }: Attempt,
  found: Exclude<ClaimResult, { state: 'claimed' }>,
  fingerprint: string,
): Promise<OperationOutcome> {
  const { logger, open } = settings;
  recordRun(execution.response, 'refused');
  if (found.fingerprint !== fingerprint) {
    logger.warn(`An idempotency key was reused for another operation (record ${id}).`);
    throw keyReused();
  }
  if (found.state === 'running') throw inProgress(retryIn(found.left, execution));
  if (found.state === 'abandoned') {
    logger.warn(`A mutation was interrupted, and its outcome is unknown (record ${id}).`);
    throw outcomeUnknown();
  }
  if (found.answer === undefined) throw answerNotKept();
  try {
    const replay = toReplay(open === undefined ? found.answer : await open(found.answer, id), execution);
    recordRun(execution.response, 'replayed');
    return replay;
  } catch (error) {
    logger.error(`A stored answer could not be read (record ${id}).`, error);
    throw answerNotKept();
  }
}

/** Long leases do not mean long runs: clients may look again after five seconds. */
function retryIn(left: Milliseconds, { batchIndex }: CoercedExecution): Retry {
  return { after: Math.min(5, Math.max(1, Math.ceil(left / 1000))), withField: batchIndex === undefined };
}

/** Stores the answer, or releases the record. The client gets its answer in every case. */
async function end(attempt: Attempt, outcome: OperationOutcome): Promise<void> {
  const { settings, id } = attempt;
  // Refused at the last moment by a plugin, or at the deadline: no resolver was called.
  if (outcome.executed === false) return release(attempt);
  const isLate = outcome.errors.some(({ extensions }) => extensions['code'] === 'DEADLINE_EXCEEDED');
  // A resolver may still be writing: the lease decides when it can be run again.
  if (isLate && settings.again) return undefined;
  if (!isLate && isReleased(settings, outcome)) return release(attempt);
  const answer = await sealedAnswer(attempt, outcome);
  const { store, keep, logger } = settings;
  try {
    const isOurs = await twice(settings, () => store.finish(id, { token: attempt.token, answer, keep }));
    if (!isOurs) logger.error(`The answer of a mutation was not stored, because its record has expired or was taken over (record ${id}).`);
  } catch (error) {
    logger.error(`The answer of a mutation could not be stored: a retry will be refused (record ${id}).`, error);
  }
}

async function release({ settings, id, token }: Attempt): Promise<void> {
  try {
    await twice(settings, () => settings.store.release(id, { token }));
  } catch (error) {
    settings.logger.error(`An idempotency key that was not used could not be released (record ${id}).`, error);
  }
}

function isReleased({ releaseIf, logger }: RunSettings, { result, errors }: OperationOutcome): boolean {
  if (releaseIf === undefined || !hasFailed(result)) return false;
  try {
    return releaseIf(errors);
  } catch (error) {
    logger.error('releaseIf of idempotency has failed: the answer is kept.', error);
    return false;
  }
}

/** True if every field of the mutation has failed. */
function hasFailed({ data, errors = [] }: OperationOutcome['result']): boolean {
  if (data === undefined || data === null) return true;
  return Object.entries(data).every(([name, value]) => value === null && errors.some(({ path }) => path?.[0] === name));
}

async function sealedAnswer({ settings, id }: Attempt, outcome: OperationOutcome): Promise<string | undefined> {
  const { seal, maxAnswerBytes, logger } = settings;
  const answer = toStoredAnswer(outcome, maxAnswerBytes);
  try {
    return answer === undefined || seal === undefined ? answer : await seal(answer, id);
  } catch (error) {
    logger.error(`The answer of a mutation could not be sealed, and is not kept (record ${id}).`, error);
    return undefined;
  }
}
