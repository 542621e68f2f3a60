import type { DataSourceCall, RequestCall } from '../operation/plugin.ts';

/** Milliseconds on a clock that is not set back. Where there is Node its own: the first touch of `performance` takes 1.3 ms of a cold start. */
export function now(): number {
  const time = globalThis.process?.hrtime?.();
  return time === undefined ? performance.now() : time[0] * 1000 + time[1] / 1e6;
}

/** Follows a call of a data source as far as it takes to say who answered it. */
export class CallOutcome {
  /** How often the request has left for the origin. */
  tries = 0;
  readonly #request: DataSourceCall['request'];
  #hasJoined = false;

  constructor(request: DataSourceCall['request']) {
    this.#request = request;
  }

  joined(): void {
    this.#hasJoined = true;
  }

  sent(): void {
    this.tries++;
  }

  /** "shared": an equal request that was under way. "none": nobody, the call failed before. Else what the data source says. */
  get answeredBy(): string {
    return this.#hasJoined && this.tries === 0 ? 'shared' : (this.#request.outcome ?? 'none');
  }
}

/** Whether an answer may be shared, as far as others report it. */
export interface AnswerDecision {
  readonly public: boolean;
  readonly reason?: string;
  readonly hit?: true | undefined;
}

const decisions = new WeakMap<RequestCall, AnswerDecision | 'not yet'>();
let isAskedFor = false;

/** Extensions that report decisions say so: else none is noted. */
export function askForDecisions(): void {
  isAskedFor = true;
}

/** Notes what was decided of a request, or that it will be. */
export function noteDecision(call: RequestCall, decision: AnswerDecision | undefined): void {
  if (isAskedFor) decisions.set(call, decision ?? 'not yet');
}

/** Undefined: nobody decides. "not yet": whoever decides comes after the one that asks. */
export function decisionOf(call: RequestCall): AnswerDecision | 'not yet' | undefined {
  return decisions.get(call);
}
