import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';

import { rescued, whenReady } from '../message/eventual.ts';
import type { Eventual } from '../message/eventual.ts';
import type { HTTPRequest } from '../message/http-request.ts';
import type { ResponseHead } from '../message/http-response.ts';
import { createContextValue } from './context.ts';
import type { ContextSettings, OperationLife } from './context.ts';
import { assertCost } from './cost.ts';
import type { CostSettings } from './cost.ts';
import { loadDocument } from './document.ts';
import type { DocumentSettings } from './document.ts';
import type { Delivery, PayloadStream } from './delivery.ts';
import { DocumentError, formatResult, toGraphQLError } from './errors.ts';
import type { ErrorSettings } from './errors.ts';
import { executeOperation } from './execute.ts';
import type { Execution, ExecutionSettings } from './execute.ts';
import type { GraphQLRequest } from './graphql-request.ts';
import { startHooks } from './hooks.ts';
import type { OperationHooks } from './hooks.ts';
import type { PersistedQuery } from './persisted-queries.ts';
import type { ServerPlugin } from './plugin.ts';
import { resolveOperation } from './resolve.ts';
import { resolveSource } from './source.ts';
import type { SourceSettings } from './source.ts';
import type { BatchBudget } from './batch-budget.ts';

/** All that an operation needs from the server. Made once, at cold start. */
export interface OperationSettings extends ContextSettings, SourceSettings, DocumentSettings, ExecutionSettings, ErrorSettings {
  readonly plugins: readonly ServerPlugin[];
  readonly maxCost: CostSettings | undefined;
}

/** One operation and what it may see of the world. */
export interface OperationInput {
  readonly request: GraphQLRequest;
  /** Handed on to `context`, unread. */
  readonly contextArgument: unknown;
  readonly life: OperationLife;
  /** Handed on to plugins, unread. */
  readonly http: HTTPRequest | undefined;
  readonly head: ResponseHead;
  /** Says why an operation may not run here; undefined lets it run. */
  readonly refuse: ((operation: OperationDefinitionNode) => GraphQLError | undefined) | undefined;
  /** Shared by the operations of a batch. */
  readonly budget: BatchBudget | undefined;
  /** Undefined: there is one answer, and that is all. */
  readonly delivery?: Delivery | undefined;
}

/** What came of an operation. */
export interface OperationOutcome {
  /** The answer, as the client gets it. Without a `data` entry nothing was executed. */
  readonly result: FormattedExecutionResult;
  /** The errors as they were thrown, for whoever chooses a status. */
  readonly errors: readonly GraphQLError[];
  readonly head: ResponseHead;
  /** Undefined when the request did not get as far as choosing an operation. */
  readonly operationType: OperationTypeNode | undefined;
  /** `context` or `dataSources` threw. */
  readonly contextFailed?: boolean;
  /** What comes after `result`; of a subscription `result` is empty, and everything comes here. Only with a delivery. */
  readonly stream?: PayloadStream | undefined;
}

/** What is known of an operation so far. It grows from stage to stage. */
interface Progress {
  contextValue?: unknown;
  contextFailed: boolean;
  hooks?: OperationHooks | undefined;
  operationType?: OperationTypeNode;
  stream?: PayloadStream;
}

/** Runs one operation from its text to its answer. Never fails: whatever is thrown becomes the errors of the answer. */
export function runOperation(settings: OperationSettings, input: OperationInput): Eventual<OperationOutcome> {
  const progress: Progress = { contextFailed: true };
  const running = rescued<ExecutionResult>(
    () => runStages(settings, input, progress),
    (thrown) => ({ errors: errorsOf(thrown) }),
  );
  return whenReady(running, (result) => finish(settings, input, progress, result));
}

function runStages(settings: OperationSettings, input: OperationInput, progress: Progress): Eventual<ExecutionResult> {
  return whenReady(createContextValue(settings, input.contextArgument, input.life), (contextValue) => {
    progress.contextValue = contextValue;
    progress.contextFailed = false;
    const starting =
      settings.plugins.length === 0 ? undefined : startHooks(settings.plugins, requestContext(settings, input, contextValue));
    return whenReady(starting, (hooks) => {
      progress.hooks = hooks;
      return runRequest(settings, input, progress);
    });
  });
}

