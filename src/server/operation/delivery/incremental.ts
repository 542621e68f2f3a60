import type { ExecutionResult, GraphQLError } from 'graphql';

import { executeInParts } from '../../../executor/index.ts';
import type { ExecutionInParts, SubsequentResult } from '../../../executor/index.ts';
import { copyErrorsForOperation } from '../../../shared/index.ts';
import type { PromiseOrValue } from '../../../shared/index.ts';
import { endOf, unfinishedAtDeadline, reportUnfinished } from '../errors.ts';
import { Causes, formatResult } from '../format-errors.ts';
import { withCoercionCode } from '../run-operation.ts';
import type { PayloadOutcome } from '../types.ts';
import { ErrorAllowance } from '../limits/error-allowance.ts';
import type { Operation, ReadyOperation } from '../operation.ts';
import { openStream, SourcedPayloads, lastResult } from './payload-stream.ts';

/** Executes an operation: returns its first part, and opens a stream if others follow. */
export function deliverInParts(operation: ReadyOperation): PromiseOrValue<ExecutionResult> {
  const outcome = executeInParts(operation.execution);
  return outcome instanceof Promise ? outcome.then((settled) => begin(operation, settled)) : begin(operation, outcome);
}

interface WithErrors {
  readonly errors?: readonly GraphQLError[];
}

function begin(operation: ReadyOperation, { result, parts }: ExecutionInParts): ExecutionResult {
  if (parts === undefined) return withCoercionCode(operation.execution, result);
  operation.allowance = new ErrorAllowance();
  /** The ids of the parts that have been announced and not completed. */
  const pending = new Set(((result as Pick<SubsequentResult, 'pending'>).pending ?? []).map(({ id }) => id));
  const stream = new SourcedPayloads<SubsequentResult>({
    source: parts,
    toPayload: async (subsequent) => {
      const payload = await toPayload(operation, subsequent);
      // Only after the hooks: if one of them throws, the parts of this payload are still pending for the client.
      for (const { id } of subsequent.pending ?? []) pending.add(id);
      for (const { id } of subsequent.completed ?? []) pending.delete(id);
      return payload;
    },
    toLastPayload: (thrown, unsent) => {
      for (const { id } of (unsent?.completed ?? []) as SubsequentResult['completed'] & object) pending.add(id);
      for (const { id } of (unsent?.pending ?? []) as SubsequentResult['pending'] & object) pending.delete(id);
      return lastPayload(operation, pending, thrown);
    },
  });
  // At the deadline the parts end with what has arrived; they have until the last moment to be sent.
  operation.invocation.onCancel((reason) => {
    if (endOf(reason) === 'disconnect') void stream.return();
  });
  operation.invocation.onLastMoment(() => stream.finish(unfinishedAtDeadline()));
  openStream(operation, stream);
  return result;
}

async function toPayload({ settings, hooks, allowance }: Operation, result: SubsequentResult): Promise<PayloadOutcome> {
  const entries: readonly WithErrors[] = [...(result.incremental ?? []), ...(result.completed ?? [])];
  const errors = copyErrorsForOperation(entries.flatMap((entry) => entry.errors ?? []));
  reportUnfinished(settings.logger, errors);
  if (hooks !== undefined && errors.length > 0) await hooks.call('didEncounterSubsequentErrors', errors);
  // With HALT, one error ends several parts.
  const causes = new Causes(errors);
  let formatted = 0;
  const format = (entry: WithErrors): object => {
    if (entry.errors === undefined) return entry;
    const copies = errors.slice(formatted, (formatted += entry.errors.length));
    return { ...entry, ...formatResult(settings, { errors: copies }, allowance, causes) };
  };
  const payload = {
    ...result,
    ...(result.incremental && { incremental: result.incremental.map(format) }),
    ...(result.completed && { completed: result.completed.map(format) }),
  };
  await hooks?.call('willSendSubsequentPayload', payload);
  return { result: payload, errors };
}

/** The last payload, which completes all pending parts with an error. */
async function lastPayload(operation: Operation, pending: ReadonlySet<string>, thrown: unknown): Promise<PayloadOutcome> {
  const last = await lastResult(operation, thrown);
  const { errors } = last.result;
  const result =
    operation.delivery!.incremental === 'current'
      ? { hasNext: false, completed: Array.from(pending, (id) => ({ id, errors })) }
      : // The legacy format has no ids for pending parts. An empty object, unlike null, does not overwrite data that the client already has.
        { hasNext: false, incremental: [{ data: {}, path: [], errors }] };
  return { ...last, result };
}
