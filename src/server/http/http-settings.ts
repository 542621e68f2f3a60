import type { HTTPRequest, Milliseconds } from '../../shared/index.ts';
import type { Operation, OperationSettings } from '../operation/operation.ts';
import type { LandingPage } from '../operation/apollo-hooks.ts';
import type { CORSOptions } from './cors.ts';
import type { CSRFSettings } from './csrf.ts';
import type { RequestSettings } from './params.ts';
import type { ResponseSettings } from './response.ts';
import type { StreamFormat } from './streams/payload-chunks.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** The settings of GraphQL over HTTP. Created once, at cold start. */
export interface HTTPSettings extends CSRFSettings, ExplainSettings, LandingSettings, RequestSettings, ResponseSettings {
  /** Writes answers in several parts; undefined: each answer is whole. */
  readonly multipart: StreamFormat | undefined;
  readonly cors: CORSOptions | undefined;
  /** Bytes of an answer. */
  readonly maxResultBytes: number;
  /** True if a request waits only for its body and its operations, which observe the deadline themselves. */
  readonly waitsInOperationsOnly: boolean;
  readonly operation: OperationSettings;
}

/** An operation that may be explained, or verified. */
export interface Explainable {
  readonly call: {
    readonly request: HTTPRequest;
    readonly settings: { readonly operation: OperationSettings };
    deadlineLeft(): Milliseconds | undefined;
  };
  readonly operation: Operation;
  readonly run: (operation: Operation) => OperationOutcome | Promise<OperationOutcome>;
}

/** The function that explains operations, in development, or that compares them with graphql-js, in tests. */
export interface ExplainSettings {
  /** Runs the operation, and adds an explanation to its answer or fails. Undefined: the request does not want one. */
  readonly explain: ((explainable: Explainable) => Promise<OperationOutcome> | undefined) | undefined;
}

/** The page for browsers, in development only. */
export interface LandingSettings {
  readonly renderLandingPage: (() => LandingPage | undefined | Promise<LandingPage | undefined>) | undefined;
}
