import type { DocumentNode, ExecutionResult, FormattedExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';

import { deepCopyOf, isPromiseLike, copyFormattedError } from '../../shared/index.ts';
import type { HTTPRequest, PromiseOrValue, ResponseHead } from '../../shared/index.ts';
import { DocumentError, copyThrown, toGraphQLError } from './errors.ts';
import { report } from './log-errors.ts';
import type { GraphQLRequest, Logger } from './types.ts';
import type {
  EndHook,
  GraphQLRequestContext,
  GraphQLRequestListener,
  RequestContextWithDocument,
  RequestContextWithErrors,
  RequestContextWithOperation,
  RequestContextWithResponse,
  RequestContextWithSource,
  ServerPlugin,
} from './plugin.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The fields of an operation that its hooks get. */
interface HookedOperation extends Pick<GraphQLRequestContext, 'contextValue'> {
  readonly settings: Pick<GraphQLRequestContext, 'schema' | 'cache' | 'logger'> & { readonly plugins: readonly ServerPlugin[] };
  readonly request: GraphQLRequest;
  readonly http: HTTPRequest | undefined;
  readonly head: ResponseHead;
  /** Undefined: it is not in a batch. */
  readonly budget: object | undefined;
}

/** Starts an operation's hooks; undefined when no plugin listens, so that the pipeline does no plugin work at all. */
export function startHooks(operation: HookedOperation): PromiseOrValue<OperationHooks | undefined> {
  const { plugins, schema, cache, logger } = operation.settings;
  const context: GraphQLRequestContext = {
    request: { ...operation.request, http: operation.http },
    response: { http: operation.head },
    requestIsBatched: operation.budget !== undefined,
    schema,
    contextValue: operation.contextValue,
    cache,
    logger,
  };
  const started: PromiseOrValue<GraphQLRequestListener | void>[] = [];
  const mayRefuse: boolean[] = [];
  const failures: unknown[] = [];
  for (const plugin of plugins) {
    try {
      if (plugin.requestDidStart === undefined) continue;
      started.push(plugin.requestDidStart(context));
      mayRefuse.push(plugin.onlyWatches !== true);
    } catch (error) {
      failures.push(error);
    }
  }
  // A plugin that throws synchronously must not leave the rejection of another one unhandled.
  if (failures.length > 0) {
    void Promise.allSettled(started);
    throw failures[0];
  }
  const hooks = (listeners: readonly (GraphQLRequestListener | void)[]): OperationHooks | undefined =>
    hooksOf(listeners, mayRefuse, context);
  return started.every(isReady) ? hooks(started) : Promise.all(started).then(hooks);
}

/** A plugin may return any object with a `then`. */
function isReady(started: PromiseOrValue<GraphQLRequestListener | void>): started is GraphQLRequestListener | void {
  return !isPromiseLike(started);
}

function hooksOf(
  started: readonly (GraphQLRequestListener | void)[],
  mayRefuse: readonly boolean[],
  context: GraphQLRequestContext,
): OperationHooks | undefined {
  const listeners = started.filter((listener) => typeof listener === 'object' && listener !== null);
  const mustEnd = started.some(
    (listener, at) => mayRefuse[at] === true && (listener?.willSendResponse ?? listener?.executionDidStart) !== undefined,
  );
  return listeners.length === 0 ? undefined : new OperationHooks(listeners, { context, mustEnd });
}

/**
 * The hooks of one operation, called in the order of the plugins; end hooks in the opposite order. Everything is awaited: a
 * function platform freezes what is left over.
 */
export class OperationHooks {
  readonly listeners: readonly GraphQLRequestListener[];
  readonly context: Mutable<GraphQLRequestContext>;
  /** True if no answer may be sent before they have ended: a hook after the execution may take data away, or refuse. */
  readonly mustEnd: boolean;

  constructor(listeners: readonly GraphQLRequestListener[], { context, mustEnd }: Pick<OperationHooks, 'context' | 'mustEnd'>) {
    this.listeners = listeners;
    this.context = context;
    this.mustEnd = mustEnd;
  }

  async didResolveSource(source: string): Promise<void> {
    this.context.source = source;
    for (const listener of this.listeners) await listener.didResolveSource?.(this.context as RequestContextWithSource<unknown>);
  }

  aroundParsing(parse: () => DocumentNode): Promise<DocumentNode> {
    return this.#around((listener) => listener.parsingDidStart?.(this.context as RequestContextWithSource<unknown>), parse);
  }

  aroundValidation(document: DocumentNode, validate: () => void): Promise<void> {
    this.context.document = document;
    return this.#around(async (listener) => {
      const end = await listener.validationDidStart?.(this.context as RequestContextWithDocument<unknown>);
      return end && ((error) => end(error && errorsOf(error)));
    }, validate);
  }

  async didResolveOperation(document: DocumentNode, operation: OperationDefinitionNode): Promise<void> {
    this.context.document = document;
    this.context.operation = operation;
    this.context.operationName = operation.name?.value ?? null;
    for (const listener of this.listeners) await listener.didResolveOperation?.(this.context as RequestContextWithOperation<unknown>);
  }

  /** The first answer that a plugin gives in place of an execution. */
  async responseForOperation(): Promise<ExecutionResult | undefined> {
    for (const listener of this.listeners) {
      const result = await listener.responseForOperation?.(this.context as RequestContextWithOperation<unknown>);
      if (result !== null && result !== undefined) return copyResult(result);
    }
    return undefined;
  }

  aroundExecution(execute: () => ExecutionResult | Promise<ExecutionResult>): Promise<ExecutionResult> {
    return this.#around(async (listener) => {
      const end = await listener.executionDidStart?.(this.context as RequestContextWithOperation<unknown>);
      return typeof end === 'object' && end !== null ? end.executionDidEnd?.bind(end) : end;
    }, execute);
  }

  async didEncounterErrors(errors: readonly GraphQLError[]): Promise<void> {
    this.context.errors = errors;
    const context = this.context as RequestContextWithErrors<unknown>;
    for (const listener of this.listeners)
      await callFailureHook(context.logger, 'didEncounterErrors', () => listener.didEncounterErrors?.(context));
  }

  /** Returns what is to be sent: a hook may have replaced the result. */
  async willSendResponse(result: FormattedExecutionResult): Promise<FormattedExecutionResult> {
    const context = this.context as RequestContextWithResponse<unknown>;
    context.response.result = result;
    let copied = result;
    for (const listener of this.listeners) {
      await listener.willSendResponse?.(context);
      // A hook may set one object for all operations, and later hooks write to it.
      if (context.response.result !== copied) copied = context.response.result = copyMutableParts(context.response.result);
    }
    return copied;
  }

  async #around<T>(
    start: (listener: GraphQLRequestListener) => EndHook | void | Promise<EndHook | void>,
    step: () => T | Promise<T>,
  ): Promise<T> {
    const ends: EndHook[] = [];
    let outcome: T;
    try {
      for (const listener of this.listeners) {
        const end = await start(listener);
        if (typeof end === 'function') ends.unshift(end);
      }
      outcome = await step();
    } catch (thrown) {
      const error = copyThrown(thrown);
      // This also runs if a later listener failed to start, because every end hook that was returned is called.
      await close(ends, error as Error);
      throw error;
    }
    await close(ends);
    return outcome;
  }
}

