import { Kind, visit } from 'graphql';
import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ExecutionResult,
  GraphQLError,
} from 'graphql';

import { copyErrorsForOperation } from '../../../shared/index.ts';
import type { OperationInvocation } from '../../../shared/index.ts';
import { guardExecution, isIncrementalDirective, refuseVariables } from '../../../executor/index.ts';
import type { GuardedExecution } from '../../../executor/index.ts';
import { createError, formatResult, isGraphQLError, reportUnfinished, toGraphQLError, unfinishedAtDeadline } from '../errors.ts';
import { fragmentsOf } from '../limits/document-size.ts';
import { maxNameLength } from '../limits/nesting.ts';

import * as graphql from 'graphql';

import type { Delivery, DeliveryInput } from './delivery.ts';
import type { PayloadStream, SubsequentPayload } from '../types.ts';
import { executeOperation, toExecutionArgs, withCoercionCode } from '../execute.ts';
import { IncrementalUsage } from './incremental-usage.ts';
import { withPartLimit } from './part-limit.ts';
import { lastResult, callDidEncounterSubsequentErrors, callWillSendSubsequentPayload } from './payload-hooks.ts';
import { closeSource, SourcedPayloads, withThrown } from './payload-stream.ts';

/** Settings for deferred and streamed parts. */
export interface IncrementalOptions {
  /** Start parts at once, concurrently with the first part, rather than after it. */
  readonly early: boolean;
  /** The maximum number of parts of an answer. */
  readonly maxParts: number;
}

/**
 * Executes an operation with `@defer` or `@stream`: returns its first part, and opens a stream of the others. Operations without these
 * directives are executed as usual; so are all operations with graphql 16, which has no incremental executor.
 */
export function executeIncrementally(settings: IncrementalOptions, input: DeliveryInput): ExecutionResult | Promise<ExecutionResult> {
  const { execution, delivery } = input;
  const run = delivery.incremental === 'legacy' ? graphql.legacyExecuteIncrementally : graphql.experimentalExecuteIncrementally;
  // The types are those of graphql 17; in 16 the function is undefined.
  if ((run as typeof run | undefined) === undefined || !usesIncrementalDirectives(execution.document, execution.operation)) {
    return executeOperation(input.settings, execution);
  }
  const usage = new IncrementalUsage(execution, Math.min(settings.maxParts, maxDirectives));
  if (usage.count === 0 || usage.isTooMuch) return executeOperation(input.settings, execution);
  const refusal = refuseVariables(execution);
  if (refusal !== undefined) return withCoercionCode(execution, refusal);
  const args = { ...toExecutionArgs(execution), enableEarlyExecution: settings.early };
  // The guard stays active for the whole call: at the deadline, all parts that are still waiting end with what they have.
  const guard = guardExecution(args, execution);
  const outcome = run(withPartLimit(guard.args, { usage, maxParts: settings.maxParts })) as Outcome | Promise<Outcome>;
  return outcome instanceof Promise ? outcome.then((settled) => begin(input, guard, settled)) : begin(input, guard, outcome);
}

/** An operation with more directives gets one answer: each object below a `@defer` takes longer the more defers are around it. */
const maxDirectives = 50;

/** The result of either executor. The two formats differ in the content of payloads, but this is all that matters here. */
type Outcome = ExecutionResult | IncrementalOutcome;

interface IncrementalOutcome {
  readonly initialResult: InitialResult;
  readonly subsequentResults: AsyncGenerator<SubsequentResult, void, void>;
}

type InitialResult = ExecutionResult & Pick<SubsequentResult, 'pending' | 'hasNext'>;

/** A payload after the first part, as graphql-js produces it. */
interface SubsequentResult {
  readonly hasNext: boolean;
  /** Newly announced parts. Absent in the legacy format. */
  readonly pending?: readonly { readonly id: string }[];
  readonly incremental?: readonly Entry[];
  readonly completed?: readonly (Entry & { readonly id: string })[];
}

interface Entry {
  readonly errors?: readonly GraphQLError[];
}

