import type { RequestCall } from '../operation/plugin.ts';

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
