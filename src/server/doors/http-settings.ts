import type { HTTPRequest, Milliseconds, ResponseHead } from '../../shared/index.ts';
import type { FindDoor } from '../operation/door.ts';
import type { Operation, OperationSettings } from '../operation/operation.ts';
import type { LandingPage } from '../operation/server-start.ts';
import type { CORSOptions } from './cors.ts';
import type { CSRFSettings } from './rules.ts';
import type { RequestSettings } from './graphql/params.ts';
import type { ResponseSettings } from './graphql/response.ts';
import type { StreamFormat } from './graphql/streams/payload-chunks.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** The settings of GraphQL over HTTP. Created once, at cold start. */
export interface HTTPSettings extends CSRFSettings, RequestSettings, ResponseSettings {
  /** Writes answers in several parts; undefined: each answer is whole. */
  readonly multipart: StreamFormat | undefined;
  readonly cors: CORSOptions | undefined;
  /** Bytes of an answer. */
  readonly maxResultBytes: number;
  /** True if a request waits only for its body and its operations, which observe the deadline themselves. */
  readonly waitsInOperationsOnly: boolean;
  readonly operation: OperationSettings;
  /**
   * Explains operations, in development, or compares them with graphql-js, in tests. Runs the operation, and adds an explanation to its
   * answer or fails. Returns undefined if the request does not want one.
   */
  readonly explain: ((explainable: Explainable) => Promise<OperationOutcome> | undefined) | undefined;
  /** Finds the doors of plugins; undefined if no plugin has one. */
  readonly doors: readonly FindDoor[] | undefined;
  /** The page for browsers, in development only. */
  readonly renderLandingPage: (() => LandingPage | undefined | Promise<LandingPage | undefined>) | undefined;
}

/** An operation that may be explained, or verified. */
export interface Explainable {
  readonly call: {
    readonly request: HTTPRequest;
    readonly settings: { readonly operation: OperationSettings };
    /** The door of a plugin; undefined if the request came through GraphQL's own door. */
    readonly door: { readonly name: string } | undefined;
    deadlineLeft(): Milliseconds | undefined;
  };
  readonly operation: Operation;
  readonly run: (operation: Operation) => OperationOutcome | Promise<OperationOutcome>;
}

/** The argument of the `context` function. */
export interface ContextArgument<TEvent = unknown, TPlatformContext = unknown, TEnv = unknown> {
  /** The request, in the same form on every platform. */
  readonly request: HTTPRequest;
  /** Headers and status of the response, to be set. */
  readonly response: ResponseHead;
  /** The platform's event. */
  readonly event: TEvent;
  /** The platform's context. */
  readonly context: TPlatformContext;
  /** Bindings and secrets, on platforms that pass them with the call. */
  readonly env: TEnv;
  /** Keeps the function alive for work that continues after the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Fires when the client disconnects, at the deadline, and when an error ends the operation (`onError: HALT`). */
  readonly signal: AbortSignal;
}
