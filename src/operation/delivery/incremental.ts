import { Kind, visit } from 'graphql';
import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ExecutionResult,
  GraphQLError,
} from 'graphql';

import { isPartDirective } from '../../execution/graphql-js/in-one-part.ts';
import { createError, deadlineExceeded, formatResult, isGraphQLError, reportUnfinished } from '../errors.ts';
import { fragmentsOf } from '../limits/document-size.ts';
import { maxNameLength } from '../limits/nesting.ts';

import * as graphql from 'graphql';

import { startRace } from '../../execution/graphql-js/racing.ts';
import type { StartedRace } from '../../execution/graphql-js/racing.ts';
import type { OperationLife } from '../context.ts';
import type { Delivery, ExecutionInParts } from './delivery.ts';
import type { PayloadStream, SubsequentPayload } from '../outcome.ts';
import { executeOperation, refuseHeavyVariables, toExecutionArgs, withCoercionCode } from '../execute.ts';
import { lastResult, tellOfErrors, tellOfPayload } from './payload-hooks.ts';
import { closeSource, SourcedPayloads } from './payload-stream.ts';

/** How graphql-js begins deferred and streamed parts. */
export interface PartSettings {
  /** Begin parts at once, beside what does not wait for them; else when that is done. */
  readonly early: boolean;
}

/**
 * Executes an operation with `@defer` or `@stream`: returns its first part, and opens a stream of the others. What has
 * no such directive takes the ordinary way, and graphql 16, which cannot answer in parts, answers everything at once.
 */
export function executeIncrementally(settings: PartSettings, parts: ExecutionInParts): ExecutionResult | Promise<ExecutionResult> {
  const { execution, delivery } = parts;
  const run = delivery.incremental === 'legacy' ? graphql.legacyExecuteIncrementally : graphql.experimentalExecuteIncrementally;
  // The types are those of 17.
  if ((run as typeof run | undefined) === undefined || !asksForParts(execution.document, execution.operation)) {
    return executeOperation(parts.settings, execution);
  }
  const refusal = refuseHeavyVariables(parts.settings, execution);
  if (refusal !== undefined) return withCoercionCode(parts.settings, refusal);
  const args = { ...toExecutionArgs(parts.settings, parts.execution), enableEarlyExecution: settings.early };
  // Lasts as long as the call: at the deadline every part that waits for something ends with what it has.
  const race = startRace(args, execution);
  const outcome = run(race.args) as Outcome | Promise<Outcome>;
  return outcome instanceof Promise ? outcome.then((settled) => begin(parts, race, settled)) : begin(parts, race, outcome);
}

/** Of either executor: the formats differ in what payloads hold, and nothing here depends on more of it than this. */
type Outcome = ExecutionResult | IncrementalOutcome;

interface IncrementalOutcome {
  readonly initialResult: FirstPart;
  readonly subsequentResults: AsyncGenerator<Part, void, void>;
}

type FirstPart = ExecutionResult & Pick<Part, 'pending' | 'hasNext'>;

/** What comes after the first part, as graphql-js gives it. */
interface Part {
  readonly hasNext: boolean;
  /** Parts that have been announced. Not in the legacy format. */
  readonly pending?: readonly { readonly id: string }[];
  readonly incremental?: readonly Entry[];
  readonly completed?: readonly (Entry & { readonly id: string })[];
}

interface Entry {
  readonly errors?: readonly GraphQLError[];
}

function begin(parts: ExecutionInParts, { overflow }: StartedRace, outcome: Outcome): ExecutionResult {
  const tooLarge = overflow();
  if (tooLarge !== undefined) {
    if ('subsequentResults' in outcome) void closeSource(outcome.subsequentResults);
    return { errors: [tooLarge] };
  }
  if (!('initialResult' in outcome)) return withCoercionCode(parts.settings, outcome);
  const { initialResult, subsequentResults } = outcome;
  const pending = new PendingParts(initialResult);
  const stream = new SourcedPayloads<Part>({
    source: subsequentResults,
    toPayload: async (part) => {
      const error = overflow();
      if (error !== undefined) throw error;
      const payload = await toPayload(parts, part);
      // Only now: what a part that failed on its way would have completed is still pending for the client.
      pending.note(part);
      return payload;
    },
    toLastPayload: (thrown) => lastPayload(parts, pending, thrown),
  });
  endInTime(stream, parts.life);
  parts.open(stream);
  return initialResult;
}

