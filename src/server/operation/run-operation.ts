/** From a request to its outcome: the steps of an operation, each in time, the execution inside plugins and hooks, and the last hooks. */
import { GraphQLError, Kind } from 'graphql';
import type { DocumentNode, ExecutionResult, FormattedExecutionResult, OperationDefinitionNode } from 'graphql';

import { coercedVariables, executePlanned, joinObservers, prepareExecution } from '../../executor/index.ts';
import type { PlannedExecution } from '../../executor/index.ts';
import { assertSynchronous, copyErrorsForOperation, copyOfJSON, describe, isPlainObject, shallowCopyOf } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import { callFailureHooks, hasHooks, startHooks } from './apollo-hooks.ts';
import type { OperationHooks } from './apollo-hooks.ts';
import type { Stage, Stages } from './around.ts';
import { createContextValue } from './context.ts';
import { loadDocument, withoutSuggestion } from './documents/document.ts';
import type { KnownDocument } from './documents/document.ts';
import { findSource } from './documents/sources.ts';
import type { FoundSource } from './documents/sources.ts';
import {
  DocumentError,
  createError,
  deadlineExceeded,
  endOf,
  errorHandling as handlingOf,
  isUnexpected,
  reportUnfinished,
  toErrors,
  toGraphQLError,
  unfinishedAtDeadline,
  withCode,
} from './errors.ts';
import type { CreatedContext } from './door.ts';
import { formatFailure, formatResult } from './format-errors.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';
import type { EndedOperation, Execution, ExecutionSettings, Operation, OperationStep, ReadOperation, ReadyOperation } from './operation.ts';
import type { DocumentOutcome, ExecutionOptions, OperationExecution } from './plugin.ts';
import type { OperationOutcome } from './types.ts';

/** Runs one operation, from its context to its formatted answer. Never fails: what is thrown becomes an error in the answer. */
export function runOperation(operation: Operation): PromiseOrValue<OperationOutcome> {
  const running = runSteps(operation);
  return operation.outcome ?? running;
}

/** Runs `context` and `dataSources` of an operation that has no document. */
export async function createContext(operation: Operation): Promise<CreatedContext> {
  const { settings, invocation } = operation;
  try {
    if (invocation.isAnswered) throw deadlineExceeded();
    return { contextValue: await inTime((async () => createContextValue(settings, operation))(), operation) };
  } catch (thrown) {
    return { refused: await toOutcome(toErrors(thrown), operation) };
  }
}

/** The steps whose failure refuses the operation. */
const refusing: ReadonlySet<OperationStep> = new Set(['document', 'admission']);

/** Fills in the fields of an operation, one after the other, up to its outcome. */
async function runSteps(operation: Operation): Promise<OperationOutcome> {
  const { settings, problem, invocation } = operation;
  const { stages } = settings;
  let result: ExecutionResult | undefined;
  try {
    if (problem !== undefined) throw problem;
    // The start of the server, or a body, came too late.
    if (invocation.isAnswered) throw deadlineExceeded();
    const hasContext = settings.context !== undefined || settings.dataSources !== undefined;
    const context = hasContext ? createContextValue(settings, operation) : {};
    operation.contextValue = context instanceof Promise ? await inTime(context, operation) : context;
    if (settings.plugins.some(hasHooks)) operation.hooks = await inTime(startHooks(operation), operation);
    if (operation.fill !== undefined) await inTime(fillVariables(operation), operation);
    const { hooks } = operation;
    operation.step = 'document';
    const reading = stages?.document === undefined ? readDocument(operation) : readDocumentInStage(operation, stages.document);
    const known = (operation.document = reading instanceof Promise ? await inTime(reading, operation) : reading);
    const node = (operation.node = operationToRun(operation, known.document));
    const read = operation as ReadOperation;
    // A document that came with a hash is registered once it is valid.
    if (read.source.keep !== undefined) invocation.waitUntil(read.source.keep());
    if (hooks !== undefined) await inTime(hooks.didResolveOperation(known.document, node), operation);
    operation.step = 'execution';
    let admitted: OperationExecution | undefined;
    if (stages?.admit !== undefined) {
      const ready = coerce(read);
      if (coercedVariables(ready.execution) !== undefined) {
        operation.step = 'admission';
        const admitting = stages.admit((admitted = describeExecution(ready)));
        if (admitting !== undefined) await inTime(admitting, operation);
        operation.step = 'execution';
      }
    }
    // A plugin may answer in place of the execution, but not for variables that could not be admitted.
    if (hooks !== undefined && (stages?.admit === undefined || admitted !== undefined))
      result = await inTime(hooks.responseForOperation(), operation);
    if (result === undefined) {
      const ready = operation.execution === undefined ? coerce(read) : (read as ReadyOperation);
      if (stages?.execution !== undefined && (admitted !== undefined || coercedVariables(ready.execution) !== undefined))
        return (operation.outcome = await enterStages(ready, stages.execution, admitted ?? describeExecution(ready)));
      const running = hooks === undefined ? run(ready) : enterHooks(ready, hooks);
      result = running instanceof Promise ? await running : running;
    }
  } catch (thrown) {
    result = refusing.has(operation.step) ? toRefusal(thrown, operation) : toErrors(thrown);
  }
  const finishing = toOutcome(result, operation);
  return (operation.outcome = finishing instanceof Promise ? await finishing : finishing);
}