function begin(input: DeliveryInput, { overflow }: GuardedExecution, outcome: Outcome): ExecutionResult {
  const tooLarge = overflow();
  if (tooLarge !== undefined) {
    if ('subsequentResults' in outcome) void closeSource(outcome.subsequentResults);
    return { errors: [tooLarge] };
  }
  if (!('initialResult' in outcome)) return withCoercionCode(input.execution, outcome);
  const { initialResult, subsequentResults } = outcome;
  const pending = new PendingResults(initialResult);
  const stream = new SourcedPayloads<SubsequentResult>({
    source: subsequentResults,
    toPayload: async (result) => {
      const error = overflow();
      if (error !== undefined) throw error;
      const payload = await toPayload(input, result);
      // Only after the hooks: if one of them throws, the parts of this payload are still pending for the client.
      pending.note(result);
      return payload;
    },
    toLastPayload: (thrown) => lastPayload(input, pending, thrown),
  });
  endAtDeadline(stream, input.invocation);
  input.open(stream);
  return initialResult;
}

/** The guard ends the parts at the deadline; they have until the last moment to arrive. */
function endAtDeadline(stream: PayloadStream, invocation: OperationInvocation): void {
  invocation.onCancel((reason) => {
    const isDeadline = isGraphQLError(reason) && reason.extensions['code'] === 'DEADLINE_EXCEEDED';
    if (!isDeadline) void stream.return();
  });
  invocation.onLastMoment(() => stream.finish(unfinishedAtDeadline()));
}

/** The parts that have been announced and not completed. */
class PendingResults {
  readonly #ids = new Set<string>();

  constructor(first: InitialResult) {
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
  const entries = [...(result.incremental ?? []), ...(result.completed ?? [])];
  const errors = entries.flatMap((entry) => entry.errors ?? []);
  reportUnfinished(settings.logger, errors);
  if (hooks !== undefined && errors.length > 0) await callDidEncounterSubsequentErrors(hooks, errors);
  const format = (entry: Entry): object =>
    entry.errors === undefined ? entry : { ...entry, ...formatResult(settings, { errors: entry.errors }, allowance) };
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
  return {
    ...result,
    ...(incremental && { incremental: incremental.map(copyEntry) }),
    ...(completed && { completed: completed.map(copyEntry) }),
  };
}

function copyEntry<TEntry extends Entry>(entry: TEntry): TEntry {
  return entry.errors === undefined ? entry : { ...entry, errors: copyErrorsForOperation(entry.errors) };
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

const answers = new WeakMap<OperationDefinitionNode, boolean>();

/** True when an operation or one of its fragments contains `@defer` or `@stream`, whatever the value of their `if`. */
function usesIncrementalDirectives(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const known = answers.get(operation);
  if (known !== undefined) return known;
  const answer = containsIncrementalDirective(operation.selectionSet, fragmentsOf(document), new Set());
  if (answer) assertLabels(document);
  answers.set(operation, answer);
  return answer;
}

/** Limits the length of labels, because each part repeats its label: one of 100 KB in a list made an answer of 50 MB. */
function assertLabels(document: DocumentNode): void {
  visit(document, {
    Directive({ name, arguments: given }) {
      const label = isIncrementalDirective(name.value) ? given?.find((argument) => argument.name.value === 'label')?.value : undefined;
      if (label?.kind !== Kind.STRING || label.value.length <= maxNameLength) return;
      throw createError(
        'GRAPHQL_VALIDATION_FAILED',
        `Expected labels of @${name.value} of at most ${maxNameLength} characters, got one of ${label.value.length}.`,
      );
    },
  });
}

function containsIncrementalDirective(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  visited: Set<string>,
): boolean {
  return selections.some((selection) => {
    if (selection.directives?.some(({ name }) => isIncrementalDirective(name.value))) return true;
    if (selection.kind !== Kind.FRAGMENT_SPREAD)
      return selection.selectionSet !== undefined && containsIncrementalDirective(selection.selectionSet, fragments, visited);
    const fragment = visited.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
    visited.add(selection.name.value);
    return fragment !== undefined && containsIncrementalDirective(fragment.selectionSet, fragments, visited);
  });
}
