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
interface Running {
  readonly settings: OperationSettings;
  readonly input: OperationInput;
  contextValue: unknown;
  /** True until `context` and `dataSources` have come through. */
  contextFailed: boolean;
  hooks: OperationHooks | undefined;
  source: string | undefined;
  keep: PersistedQuery['keep'];
  operation: OperationDefinitionNode | undefined;
  stream: PayloadStream | undefined;
  /** From then on the execution sees to it that it ends in time. */
  isExecuting: boolean;
  /** Why the answer waits for nothing any more: then nothing is begun, either. */
  timeIsUp: Error | undefined;
  result: ExecutionResult;
  /** The result in the form for the client, as soon as it has one. */
  answer: FormattedExecutionResult | undefined;
}

/**
 * Runs one operation from its text to its answer. Never fails: whatever is thrown becomes the errors of the answer.
 * Read the stages downwards: each ends by naming the next.
 */
export function runOperation(settings: OperationSettings, input: OperationInput): Eventual<OperationOutcome> {
  const running: Running = {
    settings,
    input,
    contextValue: undefined,
    contextFailed: true,
    hooks: undefined,
    source: undefined,
    keep: undefined,
    operation: undefined,
    stream: undefined,
    isExecuting: false,
    timeIsUp: undefined,
    result: nothingYet,
    answer: undefined,
  };
  return whenReady(rescued(runStages, toErrors, running), finish, running);
}

const nothingYet: ExecutionResult = {};

function runStages(running: Running): Eventual<ExecutionResult> {
  // The start of the server, or a body, that came too late.
  if (running.input.life.isOver) throw deadlineExceeded();
  const stages = makeContext(running);
  if (!(stages instanceof Promise)) return stages;
  return running.isExecuting && running.hooks === undefined ? stages : stagesInTime(stages, running);
}

/** A context, a data source or a hook that hangs must not take the answer with it, nor those of a batch's neighbours. */
function stagesInTime(stages: Promise<ExecutionResult>, running: Running): Promise<ExecutionResult> {
  return inTime(stages, running.input.life, {
    atTimeUp: (reason) => {
      running.timeIsUp = reason;
      if (!running.isExecuting) throw reason;
      return undefined;
    },
    atLastMoment: () => {
      if (running.result === nothingYet) throw deadlineExceeded();
      return running.result;
    },
  });
}

function makeContext(running: Running): Eventual<ExecutionResult> {
  const { settings, input } = running;
  return whenReady(createContextValue(settings, input), tellPlugins, running);
}

function tellPlugins(contextValue: unknown, running: Running): Eventual<ExecutionResult> {
  if (running.timeIsUp !== undefined) throw running.timeIsUp;
  running.contextValue = contextValue;
  running.contextFailed = false;
  const { plugins } = running.settings;
  return whenReady(plugins.length === 0 ? undefined : startHooks(plugins, requestContext(running)), findSource, running);
}

function findSource(hooks: OperationHooks | undefined, running: Running): Eventual<ExecutionResult> {
  running.hooks = hooks;
  return whenReady(resolveSource(running.settings, running.input.request), tellSource, running);
}

function tellSource({ source, keep }: PersistedQuery, running: Running): Eventual<ExecutionResult> {
  running.source = source;
  running.keep = keep;
  return whenReady(running.hooks?.didResolveSource(source), readDocument, running);
}

function readDocument(_told: void, running: Running): Eventual<ExecutionResult> {
  const { settings, input, source = '', hooks } = running;
  return whenReady(loadDocument(settings, source, hooks, input.budget), runDocument, running);
}

function runDocument(document: DocumentNode | GraphQLError, running: Running): Eventual<ExecutionResult> {
  if (document instanceof GraphQLError) return { errors: [document] };
  if (running.timeIsUp !== undefined) throw running.timeIsUp;
  const { settings, input, contextValue, hooks, keep } = running;
  const { schema, maxCost } = settings;
  const { operationName, variables } = input.request;
  const operation = resolveOperation({ schema, document, operationName, refuse: input.refuse });
  running.operation = operation;
  if (keep !== undefined) input.life.waitUntil(keep());
  input.budget?.spend('maxAliases', aliasesOf(operation), operation);
  assertKnownKeys({ schema, operation, variables });
  if (maxCost !== undefined) assertCost(maxCost, { schema, document, operation, variables }, input.budget);
  const answerLimit = new AnswerLimit(input.capacity, operation.operation, input.budget?.answers);
  const execution = { document, operation, contextValue, variables, life: input.life, answerLimit };
  return hooks === undefined ? execute(running, execution) : executeWithHooks(running, hooks, execution);
}