/**
 * Waits for a step until the deadline, or until the client leaves: if a context, data source or hook hangs, only this operation times out.
 * `endsItself`: true if the step has its own timeout by then.
 */
function inTime<T>(step: Promise<T>, operation: Operation, endsItself: () => boolean = () => false): Promise<T> {
  const giveUp = (reason: Error): Promise<T> => {
    if (endsItself()) return step;
    throw (operation.timeIsUp = endOf(reason) === 'deadline' ? deadlineExceeded() : reason);
  };
  return operation.invocation.untilLate(step, giveUp, 'onCancel');
}

/** Defined, because a variable may have the name `__proto__`. */
async function fillVariables({ fill, request, contextValue }: Operation): Promise<void> {
  for (const [name, value] of Object.entries(await fill!(contextValue)))
    Object.defineProperty(request.variables, name, { value, enumerable: true });
}

/** Finds, parses and validates the document of an operation, unless it is known. */
function readDocument(operation: Operation, found?: FoundSource): PromiseOrValue<KnownDocument> {
  const { settings, request, hooks, operations } = operation;
  const { query, extensions } = request;
  // Most requests bring their text, and nothing else has to be looked up.
  const isPlain = settings.trustedDocuments === undefined && (settings.persistedQueries === undefined || extensions === undefined);
  const source = found ?? (isPlain && hooks === undefined && query !== undefined ? { source: query } : undefined);
  if (source === undefined) return inTime(findSource(settings, operation), operation).then((one) => readDocument(operation, one));
  operation.source = source;
  const document = loadDocument(settings, source.source, hooks, operations);
  if (document instanceof GraphQLError) throw document;
  return document;
}

/** `readDocument`, inside the plugins that wrap it, which may also refuse a document that has been read. */
async function readDocumentInStage(operation: Operation, stage: NonNullable<Stages['document']>): Promise<KnownDocument> {
  const { settings, seen, contextValue, invocation } = operation;
  let known: KnownDocument | undefined;
  let failure: unknown;
  const toOutcomeOf = async (reading: () => PromiseOrValue<KnownDocument>): Promise<DocumentOutcome> => {
    try {
      known = await reading();
    } catch (thrown) {
      failure = thrown;
    }
    const errors = failure === undefined ? [] : toErrors(failure).errors!;
    return { source: operation.source?.source, document: known?.document, errors };
  };
  const read = (): Promise<DocumentOutcome> => toOutcomeOf(() => readDocument(operation));
  const fail = (thrown: unknown): Promise<DocumentOutcome> => toOutcomeOf(() => Promise.reject(thrown as Error));
  const { document, errors } = await stage({ ...seen!, schema: settings.schema, contextValue }, { run: read, invocation, fail });
  if (failure !== undefined) throw failure;
  if (errors.length > 0) throw new DocumentError(errors);
  if (known === undefined || document !== known.document)
    throw new TypeError('Expected the stage document of a plugin to return the outcome of next().');
  return known;
}

/** The errors of an operation that was refused. A GraphQLError without a code, which a rule or a plugin has thrown, gets that of the step. */
function toRefusal(thrown: unknown, { node }: Operation): ExecutionResult {
  const code = node === undefined ? 'GRAPHQL_VALIDATION_FAILED' : 'OPERATION_RESOLUTION_FAILURE';
  return new RefusedResult(toErrors(thrown).errors!.map((error) => (isUnexpected(error) ? error : withCode(error, code))));
}