/**
 * Calls a hook that reports a failure. If the hook fails too, that is logged, and the first failure is answered. Apollo Server
 * does the same for contextCreationDidFail, but loses the first failure for didEncounterErrors.
 */
export async function callFailureHook(logger: Logger, hook: string, call: () => void | Promise<void>): Promise<void> {
  try {
    await call();
  } catch (failure) {
    report(logger, `The ${hook} hook of a plugin failed.`, failure);
  }
}

/** Calls all end hooks, then throws the first error: a plugin that fails does not keep the others from ending. */
async function close(ends: readonly EndHook[], error?: Error): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends) {
    try {
      await end(error);
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Copies the object, because a plugin may return one for all operations, and additions of other plugins for one user must not reach the next. */
function copyResult({ data, extensions, ...rest }: ExecutionResult): ExecutionResult {
  return { ...rest, ...(data !== undefined && { data: deepCopyOf(data) }), ...(extensions && { extensions: deepCopyOf(extensions) }) };
}

/** Copies the parts of an answer that hooks write to: all but its data. */
export function copyMutableParts(answer: FormattedExecutionResult): FormattedExecutionResult {
  const { errors, extensions } = answer;
  return {
    ...answer,
    ...(errors && { errors: errors.map(copyFormattedError) }),
    ...(extensions && { extensions: deepCopyOf(extensions) }),
  };
}

function errorsOf(error: Error): readonly GraphQLError[] {
  return error instanceof DocumentError ? error.errors : [toGraphQLError(error)];
}
