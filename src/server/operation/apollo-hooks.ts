/**
 * The hooks of Apollo Server's plugins, versions 3 to 5, which plugins of this server may have beside their stages. The pipeline starts
 * them once, after the context, and calls them where Apollo Server does.
 */
import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import { copyMutableParts, deepCopyOf, isRecord, sha256, shallowCopyOf, isObjectLike } from '../../shared/index.ts';
import type { HTTPRequest, PromiseOrValue, ResponseHead } from '../../shared/index.ts';
import { DocumentError, copyThrown, toGraphQLError, report } from './errors.ts';
import type { ServerListener, ServerStartContext } from './server-start.ts';
import type { GraphQLRequest, Logger, SubsequentPayload } from './types.ts';

/** The hooks of a plugin of Apollo Server. */
export interface ApolloHooks<TContext = unknown> {
  /** Called once per process, before the first request is served. If it fails, so does that request, and the next one retries it. */
  serverWillStart?(context: ServerStartContext): PromiseOrValue<ServerListener | void>;
  /** Called for every operation, also in a batch, after `context` and `dataSources`. */
  requestDidStart?(context: GraphQLRequestContext<TContext>): PromiseOrValue<GraphQLRequestListener<TContext> | void>;
  /** Called if `context` or `dataSources` threw. There is no request context, so hooks that need one are not called. */
  contextCreationDidFail?(failure: { readonly error: Error; readonly logger: Logger }): PromiseOrValue<void>;
  /** Called if an HTTP request was refused before its operation was read. */
  invalidRequestWasReceived?(failure: { readonly error: Error; readonly logger: Logger }): PromiseOrValue<void>;
  /** Called if the server could not start: options, schema or `serverWillStart` failed. */
  startupDidFail?(failure: { readonly error: Error; readonly logger: Logger }): PromiseOrValue<void>;
}

/** The context that all hooks of one operation share. Each step adds to it; the types below say what each hook can rely on. */
export interface GraphQLRequestContext<TContext = unknown> {
  /** The operation as the client requested it, with its HTTP request. */
  readonly request: GraphQLRequest & { readonly http?: (HTTPRequest & { readonly search: string }) | undefined };
  /** Status and headers, which may be changed until `willSendResponse` has run. `body` is the result in the form of Apollo Server 4. */
  readonly response: {
    readonly http: ResponseHead;
    result?: ExecutionResult | FormattedExecutionResult;
    readonly body?: { readonly kind: 'single'; singleResult: ExecutionResult | FormattedExecutionResult } | undefined;
  };
  /** True if the document was found by its hash, or registered for it. */
  readonly metrics: { persistedQueryHit?: boolean; persistedQueryRegister?: boolean };
  /** True if the operation is an element of a batch, even the only one. Then its response head is merged with those of the others. */
  readonly requestIsBatched: boolean;
  readonly schema: GraphQLSchema;
  /** The third argument of resolvers: the return value of `context`, with `dataSources`. */
  readonly contextValue: TContext;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** The text of the document, from `didResolveSource` on. */
  readonly source?: string;
  /** The SHA-256 hash of the text, in hexadecimal digits. */
  readonly queryHash?: string | undefined;
  /** The parsed document, from `validationDidStart` on. */
  readonly document?: DocumentNode;
  /** The name of the chosen operation, null if it has none; from `didResolveOperation` on. */
  readonly operationName?: string | null;
  /** The chosen operation, from `didResolveOperation` on. */
  readonly operation?: OperationDefinitionNode;
  /** The errors as they were thrown, from `didEncounterErrors` on. */
  readonly errors?: readonly GraphQLError[];
}

type With<TContext, TKey extends keyof GraphQLRequestContext> = GraphQLRequestContext<TContext> &
  Required<Pick<GraphQLRequestContext<TContext>, TKey>>;

