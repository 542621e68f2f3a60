import { GraphQLError } from 'graphql';
import type { DocumentNode, ExecutionResult, FormattedExecutionResult, OperationDefinitionNode } from 'graphql';

import { rescued, whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import type { Capacity } from '../message/answer-size.ts';
import type { HTTPRequest } from '../message/http-request.ts';
import type { ResponseHead } from '../message/http-response.ts';
import { createContextValue } from './context.ts';
import type { ContextInput, ContextSettings } from './context.ts';
import { assertCost } from './limits/cost.ts';
import type { CostSettings } from './limits/cost.ts';
import { AnswerLimit } from './limits/answer-limit.ts';
import { assertKnownKeys } from './limits/heavy-variables.ts';
import { aliasesOf, loadDocument } from './documents/document.ts';
import type { DocumentSettings } from './documents/document.ts';
import type { Delivery, IncrementalSettings } from './delivery/delivery.ts';
import type { PayloadStream } from './outcome.ts';
import { deadlineExceeded, DocumentError, formatFailure, formatResult, reportUnfinished, toGraphQLError } from './errors.ts';
import type { ErrorSettings } from './errors.ts';
import { executeOperation } from './execute.ts';
import type { Execution, ExecutionSettings } from './execute.ts';
import type { GraphQLRequest } from './graphql-request.ts';
import { inTime } from './in-time.ts';
import { startHooks, tellOfFailure } from './hooks.ts';
import type { OperationHooks } from './hooks.ts';
import type { OperationOutcome } from './outcome.ts';
import type { PersistedQuery } from './documents/persisted-queries.ts';
import type { ServerPlugin } from './plugin.ts';
import { resolveOperation } from './resolve.ts';
import { resolveSource } from './documents/source.ts';
import type { SourceSettings } from './documents/source.ts';
import type { BatchBudget } from './limits/batch-budget.ts';

/** All that an operation needs from the server. Made once, at cold start. */
export interface OperationSettings
  extends ContextSettings, SourceSettings, DocumentSettings, ExecutionSettings, ErrorSettings, IncrementalSettings {
  readonly plugins: readonly ServerPlugin[];
  readonly maxCost: CostSettings | undefined;
}

/** One operation and what it may see of the world. */
export interface OperationInput extends ContextInput {
  readonly request: GraphQLRequest;
  /** Handed on to plugins, unread. */
  readonly http: HTTPRequest | undefined;
  readonly head: ResponseHead;
  /** Says why an operation may not run here; undefined lets it run. */
  readonly refuse: ((operation: OperationDefinitionNode) => GraphQLError | undefined) | undefined;
  /** How large the answer may become. */
  readonly capacity: Capacity;
  /** Shared by the operations of a batch. */
  readonly budget: BatchBudget | undefined;
  /** Undefined: there is one answer, and that is all. */
  readonly delivery?: Delivery | undefined;
}

/** An operation under way: each stage leaves here what the later ones need. */
interface OperationState {
  readonly settings: OperationSettings;
  readonly input: OperationInput;
  contextValue: unknown;
  /** True until `context` and `dataSources` have come through. */
  contextFailed: boolean;
  hooks: OperationHooks | undefined;
  source: string | undefined;
  keep: PersistedQuery['keep'];
  document: DocumentNode | undefined;
  operation: OperationDefinitionNode | undefined;
  /** All that executing the operation takes. */
  execution: Execution | undefined;
  stream: PayloadStream | undefined;
  /** From then on the execution sees to it that it ends in time. */
  isExecuting: boolean;
  /** Why the answer waits for nothing any more. No further stage is begun then. */
  timeIsUp: Error | undefined;
  result: ExecutionResult;
  /** The result in the form for the client, as soon as it has one. */
  answer: FormattedExecutionResult | undefined;
}

/** Leaves its outcome in the state. A result, or whatever is thrown, ends the line. */
type Stage = (state: OperationState) => Eventual<ExecutionResult | undefined>;

/** From the text of an operation to its result. */
const stages: readonly Stage[] = [
  makeContext,
  startPlugins,
  findSource,
  tellSource,
  readDocument,
  chooseOperation,
  checkLimits,
  tellOperation,
  askForResponse,
  execute,
];

/** Runs the stages in order: at once, until one of them returns a promise; the others then follow that. */
function runStages(state: OperationState, first = 0): Eventual<ExecutionResult> {
  for (let at = first; ; at++) {
    if (state.timeIsUp !== undefined) throw state.timeIsUp;
    const result = stages[at]?.(state);
    if (result instanceof Promise) return runRest(result, state, at + 1);
    if (result !== undefined) return result;
  }
}

/** Apart from the loop, because a function that makes a closure anywhere makes its context on every call. */
function runRest(waitedFor: Promise<ExecutionResult | undefined>, state: OperationState, next: number): Promise<ExecutionResult> {
  return waitedFor.then((result) => result ?? runStages(state, next));
}

/** Runs one operation from its text to its answer. Never fails: whatever is thrown becomes the errors of the answer. */
export function runOperation(settings: OperationSettings, input: OperationInput): Eventual<OperationOutcome> {
  const state: OperationState = {
    settings,
    input,
    contextValue: undefined,
    contextFailed: true,
    hooks: undefined,
    source: undefined,
    keep: undefined,
    document: undefined,
    operation: undefined,
    execution: undefined,
    stream: undefined,
    isExecuting: false,
    timeIsUp: undefined,
    result: nothingYet,
    answer: undefined,
  };
  return whenReady(rescued(runInTime, toErrors, state), finish, state);
}

const nothingYet: ExecutionResult = {};

function runInTime(state: OperationState): Eventual<ExecutionResult> {
  // The start of the server, or a body, that came too late.
  if (state.input.life.isOver) throw deadlineExceeded();
  const result = runStages(state);
  if (!(result instanceof Promise)) return result;
  return state.isExecuting && state.hooks === undefined ? result : stagesInTime(result, state);
}

/** A context, a data source or a hook that hangs must not take the answer with it, nor those of a batch's neighbours. */
function stagesInTime(result: Promise<ExecutionResult>, state: OperationState): Promise<ExecutionResult> {
  return inTime(result, state.input.life, {
    atTimeUp: (reason) => {
      state.timeIsUp = reason;
      if (!state.isExecuting) throw reason;
      return undefined;
    },
    atLastMoment: () => {
      if (state.result === nothingYet) throw deadlineExceeded();
      return state.result;
    },
  });
}

function makeContext(state: OperationState): Eventual<undefined> {
  return whenReady(createContextValue(state.settings, state.input), keepContext, state);
}

function keepContext(contextValue: unknown, state: OperationState): undefined {
  state.contextValue = contextValue;
  state.contextFailed = false;
}

function startPlugins(state: OperationState): Eventual<undefined> {
  const { plugins } = state.settings;
  return plugins.length === 0 ? undefined : startHooks(plugins, requestContext(state)).then((hooks) => keepHooks(hooks, state));
}

function keepHooks(hooks: OperationHooks | undefined, state: OperationState): undefined {
  state.hooks = hooks;
}

function requestContext({ settings, input, contextValue }: OperationState): Parameters<typeof startHooks>[1] {
  const { schema, cache, logger } = settings;
  return { request: { ...input.request, http: input.http }, response: { http: input.head }, schema, contextValue, cache, logger };
}

function findSource(state: OperationState): Eventual<undefined> {
  return whenReady(resolveSource(state.settings, state.input.request), keepSource, state);
}

function keepSource({ source, keep }: PersistedQuery, state: OperationState): undefined {
  state.source = source;
  state.keep = keep;
}

function tellSource({ hooks, source = '' }: OperationState): Eventual<undefined> {
  return hooks?.didResolveSource(source) as Eventual<undefined>;
}

function readDocument(state: OperationState): Eventual<ExecutionResult | undefined> {
  const { settings, input, source = '', hooks } = state;
  return whenReady(loadDocument(settings, source, hooks, input.budget), keepDocument, state);
}

function keepDocument(document: DocumentNode | GraphQLError, state: OperationState): ExecutionResult | undefined {
  if (document instanceof GraphQLError) return { errors: [document] };
  state.document = document;
  return undefined;
}

function chooseOperation(state: OperationState): undefined {
  const { settings, input, contextValue, keep } = state;
  const { operationName, variables } = input.request;
  const document = state.document as DocumentNode;
  const operation = resolveOperation({ schema: settings.schema, document, operationName, refuse: input.refuse });
  state.operation = operation;
  const answerLimit = new AnswerLimit(input.capacity, operation.operation, input.budget?.answers);
  state.execution = { document, operation, contextValue, variables, life: input.life, answerLimit };
  if (keep !== undefined) input.life.waitUntil(keep());
}

function checkLimits({ settings, input, execution }: OperationState): undefined {
  const { schema, maxCost } = settings;
  const { document, operation, variables } = execution as Execution;
  input.budget?.spend('maxAliases', aliasesOf(operation), operation);
  assertKnownKeys({ schema, operation, variables });
  if (maxCost !== undefined) assertCost(maxCost, { schema, document, operation, variables }, input.budget);
}

function tellOperation({ hooks, execution }: OperationState): Eventual<undefined> {
  const { document, operation } = execution as Execution;
  return hooks?.didResolveOperation(document, operation) as Eventual<undefined>;
}

function askForResponse({ hooks }: OperationState): Eventual<ExecutionResult | undefined> {
  return hooks?.responseForOperation();
}

function execute(state: OperationState): Eventual<ExecutionResult> {
  const { hooks } = state;
  return hooks === undefined ? executeNow(state) : hooks.aroundExecution(() => whenReady(executeNow(state), keepResult, state));
}

/** For when a hook takes too long over the end of the execution. */
function keepResult(result: ExecutionResult, state: OperationState): ExecutionResult {
  state.result = result;
  return result;
}

function executeNow(state: OperationState): Eventual<ExecutionResult> {
  if (state.timeIsUp !== undefined) throw state.timeIsUp;
  state.isExecuting = true;
  const { settings, input, execution } = state;
  return input.delivery === undefined ? executeOperation(settings, execution as Execution) : executeInParts(state, input.delivery);
}

function executeInParts(state: OperationState, delivery: Delivery): Eventual<ExecutionResult> {
  const { settings, input, hooks } = state;
  const open = (stream: PayloadStream): void => {
    state.stream = stream;
  };
  return delivery.execute({ settings, execution: state.execution as Execution, delivery, life: input.life, hooks, open });
}

function toErrors(thrown: unknown): ExecutionResult {
  return { errors: thrown instanceof DocumentError ? thrown.errors : [toGraphQLError(thrown)] };
}

/** Result → outcome: the answer as the client gets it. */
function finish(result: ExecutionResult, state: OperationState): Eventual<OperationOutcome> {
  state.result = result;
  if (result.errors !== undefined) reportUnfinished(state.settings.logger, result.errors);
  return rescued(formatAnswer, giveUp, state);
}

function formatAnswer(state: OperationState): Eventual<OperationOutcome> {
  const tellsPlugins = state.hooks !== undefined || state.contextFailed;
  return whenReady(
    tellsPlugins ? hooksInTime(state) : formatResult(state.settings, state.result, state.input.budget?.errors),
    toOutcome,
    state,
  );
}

/** A hook that hangs has no word in the answer. */
function hooksInTime(state: OperationState): Promise<FormattedExecutionResult> {
  const atLastMoment = (): FormattedExecutionResult =>
    state.answer ?? formatResult(state.settings, state.result, state.input.budget?.errors);
  return inTime(finishWithHooks(state), state.input.life, { atLastMoment });
}

/** A hook or formatError failed: neither is asked again. */
function giveUp(thrown: unknown, state: OperationState): OperationOutcome {
  const error = toGraphQLError(thrown);
  void state.stream?.return();
  state.stream = undefined;
  state.result = { errors: [error] };
  return toOutcome(formatFailure(state.settings, error), state);
}

function toOutcome(answer: FormattedExecutionResult, state: OperationState): OperationOutcome {
  const { result, input, operation, source, contextFailed, stream } = state;
  return { result: answer, errors: result.errors ?? [], head: input.head, operation, source, contextFailed, stream };
}

async function finishWithHooks(state: OperationState): Promise<FormattedExecutionResult> {
  const { settings, hooks, contextFailed, result, input } = state;
  const { plugins, logger } = settings;
  const [error] = result.errors ?? [];
  if (contextFailed && error !== undefined)
    for (const plugin of plugins)
      await tellOfFailure(logger, 'contextCreationDidFail', () => plugin.contextCreationDidFail?.({ error, logger }));
  if (hooks !== undefined && result.errors !== undefined) await hooks.didEncounterErrors(result.errors);
  const formatted = formatResult(settings, result, input.budget?.errors);
  state.answer = formatted;
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