/** The operation to run: the named one, or the only one. Throws if it may not run here. */
function operationToRun({ settings, request, refuse }: Operation, document: DocumentNode): OperationDefinitionNode {
  const name = request.operationName;
  let found: OperationDefinitionNode | undefined;
  let operations = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operations++;
    if (name === undefined || definition.name?.value === name) found ??= definition;
  }
  if (operations === 0)
    throw createError('OPERATION_RESOLUTION_FAILURE', 'Expected the document to contain an operation, but it has only fragments.');
  if (found === undefined)
    throw createError('OPERATION_RESOLUTION_FAILURE', `The document has no operation with this name: ${describe(name)}.`);
  if (name === undefined && operations > 1)
    throw createError(
      'OPERATION_RESOLUTION_FAILURE',
      `The document has ${operations} operations: send operationName to say which one to run.`,
    );
  // Every schema has a query type.
  if (found.operation === 'query') return found;
  const refusal = refuse?.(found);
  if (refusal !== undefined) throw refusal;
  if (settings.schema.getRootType(found.operation)) return found;
  throw createError('OPERATION_RESOLUTION_FAILURE', `The schema has no ${found.operation} type.`);
}

/**
 * Plans the operation at its first runs, and coerces its variables. Variables with errors are the result of the execution, and its hooks
 * are called.
 */
function coerce(operation: ReadOperation): ReadyOperation {
  const { settings, request, source, node, contextValue, capacity, operations, invocation } = operation;
  const onError = request.onError ?? source.onError;
  const { document, plans } = operation.document;
  const isSubscription = node.operation === 'subscription';
  const partsFormat = isSubscription ? undefined : operation.delivery?.incremental;
  // A hook or a plugin that changes variables after `admit` changes nothing. Each event of a subscription coerces them again.
  const isAdmitted = settings.stages?.admit !== undefined;
  const coercesAgain = isSubscription || settings.executor !== undefined;
  const execution = createExecution(settings, {
    document,
    operation: node,
    contextValue,
    variableValues: isAdmitted && coercesAgain ? copyOfJSON(request.variables) : request.variables,
    copiesVariables: isAdmitted && !coercesAgain,
    invocation,
    answerLimit: { capacity, operations },
    kept: plans,
    errorHandling: onError === undefined ? settings.errorHandling : handlingOf[onError],
    observer: operation.observer,
    parts: partsFormat && settings.incrementalDelivery?.partsOf(partsFormat),
  });
  // The option `executor` coerces variables itself.
  if (settings.executor === undefined) execution.prepared = prepareExecution(execution);
  operation.execution = execution;
  return operation as ReadyOperation;
}

/** The parts of an execution that are not settings of the server. */
type ExecutionParts = Omit<PlannedExecution, keyof ExecutionSettings | 'hideSuggestions' | 'prepared' | 'pageDefaults'>;

/** One operation with the settings of the server. Version 3 runs some operations without a platform's call: they have no deadline and no size limit. */
export function createExecution<TParts extends ExecutionParts>(settings: ExecutionSettings, given: TParts): PlannedExecution & TParts {
  // All members are listed, so that all executions have the same hidden class in V8.
  const execution: PlannedExecution = {
    schema: settings.schema,
    document: given.document,
    operation: given.operation,
    pageDefaults: settings.pageDefaults,
    rootValue: settings.rootValue === undefined ? undefined : rootValueOf(settings, given.document),
    contextValue: given.contextValue,
    variableValues: given.variableValues,
    copiesVariables: given.copiesVariables,
    fieldResolver: settings.fieldResolver,
    hideSuggestions: !settings.introspection,
    invocation: given.invocation,
    answerLimit: given.answerLimit,
    kept: given.kept,
    errorHandling: given.errorHandling,
    observer: given.observer,
    explainMismatch: settings.explainMismatch,
    takesAsyncIterables: settings.takesAsyncIterables,
    parts: given.parts,
    prepared: undefined,
  };
  return execution as PlannedExecution & TParts;
}

/** Runs the operation. A promise only when a resolver was asynchronous. */
export function executeOperation({ executor }: ExecutionSettings, execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const result = executor === undefined ? executePlanned(execution) : executor.executeWithGraphQLJS(execution);
  // A plan and graphql-js coerce variables before they wait for anything.
  return result instanceof Promise || result.errors === undefined ? result : withCoercionCode(execution, result);
}

/**
 * The parent of the root fields. A function is called once for each operation. A plain object is copied, like the context: code that uses
 * it as the key of a cache, as @graphql-tools/batch-delegate 10 does for its loaders, must not find data of another user.
 */
