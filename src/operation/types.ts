import type { FormattedExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';

import type { ObjectLog, ObjectNaming } from '../execution/object-log.ts';
import type { ResponseHead } from '../message/http-messages.ts';

/** One operation as a client asks for it: the fields of the specification's operation request. */
export interface GraphQLRequest {
  /** The text of a GraphQL document. Absent only when a persisted query stands for it. */
  readonly query?: string | undefined;
  /** Selects the operation to run when the document holds several. */
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The id of a trusted document, where the server has some. */
  readonly documentId?: string | undefined;
  /** The data of protocol extensions, for example `persistedQuery`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The outcome of an operation. */
export interface OperationOutcome {
  /** The answer, as the client gets it. Without a `data` entry nothing was executed. */
  readonly result: FormattedExecutionResult;
  /** The errors as they were thrown; the status is chosen by them. */
  readonly errors: readonly GraphQLError[];
  /** Status and headers that `context` and plugins have set. */
  readonly head: ResponseHead;
  /** Undefined when the request did not get as far as choosing an operation. */
  readonly operation: OperationDefinitionNode | undefined;
  /** The text of the document, also where a hash stood for it. Undefined when it was not found. */
  readonly source: string | undefined;
  /** The objects that the answer was made of. Undefined: no plugin has asked for them, or graphql-js has run the operation. */
  readonly objects?: AnsweredObjects | undefined;
  /** `context` or `dataSources` threw. */
  readonly contextFailed?: boolean;
  /** The payloads after `result`; of a subscription `result` is empty, and all payloads come here. Only with a delivery. */
  readonly stream?: PayloadStream | undefined;
}

/** The objects that an answer was made of, those of the root apart. They have their names also where the client has not asked for them. */
export interface AnsweredObjects {
  /** The function that has named them. Undefined: they are named by their field `id`. */
  readonly naming: ObjectNaming | undefined;
  /** The error of the first name that failed. Its object has none. Undefined: none failed. */
  readonly failure: unknown;
  /** The names of their types. */
  readonly types: ReadonlySet<string>;
  /** False: there are more than 10,000, and only their types are known. */
  readonly isWhole: boolean;
  /**
   * Calls back for each, with its name or the text of its field `id`; undefined where it has none, or the resolver of `id` is
   * asynchronous. Until false is returned.
   */
  each(visit: (typename: string, id: string | undefined) => boolean | void): void;
  /** The same, by the selections of the operation that they were made for. */
  readonly runs: readonly AnsweredRun[];
}

/** Objects of one type, as one selection after the other was made. */
export interface AnsweredRun {
  readonly typename: string;
  readonly count: number;
  /** The name or id of one of them, by its number. */
  nameAt(at: number): string | undefined;
}

/** Lists of the objects of answers: made by `listObjects()` of `graphql-functions/edge`. Handed in, so that bundles without it have none. */
export interface ObjectListing {
  /** Names objects. Undefined: they are named by their field `id`. */
  readonly naming: ObjectNaming | undefined;
  /** Makes the list of one execution. */
  readonly begin: () => AnsweredObjects & ObjectLog;
}

/** The answers of an operation, or those after the first. Asked for one at a time. Never rejects: a failure is a payload with errors, the last. */
export interface PayloadStream extends AsyncIterableIterator<SubsequentPayload> {
  /** The next answer, when it is there. */
  next(): Promise<IteratorResult<SubsequentPayload>>;
  /** The reader has left: ends the source at once. Never rejects. */
  return(): Promise<IteratorResult<SubsequentPayload>>;
  /** Ends the source, and then the stream with one last payload that says why. */
  finish(reason: GraphQLError): void;
  /** The errors behind a payload of this stream, as they were thrown. The payload has them as the client may read them. */
  errorsOf(payload: SubsequentPayload): readonly GraphQLError[];
}

/**
 * One answer of several: the result of an event of a subscription, or what graphql-js calls a subsequent result of
 * `@defer` and `@stream`, in either of its formats.
 */
export interface SubsequentPayload extends FormattedExecutionResult {
  /** True when another answer will follow. */
  hasNext?: boolean;
  /** Announced parts, in graphql 17's format. */
  pending?: readonly unknown[];
  /** Parts of the result, each with its place. */
  incremental?: readonly unknown[];
  /** Announced parts that are whole now, in graphql 17's format. */
  completed?: readonly unknown[];
}

/** Where the server reports what no client should see. `console` is one; so are pino, winston and the platforms' loggers. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

/** The values of `extensions.code` that this library gives. Resolvers may use any other. */
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
