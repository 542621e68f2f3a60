import type { HTTPRequest } from '../message/http-request.ts';
import type { Invocation } from '../message/invocation.ts';
import type { OperationInput, OperationSettings } from '../operation/state.ts';
import type { OperationOutcome } from '../operation/outcome.ts';
import type { CSRFSettings } from './csrf.ts';

/** An operation that somebody may want explained. */
export interface Explainable {
  readonly settings: CSRFSettings & { readonly operation: OperationSettings };
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  readonly input: OperationInput;
  /** Runs it, under settings that listen. */
  readonly run: (settings: OperationSettings, input: OperationInput) => OperationOutcome | Promise<OperationOutcome>;
}

/** Who explains operations. In development alone is there anybody; elsewhere not even the header is read. */
export interface ExplainSettings {
  /** Runs the operation and says in its answer how. Undefined: the request does not ask for it. */
  readonly explain: ((asked: Explainable) => Promise<OperationOutcome> | undefined) | undefined;
}