/** The context from `didResolveSource` on: the text of the document is known. */
export type RequestContextWithSource<TContext> = With<TContext, 'source'>;
/** The context from `validationDidStart` on: the document is parsed. */
export type RequestContextWithDocument<TContext> = With<TContext, 'source' | 'document'>;
/** The context from `didResolveOperation` on: the document is valid, and the operation is chosen. */
export type RequestContextWithOperation<TContext> = With<TContext, 'source' | 'document' | 'operationName' | 'operation'>;
/** The context in `didEncounterErrors`: has the errors as they were thrown. */
export type RequestContextWithErrors<TContext> = With<TContext, 'errors'>;
/** The context in `willSendResponse`: has the result as it will be sent. */
export type RequestContextWithResponse<TContext> = GraphQLRequestContext<TContext> & {
  readonly response: { readonly http: ResponseHead; result: FormattedExecutionResult };
};

/** Called and awaited when a step has ended, with the error if it failed. */
export type EndHook<TError = Error> = (error?: TError) => PromiseOrValue<void>;

/** The hooks of one operation, in the order of the pipeline. All are optional and awaited. */
export interface GraphQLRequestListener<TContext = unknown> {
  /** Called when the text of the document is known, from the request or by a hash or an id. */
  didResolveSource?(context: RequestContextWithSource<TContext>): PromiseOrValue<void>;
  /** Called before parsing, only for a document that is not in the document cache. */
  parsingDidStart?(context: RequestContextWithSource<TContext>): PromiseOrValue<EndHook | void>;
  /** Called before validation, only for a document that is not in the document cache. */
  validationDidStart?(context: RequestContextWithDocument<TContext>): PromiseOrValue<EndHook<readonly GraphQLError[]> | void>;
  /** Called when the document is valid and the operation is chosen. If it throws, the error is the answer and nothing is executed. */
  didResolveOperation?(context: RequestContextWithOperation<TContext>): PromiseOrValue<void>;
  /** If it returns a result, that is the answer and nothing is executed. */
  responseForOperation?(context: RequestContextWithOperation<TContext>): PromiseOrValue<ExecutionResult | null | undefined>;
  /** Called before execution. May return a callback, or an object with `executionDidEnd`. */
  executionDidStart?(context: RequestContextWithOperation<TContext>): PromiseOrValue<EndHook | { executionDidEnd?: EndHook } | void>;
  /** Called if any step had errors. They are as they were thrown, before masking and `formatError`. */
  didEncounterErrors?(context: RequestContextWithErrors<TContext>): PromiseOrValue<void>;
  /** Called last: may change `response.result` and `response.http`. For a subscription the result is empty, and only the head is sent. */
  willSendResponse?(context: RequestContextWithResponse<TContext>): PromiseOrValue<void>;
  /** Called with the errors of an event of a subscription, or of a payload after the first response. */
  didEncounterSubsequentErrors?(context: RequestContextWithOperation<TContext>, errors: readonly GraphQLError[]): PromiseOrValue<void>;
  /** Called before each event of a subscription, and each payload after the first response. May change the payload. */
  willSendSubsequentPayload?(context: RequestContextWithOperation<TContext>, payload: SubsequentPayload): PromiseOrValue<void>;
}

type Called = 'didResolveSource' | 'didResolveOperation' | 'didEncounterSubsequentErrors' | 'willSendSubsequentPayload';
type AnyHook = (...values: unknown[]) => PromiseOrValue<void>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type HookedPlugin = ApolloHooks & { readonly onlyWatches?: boolean | undefined };

/** The fields of an operation that its hooks get. */
interface HookedOperation extends Pick<GraphQLRequestContext, 'contextValue'> {
  readonly settings: Pick<GraphQLRequestContext, 'schema' | 'cache' | 'logger'> & { readonly plugins: readonly HookedPlugin[] };
  readonly request: GraphQLRequest;
  readonly http: HTTPRequest | undefined;
  readonly head: ResponseHead;
  /** The place of the operation in its batch; undefined if it is not in a batch. */
  readonly batchIndex: number | undefined;
}

/** True if a plugin listens to operations: else the pipeline does no work for hooks. */
export function hasHooks({ requestDidStart }: HookedPlugin): boolean {
  return requestDidStart !== undefined;
}

