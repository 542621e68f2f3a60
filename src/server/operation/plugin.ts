import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import type { ExecutionObserver, PageDefaults } from '../../executor/index.ts';
import type { CallWatch, DataSourceRequest, KeyValueCache } from '../../datasources/index.ts';
import type { HTTPRequest, HTTPResponse, Invocation, ResponseHead, StreamedResponse } from '../../shared/index.ts';
import type { TrustedDocument } from './documents/trusted-documents.ts';
import type { GraphQLRequest, Logger, OperationOutcome, SubsequentPayload } from './types.ts';

type MaybePromise<T> = T | Promise<T>;

/** The context that all hooks of one operation share. Each step adds to it; the types below say what each hook can rely on. */
export interface GraphQLRequestContext<TContext = unknown> {
  /** The operation as the client requested it, with its HTTP request. */
  readonly request: GraphQLRequest & { readonly http?: HTTPRequest | undefined };
  /** Status and headers, which may be changed until `willSendResponse` has run. */
  readonly response: { readonly http: ResponseHead; result?: ExecutionResult | FormattedExecutionResult };
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
export type EndHook<TError = Error> = (error?: TError) => MaybePromise<void>;

/** The hooks of one operation, in the order of the pipeline. All are optional and awaited. */
export interface GraphQLRequestListener<TContext = unknown> {
  /** Called when the text of the document is known, from the request or by a hash or an id. */
  didResolveSource?(context: RequestContextWithSource<TContext>): MaybePromise<void>;
  /** Called before parsing, only for a document that is not in the document cache. */
  parsingDidStart?(context: RequestContextWithSource<TContext>): MaybePromise<EndHook | void>;
  /** Called before validation, only for a document that is not in the document cache. */
  validationDidStart?(context: RequestContextWithDocument<TContext>): MaybePromise<EndHook<readonly GraphQLError[]> | void>;
  /** Called when the document is valid and the operation is chosen. If it throws, the error is the answer and nothing is executed. */
  didResolveOperation?(context: RequestContextWithOperation<TContext>): MaybePromise<void>;
  /** If it returns a result, that is the answer and nothing is executed. */
  responseForOperation?(context: RequestContextWithOperation<TContext>): MaybePromise<ExecutionResult | null | undefined>;
  /** Called before execution. May return a callback, or an object with `executionDidEnd`. */
  executionDidStart?(context: RequestContextWithOperation<TContext>): MaybePromise<EndHook | { executionDidEnd?: EndHook } | void>;
  /** Called if any step had errors. They are as they were thrown, before masking and `formatError`. */
  didEncounterErrors?(context: RequestContextWithErrors<TContext>): MaybePromise<void>;
  /** Called last: may change `response.result` and `response.http`. For a subscription the result is empty, and only the head is sent. */
  willSendResponse?(context: RequestContextWithResponse<TContext>): MaybePromise<void>;
  /** Called with the errors of an event of a subscription, or of a payload after the first response. */
  didEncounterSubsequentErrors?(context: RequestContextWithOperation<TContext>, errors: readonly GraphQLError[]): MaybePromise<void>;
  /** Called before each event of a subscription, and each payload after the first response. May change the payload. */
  willSendSubsequentPayload?(context: RequestContextWithOperation<TContext>, payload: SubsequentPayload): MaybePromise<void>;
}

/** One HTTP request as plugins see it: the same object for all hooks of the request and all operations of a batch. */
export interface RequestCall {
  /** The request in a form that is the same on all platforms. */
  readonly request: HTTPRequest;
  /** The kind of event that brought the request, for example "http-api" or "fetch". */
  readonly platform: string;
  /** The platform's own objects, the signal, the deadline, and `waitUntil`. */
  readonly invocation: Pick<Invocation, 'event' | 'context' | 'env' | 'signal' | 'waitUntil' | 'deadlineLeft'> &
    Partial<Pick<Invocation, 'waitsForWork' | 'resultLimit'>>;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /**
   * Runs an operation as if it were the one in the request: with a context and data sources, the limits and the hooks of all plugins. For
   * `aroundRequest`, which turns the outcome into a response. Always gives one answer; subscriptions are refused. Never rejects.
   */
  readonly runOperation: (request: GraphQLRequest) => Promise<OperationOutcome>;
}

/** One operation as plugins see it before it runs. */
export interface OperationCall {
  /** The operation as the client requested it. */
  readonly request: GraphQLRequest;
  /** Status and headers, which may be changed. */
  readonly response: ResponseHead;
  /** Its HTTP request. */
  readonly http: RequestCall;
  /** True if the operation is an element of a batch, even the only one. */
  readonly requestIsBatched: boolean;
}

/** An operation that is about to be executed. */
export interface OperationExecution {
  /** The operation as the client requested it. */
  readonly request: GraphQLRequest;
  /** Its HTTP request. */
  readonly http: HTTPRequest | undefined;
  /** The call that brought it, the same object as in the other hooks. Undefined if no plugin has a hook of requests or operations. */
  readonly call: RequestCall | undefined;
  /** Status and headers, which may be changed. */
  readonly response: ResponseHead;
  readonly schema: GraphQLSchema;
  /** The third argument of resolvers. */
  readonly contextValue: unknown;
  /** The text of the document. */
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Its position in the batch, from 0. Undefined: the request is not a batch. */
  readonly batchIndex: number | undefined;
  /** The time that is left, the signal of the operation, and `waitUntil`. */
  readonly invocation: Pick<Invocation, 'deadlineLeft' | 'signal' | 'waitUntil'>;
  /** The coerced variables by name, including defaults. Do not change them: resolvers get the same values. Undefined: they are invalid. */
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/** An execution whose variables have been coerced. */
export interface CoercedExecution extends OperationExecution {
  /** Status and headers, which may be changed. Use it as `head` of an outcome that does not come from `next`. */
  readonly response: ResponseHead;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** Settings that a plugin may choose for an execution. */
export interface ExecutionOptions {
  /**
   * If true, the execution and the calls of its data sources continue when the client leaves, and only the deadline ends them. The
   * execution is passed to `waitUntil`. The parts of `@defer` and `@stream` still end with their stream. Default: false
   */
  readonly runToEnd?: boolean | undefined;
  /** If true, `@defer` and `@stream` are ignored, as for clients that do not accept parts. Default: false */
  readonly inOneAnswer?: boolean | undefined;
  /**
   * Wraps this execution as {@link ServerPlugin.aroundExecution} does, inside of the plugins that wrap all executions. An execution that
   * no plugin wraps costs no promises.
   */
  readonly around?: ServerPlugin['aroundExecution'] | undefined;
  /**
   * Observes the resolvers of this execution; for a subscription, those of its events. `field(call, resolve)` is called in place of each
   * resolver, `info(info)` with each `info` that a resolver will get. The observer of the first plugin is the outermost. An operation with
   * `field` takes up to three times as long. Default: resolvers are not observed.
   */
  readonly observer?: ExecutionObserver | undefined;
}

/** One call that a data source makes. */
export interface DataSourceCall {
  /** The data source. Its class name usually identifies the API. */
  readonly dataSource: object;
  /** Method, URL and headers. When the call has ended, its `outcome` says who answered. */
  readonly request: DataSourceRequest;
  /** The operation that makes the call. */
  readonly operation: OperationCall;
}

/** Follows one call of a data source with a method for each step. All are optional, and none may throw. */
export type DataSourceCallListener = Partial<CallWatch>;

/** The argument of `serverWillStart`. */
export interface ServerStartContext {
  readonly schema: GraphQLSchema;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** The option `nodeEnv`, or NODE_ENV. Undefined counts as production. */
  readonly nodeEnv: string | undefined;
  /** The documents of the option `trustedDocuments`, with their ids. A function, because a manifest may list thousands. */
  readonly trustedDocuments: () => readonly (readonly [id: string, document: TrustedDocument])[];
  /** The options `maxBodyBytes` and `maxResultBytes`, or their defaults. */
  readonly maxBodyBytes: number;
  readonly maxResultBytes: number;
  /** False if graphql-js runs the operations: then `observer` of {@link ExecutionOptions} is ignored. */
  readonly observesResolvers: boolean;
}

/** The page that browsers get in development. */
export interface LandingPage {
  /** The HTML document, or a function that returns one for each request. */
  readonly html: string | (() => MaybePromise<string>);
  /** Additional response headers, for example a content security policy. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The hooks of a server's lifecycle. */
export interface ServerListener {
  /** Called before a long-lived process stops taking requests. */
  drainServer?(): MaybePromise<void>;
  /** Called when the server has answered its last request. */
  serverWillStop?(): MaybePromise<void>;
  /** Returns the page that browsers get in development. */
  renderLandingPage?(): MaybePromise<LandingPage>;
}

/** A plugin: an object with the hooks it needs. */
export interface ServerPlugin<TContext = unknown> {
  /** Called once per process, before the first request is served. If it fails, so does that request, and the next one retries it. */
  serverWillStart?(context: ServerStartContext): MaybePromise<ServerListener | void>;
  /**
   * 'first': the hooks of this plugin are called before those of plugins without a position, and its wrappers are the outermost. 'last':
   * after them, and its wrappers are the innermost. Default: the order of the list.
   */
  readonly position?: 'first' | 'last' | undefined;
  /**
   * true: what this plugin does after an operation changes no answer and refuses none. If it has not ended at the last moment before the
   * platform's limit, the answer is sent anyway. Default: the operation is then answered with 504, without data, because the plugin might
   * have refused it.
   */
  readonly onlyWatches?: boolean | undefined;
  /** Header fields that clients send and read because of this plugin: they are added to the lists of the option `cors`. */
  readonly corsHeaders?: { readonly allowed?: readonly string[]; readonly exposed?: readonly string[] } | undefined;
  /**
   * Returns the defaults that arguments of this schema have in addition to those that it defines. Called when the server is created. Of
   * several plugins, the first that returns some applies.
   */
  pageDefaults?(schema: GraphQLSchema): PageDefaults | undefined;
  /**
   * Returns what `context` and the hooks of all plugins see of a request: the call itself, or another object with the same members. The
   * server itself reads the original request. Called once for each request, before all other hooks.
   */
  viewRequest?(call: RequestCall): RequestCall;
  /**
   * Wraps the processing of one HTTP request, from the original request to the response as it will be sent, including refusals. Call `next`
   * once to continue, or return a response without calling it. `next` never rejects. The first plugin of the list is the outermost. The body
   * of a streamed response has not been read yet.
   */
  aroundRequest?(call: RequestCall, next: () => Promise<HTTPResponse | StreamedResponse>): Promise<HTTPResponse | StreamedResponse>;
  /**
   * Wraps one operation, also in a batch, from before `context` to its formatted answer. Call `next` once to run it, or return an outcome
   * without calling it. `next` never rejects, and keeps the asynchronous context (AsyncLocalStorage) in which it is called. `stream` of
   * the outcome has the answers after the first.
   */
  aroundOperation?(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome>;
  /**
   * Called with every response, including refusals; its headers may be changed. `etag`, encoding and the platform's
   * limit come after it. Called at the point where
   * `next` of the plugin's `aroundRequest` would return. Must be synchronous, and so costs no promise.
   */
  responseWillBeSent?(call: RequestCall, response: HTTPResponse | StreamedResponse): void;
  /**
   * Returns a function that encodes the body of the response, or undefined to send it unchanged. Called once for each request, before it
   * runs, on platforms that take bodies in base64 (`isBase64Encoded`): Lambda function URLs, API Gateway and Application Load Balancers.
   * The call has the request as it came, without the view of a plugin. The function gets a buffered response with a body after all plugins
   * have seen it. The platform's size limit then applies to what it
   * returns. The first plugin that returns a function encodes the body.
   */
  encodeResponse?(call: RequestCall): ((response: HTTPResponse) => MaybePromise<HTTPResponse>) | undefined;
  /**
   * Wraps the execution of a query or mutation, from after the coercion of its variables to its formatted answer, including the hooks
   * `didEncounterErrors` and `willSendResponse`. Call `next` once to execute it, or return an outcome without calling it. `next` never
   * rejects. Not called for operations that were refused by parsing, validation, limits or coercion, or answered by
   * `responseForOperation`.
   */
  aroundExecution?(execution: CoercedExecution, next: () => Promise<OperationOutcome>): Promise<OperationOutcome>;
  /** Called with the outcome of every operation, where `next` of the plugin's `aroundOperation` would return. Awaited. */
  operationDidEnd?(call: OperationCall, outcome: OperationOutcome): MaybePromise<void>;
  /** Called before every execution. Awaited. If it throws or rejects, the error is the answer. */
  executionWillStart?(execution: OperationExecution): MaybePromise<ExecutionOptions | void>;
  /** Called when a RESTDataSource starts a call. May return a listener for the steps of the call. */
  dataSourceCallDidStart?(call: DataSourceCall): DataSourceCallListener | void;
  /** Called for every operation, also in a batch, after `context` and `dataSources`. */
  requestDidStart?(context: GraphQLRequestContext<TContext>): MaybePromise<GraphQLRequestListener<TContext> | void>;
  /** Called if `context` or `dataSources` threw. There is no request context, so hooks that need one are not called. */
  contextCreationDidFail?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
  /** Called if an HTTP request was refused before its operation was read. */
  invalidRequestWasReceived?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
  /**
   * Called by the command `check`, after the options and the schema were found to be right. Throws an Error for what would fail later, and
   * may return notices about what is probably not meant. Must have no effects: the server does not start.
   */
  check?(context: Pick<ServerStartContext, 'schema' | 'trustedDocuments'>): readonly string[] | void;
  /** Called if the server could not start: options, schema or `serverWillStart` failed. */
  startupDidFail?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
}