async function executeWithHooks(running: Running, hooks: OperationHooks, execution: Execution): Promise<ExecutionResult> {
  await hooks.didResolveOperation(execution.document, execution.operation);
  return (await hooks.responseForOperation()) ?? hooks.aroundExecution(() => whenReady(execute(running, execution), keepResult, running));
}

/** For when a hook takes too long over the end of the execution. */
function keepResult(result: ExecutionResult, running: Running): ExecutionResult {
  running.result = result;
  return result;
}

function execute(running: Running, execution: Execution): Eventual<ExecutionResult> {
  if (running.timeIsUp !== undefined) throw running.timeIsUp;
  running.isExecuting = true;
  const { delivery } = running.input;
  return delivery === undefined ? executeOperation(running.settings, execution) : executeInParts(running, execution, delivery);
}

function executeInParts(running: Running, execution: Execution, delivery: Delivery): Eventual<ExecutionResult> {
  const { settings, input, hooks } = running;
  const open = (stream: PayloadStream): void => {
    running.stream = stream;
  };
  return delivery.execute({ settings, execution, delivery, life: input.life, hooks, open });
}

function requestContext({ settings, input, contextValue }: Running): Parameters<typeof startHooks>[1] {
  const { schema, cache, logger } = settings;
  return { request: { ...input.request, http: input.http }, response: { http: input.head }, schema, contextValue, cache, logger };
}

function toErrors(thrown: unknown): ExecutionResult {
  return { errors: thrown instanceof DocumentError ? thrown.errors : [toGraphQLError(thrown)] };
}

/** Result → outcome: the answer as the client gets it. */
function finish(result: ExecutionResult, running: Running): Eventual<OperationOutcome> {
  running.result = result;
  if (result.errors !== undefined) reportUnfinished(running.settings.logger, result.errors);
  return rescued(formatAnswer, giveUp, running);
}

function formatAnswer(running: Running): Eventual<OperationOutcome> {
  const tellsPlugins = running.hooks !== undefined || running.contextFailed;
  return whenReady(
    tellsPlugins ? hooksInTime(running) : formatResult(running.settings, running.result, running.input.budget?.errors),
    toOutcome,
    running,
  );
}

/** A hook that hangs has no word in the answer. */
function hooksInTime(running: Running): Promise<FormattedExecutionResult> {
  const atLastMoment = (): FormattedExecutionResult =>
    running.answer ?? formatResult(running.settings, running.result, running.input.budget?.errors);
  return inTime(finishWithHooks(running), running.input.life, { atLastMoment });
}

/** A hook or formatError failed: neither is asked again. */
function giveUp(thrown: unknown, running: Running): OperationOutcome {
  const error = toGraphQLError(thrown);
  void running.stream?.return();
  running.stream = undefined;
  running.result = { errors: [error] };
  return toOutcome(formatFailure(running.settings, error), running);
}

function toOutcome(answer: FormattedExecutionResult, running: Running): OperationOutcome {
  const { result, input, operation, source, contextFailed, stream } = running;
  return { result: answer, errors: result.errors ?? [], head: input.head, operation, source, contextFailed, stream };
}

async function finishWithHooks(running: Running): Promise<FormattedExecutionResult> {
  const { settings, hooks, contextFailed, result, input } = running;
  const { plugins, logger } = settings;
  const [error] = result.errors ?? [];
  if (contextFailed && error !== undefined)
    for (const plugin of plugins)
      await tellOfFailure(logger, 'contextCreationDidFail', () => plugin.contextCreationDidFail?.({ error, logger }));
  if (hooks !== undefined && result.errors !== undefined) await hooks.didEncounterErrors(result.errors);
  const formatted = formatResult(settings, result, input.budget?.errors);
  running.answer = formatted;
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
