import type { ExecutionResult, GraphQLError } from 'graphql';

import { executeInParts } from '../../../executor/index.ts';
import type { ExecutionInParts, SubsequentResult } from '../../../executor/index.ts';
import { copyErrorsForOperation, isGraphQLError } from '../../../shared/index.ts';
import type { OperationInvocation } from '../../../shared/index.ts';
import { codeOf, toGraphQLError, unfinishedAtDeadline } from '../errors.ts';
import { Causes } from '../error-id.ts';
import { formatResult } from '../format-errors.ts';
import { reportUnfinished } from '../log-errors.ts';
import { withCoercionCode } from '../execute.ts';
import type { PayloadStream, SubsequentPayload } from '../types.ts';
import type { Delivery, DeliveryInput } from './delivery.ts';
import { lastResult, callDidEncounterSubsequentErrors, callWillSendSubsequentPayload } from './payload-hooks.ts';
import { SourcedPayloads, withThrown } from './payload-stream.ts';

/** Executes an operation: returns its first part, and opens a stream if others follow. */
export function executeIncrementally(input: DeliveryInput): ExecutionResult | Promise<ExecutionResult> {
  const outcome = executeInParts(input.execution);
  return outcome instanceof Promise ? outcome.then((settled) => begin(input, settled)) : begin(input, outcome);
}

type FirstResult = ExecutionResult & Pick<SubsequentResult, 'pending'>;

interface WithErrors {
  readonly errors?: readonly GraphQLError[];
}

function begin(input: DeliveryInput, { result, parts }: ExecutionInParts): ExecutionResult {
  if (parts === undefined) return withCoercionCode(input.execution, result);
  const pending = new PendingResults(result);
  const stream = new SourcedPayloads<SubsequentResult>({
    source: parts,
    toPayload: async (subsequent) => {
      const payload = await toPayload(input, subsequent);
      // Only after the hooks: if one of them throws, the parts of this payload are still pending for the client.
      pending.note(subsequent);
      return payload;
    },
    toLastPayload: (thrown) => lastPayload(input, pending, thrown),
  });
  endAtDeadline(stream, input.invocation);
  input.open(stream);
  return result;
}

/** At the deadline the parts end with what has arrived; they have until the last moment to be sent. */
function endAtDeadline(stream: PayloadStream, invocation: OperationInvocation): void {
  invocation.onCancel((reason) => {
    if (!endsParts(reason)) void stream.return();
  });
  invocation.onLastMoment(() => stream.finish(unfinishedAtDeadline()));
}

/** False if the client has left. */
function endsParts(reason: Error): boolean {
  return isGraphQLError(reason) && codeOf(reason) !== 'CLIENT_LEFT';
}

/** The parts that have been announced and not completed. */
class PendingResults {
  readonly #ids = new Set<string>();

  constructor(first: FirstResult) {
    for (const { id } of first.pending ?? []) this.#ids.add(id);
  }

  note({ pending = [], completed = [] }: SubsequentResult): void {
    for (const { id } of pending) this.#ids.add(id);
    for (const { id } of completed) this.#ids.delete(id);
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }
}

async function toPayload({ settings, hooks, allowance }: DeliveryInput, executed: SubsequentResult): Promise<SubsequentPayload> {
  const result = withCopiedErrors(executed);
  const entries: WithErrors[] = [...(result.incremental ?? []), ...(result.completed ?? [])];
  const errors = entries.flatMap((entry) => entry.errors ?? []);
  reportUnfinished(settings.logger, errors);
  if (hooks !== undefined && errors.length > 0) await callDidEncounterSubsequentErrors(hooks, errors);
  // With HALT, one error ends several parts.
  const causes = new Causes(errors);
  const format = (entry: WithErrors): object =>
    entry.errors === undefined ? entry : { ...entry, ...formatResult(settings, { errors: entry.errors }, allowance, causes) };
  const payload = {
    ...result,
    ...(result.incremental && { incremental: result.incremental.map(format) }),
    ...(result.completed && { completed: result.completed.map(format) }),
  };
  withThrown(payload, errors);
  return hooks === undefined ? payload : callWillSendSubsequentPayload(hooks, payload);
}

function withCopiedErrors(result: SubsequentResult): SubsequentResult {
  const { incremental, completed } = result;
  const copies = new Map<GraphQLError, GraphQLError>();
  const copyOf = (error: GraphQLError): GraphQLError => {
    const copy = copies.get(error) ?? copyErrorsForOperation([error])[0]!;
    copies.set(error, copy);
    return copy;
  };
  const copyEntry = <TEntry extends WithErrors>(entry: TEntry): TEntry =>
    entry.errors === undefined ? entry : { ...entry, errors: entry.errors.map(copyOf) };
  return {
    ...result,
    ...(incremental && { incremental: incremental.map(copyEntry) }),
    ...(completed && { completed: completed.map(copyEntry) }),
  };
}

/** The last payload, which completes all pending parts with an error. */
async function lastPayload(input: DeliveryInput, pending: PendingResults, thrown: unknown): Promise<SubsequentPayload> {
  const { errors } = await lastResult(input, thrown);
  return withThrown(endedBy(input.delivery, pending, errors), [toGraphQLError(thrown)]);
}

function endedBy({ incremental }: Delivery, { ids }: PendingResults, errors: SubsequentPayload['errors']): SubsequentPayload {
  if (incremental === 'current') return { hasNext: false, completed: ids.map((id) => ({ id, errors })) };
  // The legacy format has no ids for pending parts. An empty object, unlike null, does not overwrite data that the client already has.
  return { hasNext: false, incremental: [{ data: {}, path: [], errors }] };
}
