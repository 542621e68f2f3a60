import { Kind, visit } from 'graphql';
import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ExecutionResult,
  GraphQLError,
} from 'graphql';

import type { OperationInvocation } from '../../message/invocation.ts';
import { ownErrors } from '../../message/own-errors.ts';
import { isIncrementalDirective } from '../../execution/graphql-js/without-incremental-directives.ts';
import { createError, deadlineExceeded, formatResult, isGraphQLError, reportUnfinished, toGraphQLError } from '../errors.ts';
import { fragmentsOf } from '../limits/document-size.ts';
import { maxNameLength } from '../limits/nesting.ts';

import * as graphql from 'graphql';

import { guardExecution } from '../../execution/graphql-js/execute-with-deadline.ts';
import type { GuardedExecution } from '../../execution/graphql-js/execute-with-deadline.ts';
import type { Delivery, DeliveryInput } from './delivery.ts';
import type { PayloadStream, SubsequentPayload } from '../types.ts';
import { executeOperation, refuseHeavyVariables, toExecutionArgs, withCoercionCode } from '../execute.ts';
import { IncrementalUsage } from './incremental-usage.ts';
import { withPartLimit } from './part-limit.ts';
import { lastResult, tellOfErrors, tellOfPayload } from './payload-hooks.ts';
import { closeSource, SourcedPayloads, withThrown } from './payload-stream.ts';

/** How graphql-js begins deferred and streamed parts. */
export interface IncrementalOptions {
  /** Begin parts at once, beside what does not wait for them; else when that is done. */
  readonly early: boolean;
  /** The most parts of an answer. */
  readonly maxParts: number;
}

/**
 * Executes an operation with `@defer` or `@stream`: returns its first part, and opens a stream of the others. What has
 * no such directive takes the ordinary way, and graphql 16, which cannot answer in parts, answers everything at once.
 */
export function executeIncrementally(settings: IncrementalOptions, input: DeliveryInput): ExecutionResult | Promise<ExecutionResult> {
  const { execution, delivery } = input;
  const run = delivery.incremental === 'legacy' ? graphql.legacyExecuteIncrementally : graphql.experimentalExecuteIncrementally;
  // The types are those of 17.
  if ((run as typeof run | undefined) === undefined || !usesIncrementalDirectives(execution.document, execution.operation)) {
    return executeOperation(input.settings, execution);
  }
  const usage = new IncrementalUsage(execution, Math.min(settings.maxParts, maxDirectives));
  if (usage.count === 0 || usage.isTooMuch) return executeOperation(input.settings, execution);
  const refusal = refuseHeavyVariables(input.settings, execution);
  if (refusal !== undefined) return withCoercionCode(input.settings, refusal);
  const args = { ...toExecutionArgs(input.settings, input.execution), enableEarlyExecution: settings.early };
  // Lasts as long as the call: at the deadline every part that waits for something ends with what it has.
  const guard = guardExecution(args, execution);
  const outcome = run(withPartLimit(guard.args, { usage, maxParts: settings.maxParts })) as Outcome | Promise<Outcome>;
  return outcome instanceof Promise ? outcome.then((settled) => begin(input, guard, settled)) : begin(input, guard, outcome);
}

/** More than this in one operation, and it is answered once: each object below a `@defer` takes the longer, the more of them are around it. */
const maxDirectives = 50;

/** Of either executor: the formats differ in what payloads hold, and nothing here depends on more of it than this. */
type Outcome = ExecutionResult | IncrementalOutcome;

interface IncrementalOutcome {
  readonly initialResult: InitialResult;
  readonly subsequentResults: AsyncGenerator<SubsequentResult, void, void>;
}

type InitialResult = ExecutionResult & Pick<SubsequentResult, 'pending' | 'hasNext'>;

/** A payload after the first part, as graphql-js gives it. */
interface SubsequentResult {
  readonly hasNext: boolean;
  /** Parts that have been announced. Not in the legacy format. */
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
  if (!('initialResult' in outcome)) return withCoercionCode(input.settings, outcome);
  const { initialResult, subsequentResults } = outcome;
  const pending = new PendingResults(initialResult);
  const stream = new SourcedPayloads<SubsequentResult>({
    source: subsequentResults,
    toPayload: async (result) => {
      const error = overflow();
      if (error !== undefined) throw error;
      const payload = await toPayload(input, result);
      // Only now: what a part that failed on its way would have completed is still pending for the client.
      pending.note(result);
      return payload;
    },
    toLastPayload: (thrown) => lastPayload(input, pending, thrown),
  });
  endAtDeadline(stream, input.invocation);
  input.open(stream);
  return initialResult;
}

/** At the deadline parts end by themselves, and have until the last moment to arrive. */
function endAtDeadline(stream: PayloadStream, invocation: OperationInvocation): void {
  invocation.onCancel((reason) => {
    const isDeadline = isGraphQLError(reason) && reason.extensions['code'] === 'DEADLINE_EXCEEDED';
    if (!isDeadline) void stream.return();
  });
  invocation.onLastMoment(() => stream.finish(deadlineExceeded()));
}

/** The parts that were announced and have not come. */
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
  const result = withOwnErrors(executed);
  const entries = [...(result.incremental ?? []), ...(result.completed ?? [])];
  const errors = entries.flatMap((entry) => entry.errors ?? []);
  reportUnfinished(settings.logger, errors);
  if (hooks !== undefined && errors.length > 0) await tellOfErrors(hooks, errors);
  const format = (entry: Entry): object =>
    entry.errors === undefined ? entry : { ...entry, ...formatResult(settings, { errors: entry.errors }, allowance) };
  const payload = {
    ...result,
    ...(result.incremental && { incremental: result.incremental.map(format) }),
    ...(result.completed && { completed: result.completed.map(format) }),
  };
  withThrown(payload, errors);
  return hooks === undefined ? payload : tellOfPayload(hooks, payload);
}

function withOwnErrors(result: SubsequentResult): SubsequentResult {
  const { incremental, completed } = result;
  return {
    ...result,
    ...(incremental && { incremental: incremental.map(ownEntry) }),
    ...(completed && { completed: completed.map(ownEntry) }),
  };
}

function ownEntry<TEntry extends Entry>(entry: TEntry): TEntry {
  return entry.errors === undefined ? entry : { ...entry, errors: ownErrors(entry.errors) };
}

/** The last payload: pending parts will not come, and this is why. */
async function lastPayload(input: DeliveryInput, pending: PendingResults, thrown: unknown): Promise<SubsequentPayload> {
  const { errors } = await lastResult(input, thrown);
  return withThrown(endedBy(input.delivery, pending, errors), [toGraphQLError(thrown)]);
}

function endedBy({ incremental }: Delivery, { ids }: PendingResults, errors: SubsequentPayload['errors']): SubsequentPayload {
  if (incremental === 'current') return { hasNext: false, completed: ids.map((id) => ({ id, errors })) };
  // The format has no names for pending parts. An object without fields changes nothing of what has come, which null would.
  return { hasNext: false, incremental: [{ data: {}, path: [], errors }] };
}

/** By operation, which lives as long as its document. */
const answers = new WeakMap<OperationDefinitionNode, boolean>();

/** True when an operation has `@defer` or `@stream` in it, in its fragments too. What their `if` comes to is another matter. */
function usesIncrementalDirectives(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const known = answers.get(operation);
  if (known !== undefined) return known;
  const answer = containsIncrementalDirective(operation.selectionSet, fragmentsOf(document), new Set());
  if (answer) assertLabels(document);
  answers.set(operation, answer);
  return answer;
}

/** Each part repeats its label: one of 100 KB in a list made 50 MB. */
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
