import type { HTTPRequest } from '../message/http-messages.ts';
import type { Invocation } from '../message/invocation.ts';
import type { OperationSettings, OperationInput } from '../operation/state.ts';
import type { ViewRequest, WrapOperation, WrapRequest } from '../operation/around.ts';
import type { LandingPage, RequestCall } from '../operation/plugin.ts';
import type { ResponseMediaType } from './accept.ts';
import type { CORSOptions } from './cors.ts';
import type { CSRFSettings } from './csrf.ts';
import type { RequestSettings } from './params.ts';
import type { ResponseSettings } from './response.ts';
import type { Multipart } from './streams/multipart.ts';
import type { Negotiation, Streaming } from './streams/streaming.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** All that serving GraphQL over HTTP needs. Made once, at cold start. */
export interface HTTPSettings extends CSRFSettings, ExplainSettings, LandingSettings, RequestSettings, ResponseSettings {
  /** Writes answers in parts; undefined: there are none. */
  readonly multipart: Multipart | undefined;
  readonly cors: CORSOptions | undefined;
  /** Bytes of an answer. */
  readonly maxResultBytes: number;
  /** True when a request waits for its body and for its operations, which end in time by themselves, and for no other code. */
  readonly waitsInOperationsOnly: boolean;
  /** Undefined: no plugin has a view of requests. */
  readonly viewRequest: ViewRequest | undefined;
  /** Undefined: no plugin wraps requests. */
  readonly wrapRequest: WrapRequest | undefined;
  /** Undefined: no plugin wraps operations. */
  readonly wrapOperation: WrapOperation | undefined;
  readonly operation: OperationSettings;
}

/** A request, and the call that brought it. */
export interface IncomingRequest {
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  /** Undefined: the platform carries no streams. */
  readonly streaming: Streaming | undefined;
  /** The view that plugins and `context` have of it. Undefined: no plugin wraps requests or operations, or changes their view. */
  readonly call: RequestCall | undefined;
}

/** The data that the operations of one request share. */
export interface HTTPCall extends IncomingRequest {
  readonly settings: HTTPSettings;
  /** The platform's own objects, as the operation sees them. */
  readonly platform: Pick<Invocation, 'event' | 'context' | 'env'>;
  /** Undefined: the platform carries no streams. */
  readonly negotiation: Negotiation | undefined;
  /** Of an answer in one piece. Undefined: the client reads streams only. */
  readonly mediaType: ResponseMediaType | undefined;
}

/** An operation that may be explained. */
export interface Explainable {
  readonly settings: CSRFSettings & { readonly operation: OperationSettings };
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  readonly input: OperationInput;
  /** Runs it, under settings that listen. */
  readonly run: (settings: OperationSettings, input: OperationInput) => OperationOutcome | Promise<OperationOutcome>;
}

/** The function that explains operations. It is set in development only; elsewhere not even the header is read. */
export interface ExplainSettings {
  /** Runs the operation and says in its answer how. Undefined: the request does not ask for it. */
  readonly explain: ((asked: Explainable) => Promise<OperationOutcome> | undefined) | undefined;
}

/** Asks the first plugin that has a page for browsers, or ours. Set in development only: elsewhere there is no page. */
export interface LandingSettings {
  readonly renderLandingPage: (() => LandingPage | undefined | Promise<LandingPage | undefined>) | undefined;
}
