import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import type { KeyValueCache } from '../cache/key-value-cache.ts';
import type { CallWatch } from '../datasource/call-watch.ts';
import type { DataSourceRequest } from '../datasource/request.ts';
import type { HTTPRequest, HTTPResponse, ResponseHead, StreamedResponse } from '../message/http-messages.ts';
import type { Invocation } from '../message/invocation.ts';
import type { GraphQLRequest, Logger, ObjectListing, OperationOutcome, SubsequentPayload } from './types.ts';

type MaybePromise<T> = T | Promise<T>;

/** The context that all hooks of one operation share. It grows from stage to stage; the types below say what each hook can rely on. */
export interface GraphQLRequestContext<TContext = unknown> {
  /** The operation as the client asked for it, and the HTTP request that brought it. */
  readonly request: GraphQLRequest & { readonly http?: HTTPRequest | undefined };
  /** Status and headers may be shaped until `willSendResponse` has run. */
  readonly response: { readonly http: ResponseHead; result?: ExecutionResult | FormattedExecutionResult };
  /** True when the operation is an element of a batch, of which it may be the only one. Its response head is then one of several. */
  readonly requestIsBatched: boolean;
  readonly schema: GraphQLSchema;
  /** The third argument of resolvers: the result of `context`, with `dataSources`. */
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

/** From `didResolveSource` on: the text of the document is known. */
export type RequestContextWithSource<TContext> = With<TContext, 'source'>;
/** From `validationDidStart` on: the document is parsed. */
export type RequestContextWithDocument<TContext> = With<TContext, 'source' | 'document'>;
/** From `didResolveOperation` on: the document is valid, and the operation is chosen. */
export type RequestContextWithOperation<TContext> = With<TContext, 'source' | 'document' | 'operationName' | 'operation'>;
/** In `didEncounterErrors`: the errors as they were thrown. */
export type RequestContextWithErrors<TContext> = With<TContext, 'errors'>;
/** In `willSendResponse`: the result as it will be sent. */
export type RequestContextWithResponse<TContext> = GraphQLRequestContext<TContext> & {
  readonly response: { readonly http: ResponseHead; result: FormattedExecutionResult };
};

/** Called when a stage has ended: with the error if it failed. It is awaited. */
export type EndHook<TError = Error> = (error?: TError) => MaybePromise<void>;

/** The hooks of one operation, in the order of the pipeline. All are optional, and all are awaited. */
export interface GraphQLRequestListener<TContext = unknown> {
  /** The text of the document is known: from the request, or by its hash or id. */
  didResolveSource?(context: RequestContextWithSource<TContext>): MaybePromise<void>;
  /** Only for a document that is not in the document cache yet. */
  parsingDidStart?(context: RequestContextWithSource<TContext>): MaybePromise<EndHook | void>;
  /** Only for a document that is not in the document cache yet. */
  validationDidStart?(context: RequestContextWithDocument<TContext>): MaybePromise<EndHook<readonly GraphQLError[]> | void>;
  /** The document is valid, and the operation is chosen. An error thrown here is the answer: the operation is not executed. */
  didResolveOperation?(context: RequestContextWithOperation<TContext>): MaybePromise<void>;
  /** A result returned here is the answer: nothing is executed. */
  responseForOperation?(context: RequestContextWithOperation<TContext>): MaybePromise<ExecutionResult | null | undefined>;
  /** The resolvers are about to run. May return a callback, or an object with `executionDidEnd`. */
  executionDidStart?(context: RequestContextWithOperation<TContext>): MaybePromise<EndHook | { executionDidEnd?: EndHook } | void>;
  /** The operation has errors, of whatever stage. They are as they were thrown, before masking and `formatError`. */
  didEncounterErrors?(context: RequestContextWithErrors<TContext>): MaybePromise<void>;
  /** The last word: may still change `response.result` and `response.http`. Of a subscription the result is empty: its head is sent. */
  willSendResponse?(context: RequestContextWithResponse<TContext>): MaybePromise<void>;
  /** Errors of an event of a subscription, or of a part that comes after the response. */
  didEncounterSubsequentErrors?(context: RequestContextWithOperation<TContext>, errors: readonly GraphQLError[]): MaybePromise<void>;
  /** Before each event of a subscription, and each part that comes after the response. May change the payload. */
  willSendSubsequentPayload?(context: RequestContextWithOperation<TContext>, payload: SubsequentPayload): MaybePromise<void>;
}

/** One HTTP request as plugins see it. One object for all hooks of the request, and for all operations of a batch. */
export interface RequestCall {
  /** The request in the form that is the same on every platform. */
  readonly request: HTTPRequest;
  /** The kind of event that brought the request, for example "http-api" or "fetch". */
  readonly platform: string;
  /** The platform's own objects, the signal, the deadline, and `waitUntil`. */
  readonly invocation: Pick<Invocation, 'event' | 'context' | 'env' | 'signal' | 'waitUntil' | 'deadlineLeft'>;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
}

/** One operation as plugins see it before anything of it has run. */
export interface OperationCall {
  /** The operation as the client asked for it. */
  readonly request: GraphQLRequest;
  /** Status and headers may be shaped. */
  readonly response: ResponseHead;
  /** The HTTP request that brought it. */
  readonly http: RequestCall;
  /** True when the operation is an element of a batch, of which it may be the only one. */
  readonly requestIsBatched: boolean;
}

/** An operation that is about to be executed. */
export interface OperationExecution {
  /** The operation as the client asked for it. */
  readonly request: GraphQLRequest;
  /** The HTTP request that brought it. */
  readonly http: HTTPRequest | undefined;
  readonly schema: GraphQLSchema;
  /** The third argument of resolvers. */
  readonly contextValue: unknown;
  /** The text of the document. */
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The settings of an execution that a plugin may choose. */
export interface ExecutionWish {
  /**
   * The outcome of the operation lists the objects that its answer was made of: `listObjects()` of `graphql-functions/edge`. Of the
   * listings of all plugins counts the first that names objects itself, or else the first. Default: it does not.
   */
  readonly objects?: ObjectListing | undefined;
}

/** One call that a data source makes. */
export interface DataSourceCall {
  /** The instance: its class names the API. */
  readonly dataSource: object;
  /** Method, URL and headers; its `outcome` says who answered, once the call has ended. */
  readonly request: DataSourceRequest;
  /** The operation for which it is made. */
  readonly operation: OperationCall;
}

/** Follows one call of a data source, by the steps that it has methods for. None of them may throw. */
export type DataSourceCallListener = Partial<CallWatch>;

/** The argument of `serverWillStart`. */
export interface ServerStartContext {
  readonly schema: GraphQLSchema;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
}

/** The page a browser gets instead of an answer, in development only. */
export interface LandingPage {
  /** The whole document, or a function that makes one for each browser that asks. */
  readonly html: string | (() => MaybePromise<string>);
  /** Extra response fields, for example a content security policy. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The hooks of a server's life. */
export interface ServerListener {
  /** A long-lived process is about to stop taking requests. */
  drainServer?(): MaybePromise<void>;
  /** The server has answered its last request. */
  serverWillStop?(): MaybePromise<void>;
  /** Makes the page that a browser gets in development. */
  renderLandingPage?(): MaybePromise<LandingPage>;
}

/** A plugin: an object with the hooks it needs. */
export interface ServerPlugin<TContext = unknown> {
  /** Runs once per process, before the first request is served. A failure fails that request and is retried on the next. */
  serverWillStart?(context: ServerStartContext): MaybePromise<ServerListener | void>;
  /**
   * 'first': the hooks are called before those of plugins without this word, wherever the plugin stands in the list. What it wraps
   * is wrapped whole. Default: the order of the list.
   */
  readonly position?: 'first' | undefined;
  /**
   * Returns what `context` and the hooks of all plugins see of a request: the call, or a view of it with the same members. The line
   * itself reads the request as the platform brought it. Called once for each request, before every other hook of it.
   */
  viewRequest?(call: RequestCall): RequestCall;
  /**
   * Wraps the whole way of one HTTP request, refusals included: from the request as the platform brought it to the response as
   * it will be sent. `next` continues, once; a response returned without calling it is the answer. The first plugin of the
   * list is the outermost. A streamed response has a body that is still to be read.
   */
  aroundRequest?(call: RequestCall, next: () => Promise<HTTPResponse | StreamedResponse>): Promise<HTTPResponse | StreamedResponse>;
  /**
   * Wraps one operation, also within a batch: from before `context` to its formatted answer. `next` runs it, once, and never
   * rejects; an outcome returned without calling it is the answer. What `next` runs sees the asynchronous context
   * (AsyncLocalStorage) it was called in. `stream` of the outcome brings the answers after the first.
   */
  aroundOperation?(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome>;
  /**
   * Told of every response as it will be sent, refusals included; its fields may be changed. It is called where the plugin's
   * `aroundRequest` would go on, costs no promise, and may not be asynchronous.
   */
  responseWillBeSent?(call: RequestCall, response: HTTPResponse | StreamedResponse): void;
  /** Told of the outcome of every operation, where the plugin's `aroundOperation` would go on. The answer waits for a promise. */
  operationDidEnd?(call: OperationCall, outcome: OperationOutcome): MaybePromise<void>;
  /** Told of every operation that is about to be executed, without a promise. What it throws is the answer. */
  executionWillStart?(execution: OperationExecution): ExecutionWish | void;
  /** A RESTDataSource begins a call. It may return a listener, which follows the call to its end. */
  dataSourceCallDidStart?(call: DataSourceCall): DataSourceCallListener | void;
  /** Runs for every operation, also within a batch, after `context` and `dataSources`. */
  requestDidStart?(context: GraphQLRequestContext<TContext>): MaybePromise<GraphQLRequestListener<TContext> | void>;
  /** `context` or `dataSources` threw: there is no request context to hand to other hooks. */
  contextCreationDidFail?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
  /** The HTTP request was refused before an operation was found in it. */
  invalidRequestWasReceived?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
  /** Options, schema or `serverWillStart` failed. */
  startupDidFail?(failure: { readonly error: Error; readonly logger: Logger }): MaybePromise<void>;
}
