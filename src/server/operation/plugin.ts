import type { DocumentNode, GraphQLDirective, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { CallWatch, DataSourceRequest } from '../../datasources/index.ts';
import type { ExecutionObserver, PageDefaults } from '../../executor/index.ts';
import type { Facts, HTTPResponse, OperationInvocation, PromiseOrValue, ResponseHead, StreamedResponse } from '../../shared/index.ts';
import type { ApolloHooks } from './apollo-hooks.ts';
import type { FindDoor, RequestCall } from './door.ts';
import type { LandingPage, ServerStartContext } from './server-start.ts';
import type { GraphQLRequest, OperationOutcome, PayloadOutcome } from './types.ts';

/** One operation as plugins see it. */
export interface OperationCall {
  /** The operation as the client requested it. */
  readonly request: GraphQLRequest;
  /** Status and headers, which may be changed. */
  readonly response: ResponseHead;
  /** The HTTP request of the operation. */
  readonly call: RequestCall;
  /** Facts that plugins share about the operation, by a name or a symbol of the plugin that knows it. */
  readonly facts: Facts;
  /** True if the operation is an element of a batch, even the only one. Then its response head is merged with those of the others. */
  readonly requestIsBatched: boolean;
  /** The position in the batch, from 0. Undefined if the request is not a batch. */
  readonly batchIndex: number | undefined;
}

/** An operation whose context exists, and whose document has not been read. */
export interface OperationInContext extends OperationCall {
  readonly schema: GraphQLSchema;
  /** The third argument of resolvers: the return value of `context`, with `dataSources`. */
  readonly contextValue: unknown;
}

/** An operation that is about to be executed. */
export interface OperationExecution extends OperationInContext {
  /** The text of the document. */
  readonly source: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /**
   * The time that is left, the signal of the operation, and `waitUntil`. After `until = 'deadline'`, the execution and the calls of its data
   * sources continue when the client leaves. The parts of `@defer` and `@stream` still end with their stream.
   */
  readonly invocation: Pick<OperationInvocation, 'until' | 'deadlineLeft' | 'signal' | 'waitUntil'>;
  /** The coerced variables by name, including defaults. Do not change them: resolvers get the same values. */
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** The outcome of reading a document. */
export interface DocumentOutcome {
  /** The text of the document, even if the request had only a hash or an id. Undefined: it was not found. */
  readonly source: string | undefined;
  /** The document; undefined if it is not valid. */
  readonly document: DocumentNode | undefined;
  /** Why the document cannot be used, as it was thrown. */
  readonly errors: readonly GraphQLError[];
}

/** Settings that a plugin may choose for an execution, as the argument of `next`. */
export interface ExecutionOptions {
  /** If true, `@defer` and `@stream` are ignored, as for clients that do not accept parts. Default: false */
  readonly inOneAnswer?: boolean | undefined;
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

/** The object that `start` may return. */
export interface StartedPlugin {
  /** Returns the page that browsers get in development. */
  page?(): PromiseOrValue<LandingPage>;
  /** Called when the server has answered its last request. */
  stop?(): PromiseOrValue<void>;
}

/** The place of a plugin among all plugins. */
type PluginPosition = 'first' | 'last';

/** The members of a plugin that have a position. */
export type StageName = 'request' | 'operation' | 'document' | 'admit' | 'execution' | 'payload';

/** The options from which a schema is built. */
export interface SchemaParts {
  readonly typeDefs?: unknown;
  readonly resolvers?: unknown;
}

/**
 * A plugin: an object with the members it needs. A stage gets its subject and `next`, which continues and may be called once. It returns
 * the outcome of `next`, a changed one, or its own without calling `next`. `next` rejects only a second call, and keeps the asynchronous context
 * (AsyncLocalStorage) in which it is called. The first plugin of the list is the outermost. If a stage throws, that is the outcome.
 */
export interface ServerPlugin<TContext = unknown> extends ApolloHooks<TContext> {
  /**
   * 'first': the stages of this plugin are outside of those of plugins without a position. 'last': inside of all others. Plugins that only
   * watch, and are not last, are outside of all others, first those in the position 'first'. An object has positions of single stages, for example `{ request: 'first', execution: 'last' }`.
   * Default: the order of the list.
   */
  readonly position?: PluginPosition | { readonly [TStage in StageName]?: PluginPosition | undefined } | undefined;
  /**
   * true: what this plugin does after `next` changes no answer and refuses none. If it has not ended at the last moment before the
   * platform's limit, the answer is sent anyway. Default: the operation is then answered with 504, without data, because the plugin might
   * have refused it.
   */
  readonly onlyWatches?: boolean | undefined;
  /** Header fields that clients send and read because of this plugin: they are added to the lists of the option `cors`. */
  readonly corsHeaders?: { readonly allowed?: readonly string[]; readonly exposed?: readonly string[] } | undefined;
  /** The plugin's name, for example "budget()", if a list may have it once, and one handler each object. Default: any number of times. */
  readonly once?: string | undefined;

  /** Directives that trusted documents may have because of this plugin, unless the schema defines others of their names. They are not part of the schema. */
  readonly documentDirectives?: readonly GraphQLDirective[] | undefined;

  /**
   * Changes the schema before it is built from text. Returns the parts that it replaces. Throws for what the environment does not allow.
   * Synchronous.
   */
  schemaWillBuild?(parts: SchemaParts, environment: Pick<ServerStartContext, 'nodeEnv'>): SchemaParts | void;
  /**
   * Returns the defaults that arguments of this schema have in addition to those that it defines. Called when the server is created. Of
   * several plugins, the first that returns some applies.
   */
  pageDefaults?(schema: GraphQLSchema): PageDefaults | undefined;
  /**
   * Called by the command `check`, after the options and the schema were found to be right. Throws an Error for what would fail later, and
   * may return notices about what is probably not meant. `verbose`: the command has this flag, and notices may also report what was found.
   * Must have no effects: the server does not start. `facts` are those that other plugins have set in `check`; plugins with `doors` are last.
   */
  check?(
    context: Pick<ServerStartContext, 'schema' | 'trustedDocuments' | 'facts'> & { readonly verbose?: boolean },
  ): readonly string[] | void;
  /** Called once per process, before the first request is served. If it fails, so does that request, and the next one retries it. */
  start?(context: ServerStartContext): PromiseOrValue<StartedPlugin | void>;

  /**
   * Returns the function that finds the door of a request. Called once, after `start`. The first plugin of the list that has a door for a
   * request answers it, whatever its `position`.
   */
  doors?(context: ServerStartContext): FindDoor;

  /**
   * Wraps one HTTP request, up to the response with its headers, also that of a refusal, but not of a preflight that `cors` answers. `next(view)` passes another view of the request
   * inwards, to `context` and the plugins inside; the server itself reads the original. `etag`, encoding and the platform's size limit come
   * after this stage. The body of a streamed response has not been read yet.
   */
  request?(
    call: RequestCall,
    next: (view?: RequestCall) => Promise<HTTPResponse | StreamedResponse>,
  ): Promise<HTTPResponse | StreamedResponse>;
  /** Wraps one operation, also in a batch, from before `context` to its formatted answer. `stream` of the outcome has the answers after the first. */
  operation?(operation: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome>;
  /** Wraps finding, parsing and validating the document of an operation, also of one whose document is known. Follows `context`. */
  document?(operation: OperationInContext, next: () => Promise<DocumentOutcome>): Promise<DocumentOutcome>;
  /**
   * Decides whether an operation may run, by its coerced variables: after `didResolveOperation`, before `responseForOperation` and every
   * stage `execution`. If it throws, that is the outcome, and nothing runs. Later changes of the variables change nothing. Not called for
   * variables with errors, which then are the answer. Members of several plugins are called one after the other, in the order of stages.
   */
  admit?(execution: OperationExecution): PromiseOrValue<void>;
  /**
   * Wraps the execution, from after the coercion of the variables to the formatted answer. Not entered by operations that were refused
   * before, or answered by `responseForOperation`. For a subscription, the outcome has its stream, and no result yet.
   */
  execution?(execution: OperationExecution, next: (options?: ExecutionOptions) => Promise<OperationOutcome>): Promise<OperationOutcome>;
  /**
   * Wraps each answer after the first: an event of a subscription, or a part. `next` resolves with undefined at the end, once, however the
   * stream ends.
   */
  payload?(operation: OperationExecution, next: () => Promise<PayloadOutcome | undefined>): Promise<PayloadOutcome | undefined>;

  /** Called when a RESTDataSource starts a call. May return a listener for the steps of the call. Synchronous. */
  sourceCall?(call: DataSourceCall): DataSourceCallListener | void;
  /**
   * Returns a function that encodes the body of the response, or undefined to send it unchanged. Called once for each request, before it
   * runs, on platforms that take bodies in base64 (`isBase64Encoded`): Lambda function URLs, API Gateway and Application Load Balancers.
   * The function gets a buffered response with a body after all stages. The platform's size limit then applies to what it returns. The
   * first plugin that returns a function encodes the body. Synchronous.
   */
  encode?(call: RequestCall): ((response: HTTPResponse) => PromiseOrValue<HTTPResponse>) | undefined;
}

/**
 * A plugin with the types of another package, such as `ApolloServerPlugin` of `@apollo/server`, whose class HeaderMap is another type than ours.
 * Its hooks are objects here, which functions are, so that plugins without types get those of `ServerPlugin`.
 */
export type ForeignPlugin = { readonly [TName in keyof ApolloHooks]?: object | undefined } & {
  readonly [TName in Exclude<keyof ServerPlugin, keyof ApolloHooks>]?: never;
};