/** At the deadline parts end by themselves, and have until the last moment to arrive. */
function endInTime(stream: PayloadStream, life: OperationLife): void {
  life.onTimeUp((reason) => {
    const isDeadline = isGraphQLError(reason) && reason.extensions['code'] === 'DEADLINE_EXCEEDED';
    if (!isDeadline) void stream.return();
  });
  life.onLastMoment(() => stream.finish(deadlineExceeded()));
}

/** The parts that were announced and have not come. */
class PendingParts {
  readonly #ids = new Set<string>();

  constructor(first: FirstPart) {
    for (const { id } of first.pending ?? []) this.#ids.add(id);
  }

  note({ pending = [], completed = [] }: Part): void {
    for (const { id } of pending) this.#ids.add(id);
    for (const { id } of completed) this.#ids.delete(id);
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }
}

async function toPayload({ settings, hooks }: ExecutionInParts, part: Part): Promise<SubsequentPayload> {
  const entries = [...(part.incremental ?? []), ...(part.completed ?? [])];
  const errors = entries.flatMap((entry) => entry.errors ?? []);
  reportUnfinished(settings.logger, errors);
  if (hooks !== undefined && errors.length > 0) await tellOfErrors(hooks, errors);
  const format = (entry: Entry): object =>
    entry.errors === undefined ? entry : { ...entry, ...formatResult(settings, { errors: entry.errors }) };
  const payload = {
    ...part,
    ...(part.incremental && { incremental: part.incremental.map(format) }),
    ...(part.completed && { completed: part.completed.map(format) }),
  };
  return hooks === undefined ? payload : tellOfPayload(hooks, payload);
}

/** What is pending will not come, and this is why. */
async function lastPayload(parts: ExecutionInParts, pending: PendingParts, thrown: unknown): Promise<SubsequentPayload> {
  const { errors } = await lastResult(parts, thrown);
  return endedBy(parts.delivery, pending, errors);
}

function endedBy({ incremental }: Delivery, { ids }: PendingParts, errors: SubsequentPayload['errors']): SubsequentPayload {
  if (incremental === 'current') return { hasNext: false, completed: ids.map((id) => ({ id, errors })) };
  // The format has no names for pending parts. An object without fields changes nothing of what has come, which null would.
  return { hasNext: false, incremental: [{ data: {}, path: [], errors }] };
}

/** By operation, which lives as long as its document. */
const answers = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether an operation has `@defer` or `@stream` in it, in its fragments too. What their `if` comes to is another matter. */
function asksForParts(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const known = answers.get(operation);
  if (known !== undefined) return known;
  const answer = hasParts(operation.selectionSet, fragmentsOf(document), new Set());
  if (answer) assertLabels(document);
  answers.set(operation, answer);
  return answer;
}

/** Each part repeats its label: one of 100 KB in a list made 50 MB. */
function assertLabels(document: DocumentNode): void {
  visit(document, {
    Directive({ name, arguments: given }) {
      const label = isPartDirective(name.value) ? given?.find((argument) => argument.name.value === 'label')?.value : undefined;
      if (label?.kind !== Kind.STRING || label.value.length <= maxNameLength) return;
      throw createError(
        'GRAPHQL_VALIDATION_FAILED',
        `Expected labels of @${name.value} of at most ${maxNameLength} characters, got one of ${label.value.length}.`,
      );
    },
  });
}

function hasParts({ selections }: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>, visited: Set<string>): boolean {
  return selections.some((selection) => {
    if (selection.directives?.some(({ name }) => isPartDirective(name.value))) return true;
    if (selection.kind !== Kind.FRAGMENT_SPREAD)
      return selection.selectionSet !== undefined && hasParts(selection.selectionSet, fragments, visited);
    const fragment = visited.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
    visited.add(selection.name.value);
    return fragment !== undefined && hasParts(fragment.selectionSet, fragments, visited);
  });
}
