import type { GraphQLError, GraphQLFormattedError } from 'graphql';

import type { KeyValueCache } from '../../datasources/index.ts';
import type { Facts, HTTPRequest, HTTPResponse, HeaderMap, Invocation, PromiseOrValue, StreamedResponse } from '../../shared/index.ts';
import type { GraphQLRequest, Logger, OperationOutcome } from './types.ts';

/** One HTTP request as plugins see it, in all stages of the request and of its operations. */
export interface RequestCall {
  /** The request in a form that is the same on all platforms. */
  readonly request: HTTPRequest;
  /** The name of the door that answers: "graphql", or the name of a plugin's door. */
  readonly door: string;
  /** The template of the path, if the door has one: see {@link Door.route}. */
  readonly route: string | undefined;
  /**
   * The parameters of the query string that choose the answer, for caches. Undefined: only the door knows which requests are the same, and
   * no cache may keep its answers.
   */
  readonly doorParameters: readonly string[] | undefined;
  /** The kind of event that brought the request, for example "http-api" or "fetch". */
  readonly platform: string;
  /** The platform's own objects, the signal, the deadline, and `waitUntil`. */
  readonly invocation: Pick<Invocation, 'event' | 'context' | 'env' | 'signal' | 'waitUntil' | 'deadlineLeft'> &
    Partial<Pick<Invocation, 'waitsForWork' | 'resultLimit'>>;
  /** The store of the option `cache`. */
  readonly cache: KeyValueCache;
  readonly logger: Logger;
  /** Facts that plugins share about the request, by a name or a symbol of the plugin that knows it. */
  readonly facts: Facts;
  /** True if the header field Accept allows an answer of this media type, by its weights (RFC 9110 section 12.5.1). */
  readonly accepts: (mediaType: string) => boolean;
  /** Runs `context` and `dataSources` without an operation, within the deadline. Never rejects. */
  readonly createContext: () => Promise<CreatedContext>;
  /**
   * Runs an operation as if it were the one in the request: with a context and data sources, the limits and all plugins. For the stage
   * `request`, which turns the outcome into a response. Always gives one answer; subscriptions are refused. Never rejects.
   */
  readonly runOperation: (request: GraphQLRequest) => Promise<OperationOutcome>;
  /** The HTTP status that the server gives to the outcome of an operation, as application/json. */
  readonly statusOf: (outcome: OperationOutcome) => number;
  /**
   * The header fields that the server sends with the outcome of an operation: those that `context`, resolvers, plugins and errors have set,
   * without lifetimes unless caches may store the answer. Call it once for each outcome.
   */
  readonly headersOf: (outcome: OperationOutcome) => HeaderMap;
  /**
   * The client's address as the platform reports it, or undefined if it does not. For counting: an answer must not depend on it, because
   * caches do not know it.
   */
  readonly clientAddress: string | undefined;
}

/** A context without an operation. */
export interface CreatedContext {
  /** The return value of `context`, with `dataSources`. Undefined if `context` or `dataSources` failed. */
  readonly contextValue?: unknown;
  /** The outcome that an operation would have because `context` or `dataSources` failed. */
  readonly refused?: OperationOutcome;
}

/**
 * A way in: how a request becomes operations, and their outcomes a response. The server does for every door what it does for GraphQL: OPTIONS
 * and CORS, methods, content types, `Accept`, encodings, sizes, the deadline, masking, `etag` and compression. Each function gets the request
 * as plugins see it.
 */
export interface Door<TCall = RequestCall> {
  /** The name of the door in logs, spans and reports, for example "mcp". */
  readonly name: string;
  /** The template of the path for spans and reports, for example "/books/{id}": one of few, unlike the path. Default: none */
  readonly route?: string | undefined;
  /** Parameters of the query string that choose the answer, which caches must know. Default: no cache keeps answers of this door */
  readonly parameters?: readonly string[] | undefined;
  /** Returns the rules that the server checks before `read`, or the response to a request that needs no more. */
  rules(call: TCall): PromiseOrValue<DoorRules | HTTPResponse>;
  /** Returns the operations that a request asks for, or a response that needs none. A GraphQLError that it throws is passed to `refuse`. */
  read(call: TCall, body: RequestBody): PromiseOrValue<Asked<TCall> | AskedBatch<TCall> | HTTPResponse>;
  /**
   * Writes the response to a request that was refused, or that failed outside of its operations. The server adds the header fields of the
   * error, such as Allow.
   */
  refuse(refusal: Refusal, call: TCall): HTTPResponse;
}

/** Returns the door of a request, by its path and method. Undefined: another door answers, in the end that for GraphQL. Not asynchronous. */
export type FindDoor<TCall = RequestCall> = (request: HTTPRequest) => Door<TCall> | undefined;

/** The requests that a door takes, and the answers that it gives. */
export interface DoorRules {
  /** Any other is refused with 405. The server answers OPTIONS. */
  readonly methods: readonly string[];
  /**
   * The media types of bodies; any other is refused with 415. Default: `application/json`, which pages of other sites cannot send without a
   * preflight; for GET, HEAD and DELETE any or none. An empty list: any or none, for a PUT or PATCH without a body; a POST still needs JSON
   */
  readonly takes?: readonly string[] | undefined;
  /** The media types of answers. If Accept allows none of them, the request is refused with 406. Default: `read` decides */
  readonly gives?: readonly string[] | undefined;
  /** The most bytes of a body, no more than the server's `maxBodyBytes`. Default: the server's limit */
  readonly maxBodyBytes?: number | undefined;
  /** Who may read answers from other origins. Default: the option `cors` */
  readonly cors?: DoorCORS | undefined;
}

/** A part of the option `cors`. The door decides the methods. */
export interface DoorCORS {
  readonly origin: string | readonly string[];
  readonly allowedHeaders?: readonly string[];
  readonly exposedHeaders?: readonly string[];
}

/**
 * The body of a request, within the limits of the door. Both functions may be called, in any order. Their errors are passed to `refuse`.
 */
export interface RequestBody {
  /** The text, exactly as the client sent it, a byte order mark included: a signature can be checked with it. Empty if there is no body. */
  text(): Promise<string>;
  /** The value of the text, which must be JSON. */
  json(): Promise<unknown>;
}

/** One operation that a request asks for. */
export interface Asked<TCall = RequestCall> {
  /** A new object for each request, with new variables, because the server adds to them. An error refuses the operation in its place. */
  readonly request: GraphQLRequest | GraphQLError;
  /** True: the text of the request runs even if only trusted documents may (`trustedDocuments.only`). Default: false */
  readonly isTrusted?: boolean | undefined;
  /** Returns the variables that clients cannot send, which replace variables of the request. Called when the context is known. */
  readonly fill?: ((contextValue: unknown) => PromiseOrValue<Readonly<Record<string, unknown>>>) | undefined;
  /** Writes the response when the operation has ended, also if it was refused. */
  readonly write: (outcome: OperationOutcome, call: TCall) => HTTPResponse | StreamedResponse;
}

/** Several operations of one request. An error takes the place of a malformed operation. */
export interface AskedBatch<TCall = RequestCall> {
  readonly requests: readonly (GraphQLRequest | GraphQLError)[];
  readonly writeAll: (outcomes: readonly OperationOutcome[], call: TCall) => HTTPResponse;
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  /** The error as clients may see it. */
  readonly error: GraphQLFormattedError;
}
