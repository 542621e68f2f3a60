import type { CallResult } from './call-result.ts';
import type { ReceivedResponse, FetchedResponse } from './received.ts';

/** What a call came to, and the response it came from. */
export interface CallAnswer {
  readonly result: CallResult;
  readonly received: ReceivedResponse;
}

/** What `fetch` of a data source resolves to. Where didEncounterError has swallowed the error, neither is there. */
export interface FetchResult<TResult> {
  /** What `get` and the others resolve to. */
  readonly body: TResult;
  readonly response: FetchedResponse;
}

/** What one taker gets of an answer. */
export type Take = (answer: CallAnswer, isShared: boolean) => unknown;

export const takeResult: Take = ({ result }, isShared) => result.take(isShared);

export const takeHead: Take = ({ received }) => received.toHead();

export const takeBoth: Take = ({ result, received }, isShared) => ({ body: result.take(isShared), response: received.toHead() });