function rootValueOf(settings: ExecutionSettings, document: DocumentNode): unknown {
  const { rootValue } = settings;
  const value =
    typeof rootValue === 'function'
      ? assertSynchronous((rootValue as (document: DocumentNode) => unknown)(document), 'rootValue')
      : rootValue;
  return isPlainObject(value) ? shallowCopyOf(value) : value;
}

/** A result without a data entry was refused before execution: its variables could not be coerced (specification, section 6.1.2). */
export function withCoercionCode({ hideSuggestions }: Pick<PlannedExecution, 'hideSuggestions'>, result: ExecutionResult): ExecutionResult {
  if ('data' in result || result.errors === undefined) return result;
  return new RefusedResult(result.errors.map((error) => withCode(hideSuggestions ? withoutSuggestion(error) : error, 'BAD_USER_INPUT')));
}

/** The result of an operation whose document, choice or variables were refused. */
class RefusedResult implements ExecutionResult {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    this.errors = errors;
  }
}

/** Runs an operation inside the plugins that wrap executions, which have their own timeout once one has called `next` or failed. */
async function enterStages(
  operation: ReadyOperation,
  stage: Stage<OperationExecution, OperationOutcome>,
  seen: OperationExecution,
): Promise<OperationOutcome> {
  const { invocation, request, source } = operation;
  const chosen: ExecutionOptions[] = [];
  const hasBegun = (): boolean => operation.step !== 'execution';
  const running = stage(seen, {
    invocation,
    run: () => {
      applyOptions(operation, chosen);
      return runToOutcome(operation);
    },
    // If a plugin fails, the operation fails. The last hooks are called once.
    fail: async (thrown) => {
      if (hasBegun() || operation.timeIsUp !== undefined) return outcomeOfFailure(thrown, operation);
      operation.step = 'stages';
      return toOutcome(toErrors(thrown), operation);
    },
    pass: (execution, options?: ExecutionOptions) => {
      if (options !== undefined) chosen.push(options);
      return execution;
    },
  });
  const outcome = await inTime(running, operation, hasBegun);
  // A plugin may have stored the answer.
  return 'onError' in outcome ? outcome : { ...outcome, onError: request.onError ?? source.onError };
}

type Writable = { -readonly [TKey in keyof Execution]: Execution[TKey] };

/** Applies the choices of plugins for an execution, the outermost first. */
function applyOptions(operation: ReadyOperation, chosen: readonly ExecutionOptions[]): void {
  if (chosen.length === 0) return;
  const execution: Writable = operation.execution;
  if (chosen.some(({ inOneAnswer }) => inOneAnswer === true)) {
    operation.delivery = undefined;
    execution.parts = undefined;
  }
  execution.observer = joinObservers([...chosen.map(({ observer }) => observer), operation.observer]);
  execution.prepared?.run.choose(execution);
}

/** The outcome of `next`. If a plugin calls it after the operation was answered, nothing starts. */
async function runToOutcome(operation: ReadyOperation): Promise<OperationOutcome> {
  const { hooks, timeIsUp } = operation;
  operation.step = 'stages';
  if (timeIsUp !== undefined) return outcomeOfFailure(timeIsUp, operation);
  let result: ExecutionResult;
  try {
    result = await (hooks === undefined ? run(operation) : enterHooks(operation, hooks));
  } catch (thrown) {
    result = toErrors(thrown);
  }
  return toOutcome(result, operation);
}

/** The execution as plugins see it. */
export function describeExecution(operation: ReadyOperation): OperationExecution {
  const { settings, seen, contextValue, source, document, node, invocation } = operation;
  const coerced = coercedVariables(operation.execution)!;
  return {
    ...seen!,
    schema: settings.schema,
    contextValue,
    source: source.source,
    document: document.document,
    operation: node,
    invocation,
    // A plugin that changes variables in `admit` or later changes nothing.
    variableValues: settings.stages?.admit ? copyOfJSON(coerced) : coerced,
  };
}

/** Runs an operation inside hooks. Keeps the result before `executionDidEnd` is called, which may take longer than the remaining time. */
function enterHooks(operation: ReadyOperation, hooks: OperationHooks): Promise<ExecutionResult> {
  let result: ExecutionResult | undefined;
  const running = hooks.aroundExecution(async () => (result = await run(operation)));
  const atLastMoment = (): ExecutionResult => {
    if (result === undefined) throw unfinishedAtDeadline();
    return result;
  };
  return inTime(operation.invocation.untilLate(running, atLastMoment), operation, () => operation.step === 'resolvers');
}

