import type { HTTPRequest, HTTPResponse, Invocation, StreamedResponse } from '../../shared/index.ts';
import type { OperationSettings, OperationInput } from '../operation/state.ts';
import type { ChooseEncoding, EncodeBody, ViewRequest, WrapOperation, WrapRequest } from '../operation/around.ts';
import type { LandingPage, RequestCall } from '../operation/plugin.ts';
import type { CORSOptions } from './cors.ts';
import type { CSRFSettings } from './csrf.ts';
import type { ParsedRequest, RequestSettings } from './params.ts';
import type { ResponseSettings } from './response.ts';
import type { Multipart } from './streams/multipart.ts';
import type { Negotiation, Streaming } from './streams/streaming.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** The settings of GraphQL over HTTP. Created once, at cold start. */
export interface HTTPSettings extends CSRFSettings, ExplainSettings, LandingSettings, RequestSettings, ResponseSettings {
  /** Writes answers in several parts; undefined: each answer is whole. */
  readonly multipart: Multipart | undefined;
  readonly cors: CORSOptions | undefined;
  /** Bytes of an answer. */
  readonly maxResultBytes: number;
  /** True if a request waits only for its body and its operations, which observe the deadline themselves. */
  readonly waitsInOperationsOnly: boolean;
  /** Undefined: no plugin has a view of requests. */
  readonly viewRequest: ViewRequest | undefined;
  /** Undefined: no plugin wraps requests. */
  readonly wrapRequest: WrapRequest | undefined;
  /** Undefined: no plugin encodes responses. */
  readonly chooseEncoding: ChooseEncoding | undefined;
  /** Undefined: no plugin wraps operations. */
  readonly wrapOperation: WrapOperation | undefined;
  readonly operation: OperationSettings;
}

/** One HTTP request in the pipeline: each step stores its outcome here. */
export interface HTTPCall {
  readonly settings: HTTPSettings;
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  /** Undefined: the platform cannot stream. */
  readonly streaming: Streaming | undefined;
  /** The request as plugins and `context` see it. Undefined: no plugin wraps requests or operations, or changes their view. */
  view: RequestCall | undefined;
  /** Encodes the body before it is sent. Until then the platform's limit does not apply. Undefined: the body is sent as it is. */
  encode: EncodeBody | undefined;
  /** The form of the answer. */
  negotiation: Negotiation | undefined;
  parsed: ParsedRequest | undefined;
  /** The outcome of the operation; for a batch, one for each element in the same order. */
  outcome: OperationOutcome | readonly OperationOutcome[] | undefined;
  response: HTTPResponse | StreamedResponse | undefined;
}

/** An operation that may be explained. */
export interface Explainable {
  readonly call: Pick<HTTPCall, 'request' | 'invocation'> & { readonly settings: { readonly operation: OperationSettings } };
  readonly input: OperationInput;
  /** Runs it with the given settings. */
  readonly run: (settings: OperationSettings, input: OperationInput) => OperationOutcome | Promise<OperationOutcome>;
}

/** The function that explains operations, in development only. */
export interface ExplainSettings {
  /** Runs the operation and adds an explanation to its answer. Undefined: the request does not want one. */
  readonly explain: ((explainable: Explainable) => Promise<OperationOutcome> | undefined) | undefined;
}

/** The page for browsers, in development only. */
export interface LandingSettings {
  readonly renderLandingPage: (() => LandingPage | undefined | Promise<LandingPage | undefined>) | undefined;
}