function runRequest(settings: OperationSettings, input: OperationInput, progress: Progress): Eventual<ExecutionResult> {
  const { hooks } = progress;
  return whenReady(resolveSource(settings, input.request), ({ source, keep }) =>
    whenReady(hooks?.didResolveSource(source), () =>
      whenReady(loadDocument(settings, source, hooks, input.budget), (document) =>
        runDocument(settings, input, progress, { document, keep }),
      ),
    ),
  );
}

function runDocument(
  settings: OperationSettings,
  input: OperationInput,
  progress: Progress,
  { document, keep }: { readonly document: DocumentNode; readonly keep: PersistedQuery['keep'] },
): Eventual<ExecutionResult> {
  const { schema } = settings;
  const operation = resolveOperation({ schema, document, operationName: input.request.operationName, refuse: input.refuse });
  progress.operationType = operation.operation;
  if (keep !== undefined) input.life.waitUntil(keep());
  if (settings.maxCost !== undefined) assertCost(settings.maxCost, { schema, document, operation, variables: input.request.variables });
  const execution = { document, operation, contextValue: progress.contextValue, variables: input.request.variables };
  const run = (): Eventual<ExecutionResult> => execute(settings, input, progress, execution);
  return progress.hooks === undefined ? run() : executeWithHooks(progress.hooks, execution, run);
}

async function executeWithHooks(
  hooks: OperationHooks,
  { document, operation }: Execution,
  run: () => Eventual<ExecutionResult>,
): Promise<ExecutionResult> {
  await hooks.didResolveOperation(document, operation);
  return (await hooks.responseForOperation()) ?? hooks.aroundExecution(run);
}

function execute(
  settings: OperationSettings,
  { delivery, life }: OperationInput,
  progress: Progress,
  execution: Execution,
): Eventual<ExecutionResult> {
  if (delivery === undefined) return executeOperation(settings, execution);
  const open = (stream: PayloadStream): void => {
    progress.stream = stream;
  };
  return delivery.execute({ settings, execution, delivery, life, hooks: progress.hooks, open });
}

function requestContext(settings: OperationSettings, input: OperationInput, contextValue: unknown): Parameters<typeof startHooks>[1] {
  const { schema, cache, logger } = settings;
  return { request: { ...input.request, http: input.http }, response: { http: input.head }, schema, contextValue, cache, logger };
}

function errorsOf(thrown: unknown): readonly GraphQLError[] {
  return thrown instanceof DocumentError ? thrown.errors : [toGraphQLError(thrown)];
}

/** Result → outcome: the answer as the client gets it. */
function finish(
  settings: OperationSettings,
  input: OperationInput,
  progress: Progress,
  result: ExecutionResult,
): Eventual<OperationOutcome> {
  const toOutcome = (answer: FormattedExecutionResult, errors: readonly GraphQLError[]): OperationOutcome => ({
    result: answer,
    errors,
    head: input.head,
    operationType: progress.operationType,
    contextFailed: progress.contextFailed,
    stream: progress.stream,
  });
  return rescued<OperationOutcome>(
    () => {
      const tellsPlugins = progress.hooks !== undefined || progress.contextFailed;
      const answer = tellsPlugins ? finishWithHooks(settings, progress, result) : formatResult(settings, result);
      return whenReady(answer, (formatted) => toOutcome(formatted, result.errors ?? []));
    },
    (thrown) => {
      // A hook or formatError failed: neither is asked again.
      void progress.stream?.return();
      delete progress.stream;
      const error = toGraphQLError(thrown);
      return toOutcome(formatResult({ ...settings, formatError: undefined }, { errors: [error] }), [error]);
    },
  );
}

async function finishWithHooks(
  settings: OperationSettings,
  progress: Progress,
  result: ExecutionResult,
): Promise<FormattedExecutionResult> {
  const { hooks, contextFailed } = progress;
  const { plugins, logger } = settings;
  const [error] = result.errors ?? [];
  if (contextFailed && error !== undefined) for (const plugin of plugins) await plugin.contextCreationDidFail?.({ error, logger });
  if (hooks !== undefined && result.errors !== undefined) await hooks.didEncounterErrors(result.errors);
  const formatted = formatResult(settings, result);
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