/** Runs the resolvers. The executor has its own timeout. */
function run(operation: ReadyOperation): PromiseOrValue<ExecutionResult> {
  if (operation.timeIsUp !== undefined) throw operation.timeIsUp;
  const { settings, execution, node, delivery } = operation;
  // A mutation whose variables are invalid changes nothing: such requests must not empty the CDN of `edge`.
  if (node.operation !== 'mutation' || coercedVariables(execution) !== undefined) operation.step = 'resolvers';
  return delivery === undefined ? executeOperation(settings, execution) : delivery.execute(operation);
}

/** Converts a result to an outcome: formats errors and calls the last hooks. Never fails. */
function toOutcome(given: ExecutionResult, operation: Operation): PromiseOrValue<OperationOutcome> {
  const { settings, hooks, contextValue, timeIsUp } = operation;
  // The usual case: no errors to format, no hooks to call.
  if (given.errors === undefined && hooks === undefined) return outcomeOf(given as FormattedExecutionResult, withResult(operation, given));
  let result = given;
  if (given.errors !== undefined) {
    const errors = copyErrorsForOperation(given.errors);
    result = { ...given, errors };
    reportUnfinished(settings.logger, errors);
    // A hook after the execution may have failed.
    if (given.data === undefined) closeStream(operation);
  }
  const ended = withResult(operation, result);
  const isRefused = given instanceof RefusedResult && timeIsUp === undefined;
  if (hooks !== undefined || contextValue === undefined) return toOutcomeInHooks(ended, isRefused);
  try {
    return outcomeOf(format(ended), ended, isRefused);
  } catch (thrown) {
    return outcomeOfFailure(thrown, operation, isRefused);
  }
}

function withResult(operation: Operation, result: ExecutionResult): EndedOperation {
  operation.result = result;
  return operation as EndedOperation;
}

/** Stops waiting for the last hooks at the last moment: an error then replaces the answer that a hook has not seen. */
async function toOutcomeInHooks(operation: EndedOperation, isRefused: boolean): Promise<OperationOutcome> {
  const { settings, hooks, contextValue, problem, timeIsUp, invocation, result } = operation;
  const { plugins, logger } = settings;
  let formatted: FormattedExecutionResult | undefined;
  const callLastHooks = async (): Promise<FormattedExecutionResult> => {
    const [error] = result.errors ?? [];
    if (contextValue === undefined && error !== undefined && problem === undefined && timeIsUp === undefined)
      await callFailureHooks(plugins, 'contextCreationDidFail', { error, logger });
    if (hooks !== undefined && result.errors !== undefined) await hooks.didEncounterErrors(result.errors);
    formatted = format(operation);
    return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
  };
  const atLastMoment = (): FormattedExecutionResult => {
    if (hooks?.mustEnd === true) throw unfinishedAtDeadline();
    return formatted ?? format(operation);
  };
  try {
    return outcomeOf(await invocation.untilLate(callLastHooks(), atLastMoment), operation, isRefused);
  } catch (thrown) {
    return outcomeOfFailure(thrown, operation, isRefused);
  }
}

function outcomeOf(formatted: FormattedExecutionResult, operation: EndedOperation, isRefused = false): OperationOutcome {
  const { request, problem, result, head, step, node, document, source, contextValue, stream } = operation;
  return {
    result: formatted,
    errors: result.errors ?? [],
    head,
    operation: node,
    document: document?.document,
    source: source?.source,
    executed: step === 'resolvers',
    refused: isRefused,
    unfinished: result.errors?.some((error) => endOf(error) !== undefined),
    contextFailed: contextValue === undefined && problem === undefined,
    // The request decides the effect of errors, or else the trusted document.
    onError: request.onError ?? source?.onError,
    stream,
  };
}

/** The outcome if a hook, a plugin or formatError failed. Calls none of them again. */
function outcomeOfFailure(thrown: unknown, operation: Operation, isRefused = false): OperationOutcome {
  const error = toGraphQLError(thrown);
  closeStream(operation);
  return outcomeOf(formatFailure(operation.settings, error), withResult(operation, { errors: [error] }), isRefused);
}

function closeStream(operation: Operation): void {
  void operation.stream?.return();
  operation.stream = undefined;
}

function format({ settings, result, operations, allowance }: EndedOperation): FormattedExecutionResult {
  return formatResult(settings, result, allowance ?? new ErrorAllowance(operations));
}
