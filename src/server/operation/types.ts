import type { DocumentNode, FormattedExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';

import type { ResponseHead } from '../../shared/index.ts';

/**
 * The effect of an error on the response, as a client chooses it with `onError`. Experimental: the names are those of the proposal for the
 * GraphQL specification (graphql/graphql-spec#1163).
 *
 * - `NULL`: the position of the error is null, even if its type is non-null
 * - `PROPAGATE`: the nearest nullable position above is null. The default
 * - `HALT`: the execution ends with the first error, and `data` is null
 */
export type ErrorBehavior = 'NULL' | 'PROPAGATE' | 'HALT';

/** One operation as requested by a client. */
export interface GraphQLRequest {
  /** The text of a GraphQL document. Absent if the request has a hash or an id instead. */
  readonly query?: string | undefined;
  /** Selects the operation to run if the document has several. */
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The id of a trusted document, if the server has any. */
  readonly documentId?: string | undefined;
  /** Protocol extensions, for example `persistedQuery`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** The effect of an error on the response. Experimental. Default: the choice of the trusted document, else PROPAGATE. */
  readonly onError?: ErrorBehavior | undefined;
}

/** The outcome of an operation. */
export interface OperationOutcome {
  /** The answer as the client gets it. If it has no `data` entry, nothing was executed. */
  readonly result: FormattedExecutionResult;
  /** The errors as they were thrown. They determine the status. */
  readonly errors: readonly GraphQLError[];
  /** Status and headers set by `context` and plugins. */
  readonly head: ResponseHead;
  /** Undefined if the request failed before an operation was chosen. */
  readonly operation: OperationDefinitionNode | undefined;
  /** The parsed document. Undefined if it is not valid. */
  readonly document: DocumentNode | undefined;
  /** The text of the document, even if the request had only a hash or an id. Undefined if it was not found. */
  readonly source: string | undefined;
  /** True if resolvers may have been called. False: the operation was refused before, or a plugin answered. */
  readonly executed?: boolean;
  /** True if its document, the choice of its operation or its variables were refused: the client's mistake, whatever the codes of its errors. */
  readonly refused?: boolean;
  /** True if the server ended the operation before its end, because of the deadline or because the client has left. Decided by no code. */
  readonly unfinished?: boolean | undefined;
  /** True if `context` or `dataSources` threw. */
  readonly contextFailed?: boolean;
  /** The effect of errors on the answer, from the request or the trusted document. Undefined if they propagate. */
  readonly onError?: ErrorBehavior | undefined;
  /** The payloads after `result`. For a subscription, `result` is empty and all payloads are here. */
  readonly stream?: PayloadStream | undefined;
}

/** A payload of a streamed answer. */
export interface PayloadOutcome {
  /** The payload as the client gets it. */
  readonly result: SubsequentPayload;
  /** The errors as they were thrown. */
  readonly errors: readonly GraphQLError[];
}

/** The payloads of an operation, or those after the first. Never rejects: after a failure, the last payload has errors. */
export interface PayloadStream extends AsyncIterableIterator<PayloadOutcome> {
  /** Resolves with the next payload. */
  next(): Promise<IteratorResult<PayloadOutcome>>;
  /** Ends the source at once, because the client has left. Never rejects. */
  return(): Promise<IteratorResult<PayloadOutcome>>;
  /** Ends the source, and the stream with a last payload that has the reason as its error. `unsent`: the payload that cannot be sent. */
  finish(reason: GraphQLError, unsent?: SubsequentPayload): void;
}

/**
 * A payload of a stream: the result of an event of a subscription, or a subsequent result of `@defer` and `@stream` in either of
 * graphql-js's formats.
 */
export interface SubsequentPayload extends FormattedExecutionResult {
  /** True if another payload follows. */
  hasNext?: boolean;
  /** Newly announced parts, in graphql 17's format. */
  pending?: readonly unknown[];
  /** Parts of the result, each with its position. */
  incremental?: readonly unknown[];
  /** Announced parts that are complete now, in graphql 17's format. */
  completed?: readonly unknown[];
}

/** Where the server logs. `console` is a logger; so are pino, winston and the platforms' loggers. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

/** The values of `extensions.code` that this library uses. Resolvers may use any others. */
export type ErrorCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'BAD_USER_INPUT'
  | 'BAD_REQUEST'
  | 'RESULT_TOO_LARGE'
  | 'TOO_MANY_ERRORS'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'DEADLINE_EXCEEDED'
  | 'CLIENT_LEFT'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR';