/** Starts an operation's hooks; undefined if no plugin listens to this one. */
export async function startHooks(operation: HookedOperation): Promise<OperationHooks | undefined> {
  const { plugins, schema, cache, logger } = operation.settings;
  const { http } = operation;
  const response: GraphQLRequestContext['response'] = {
    http: operation.head,
    get body() {
      return this.result && bodyOf(this);
    },
  };
  const context: GraphQLRequestContext = {
    request: { ...operation.request, http: http && withSearch(http) },
    response,
    metrics: {},
    get queryHash() {
      return this.source === undefined ? undefined : sha256(this.source);
    },
    requestIsBatched: operation.batchIndex !== undefined,
    schema,
    contextValue: operation.contextValue,
    cache,
    logger,
  };
  let mustEnd = false;
  // This is async, so that a plugin that throws synchronously does not leave another's rejection unhandled.
  const start = async (plugin: HookedPlugin): Promise<GraphQLRequestListener | readonly []> => {
    const listener = await plugin.requestDidStart?.(context);
    if (!isObjectLike(listener)) return [];
    mustEnd ||= plugin.onlyWatches !== true && (listener.willSendResponse ?? listener.executionDidStart) !== undefined;
    return listener;
  };
  const listeners = (await Promise.all(plugins.map(start))).flat();
  return listeners.length === 0 ? undefined : new OperationHooks(listeners, { context, mustEnd });
}

/** Nothing is read until a hook does: an answer is private for `edge` once its request has been read. */
function withSearch(http: HTTPRequest): HTTPRequest & { readonly search: string } {
  const search = (): string => (http.queryString === '' ? '' : `?${http.queryString}`);
  return Object.defineProperty(shallowCopyOf(http), 'search', { get: search, enumerable: true }) as HTTPRequest & { search: string };
}

/** The result as Apollo Server 4 and 5 have it. */
function bodyOf(response: GraphQLRequestContext['response']): NonNullable<GraphQLRequestContext['response']['body']> {
  return {
    kind: 'single',
    get singleResult() {
      return response.result!;
    },
    set singleResult(result) {
      response.result = result;
    },
  };
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

  /** Calls one hook of every listener, one after the other. */
  async call(hook: Called, ...values: readonly unknown[]): Promise<void> {
    for (const listener of this.listeners) await (listener[hook] as AnyHook | undefined)?.call(listener, this.context, ...values);
  }

  didResolveSource(source: string): Promise<void> {
    this.context.source = source;
    const { query, extensions } = this.context.request;
    if (isRecord(extensions?.['persistedQuery']))
      this.context.metrics[query === undefined ? 'persistedQueryHit' : 'persistedQueryRegister'] = true;
    return this.call('didResolveSource');
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

  didResolveOperation(document: DocumentNode, operation: OperationDefinitionNode): Promise<void> {
    Object.assign(this.context, { document, operation, operationName: operation.name?.value ?? null });
    return this.call('didResolveOperation');
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

  didEncounterErrors(errors: readonly GraphQLError[]): Promise<void> {
    this.context.errors = errors;
    return callFailureHooks(this.listeners, 'didEncounterErrors', this.context as RequestContextWithErrors<unknown>);
  }

  /** Returns the result to send: a hook may have replaced it. */
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
 * Calls the hook of every plugin or listener that reports a failure. If a hook fails too, that is logged, and the first failure is
 * answered. Apollo Server does the same for contextCreationDidFail, but loses the first failure for didEncounterErrors.
 */
export async function callFailureHooks<THook extends string, TFailure extends { readonly logger: Logger }>(
  listeners: readonly { readonly [TName in THook]?: (failure: TFailure) => PromiseOrValue<void> }[],
  hook: THook,
  failure: TFailure,
): Promise<void> {
  const call = async (listener: (typeof listeners)[number]): Promise<void> => listener[hook]?.(failure);
  const log = (thrown: unknown): void => report(failure.logger, `The ${hook} hook of a plugin failed.`, thrown);
  await Promise.all(listeners.map((listener) => call(listener).catch(log)));
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

function errorsOf(error: Error): readonly GraphQLError[] {
  return error instanceof DocumentError ? error.errors : [toGraphQLError(error)];
}
