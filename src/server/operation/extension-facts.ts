import type { ResponseHead } from '../../shared/index.ts';
import type { RequestCall } from './plugin.ts';

/** Milliseconds on a clock that never goes back. On Node that is `process.hrtime`: the first touch of `performance` takes 1.3 ms of a cold start. */
export function now(): number {
  try {
    const [seconds, nanoseconds] = globalThis.process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  } catch {
    // The runtime is not Node, or lacks `process.hrtime`.
    return performance.now();
  }
}

/** The decision of one extension whether an answer may be shared, for another that reports it. */
export interface AnswerDecision {
  readonly public: boolean;
  readonly reason?: string;
  readonly hit?: true | undefined;
}

const decisions = new WeakMap<RequestCall, AnswerDecision | 'not yet'>();
let isAskedFor = false;

/** Extensions that report decisions call this. Without such an extension, no decision is recorded. */
export function requestDecisions(): void {
  isAskedFor = true;
}

/** True when an extension reports decisions. */
export function areDecisionsRequested(): boolean {
  return isAskedFor;
}

/** Records the decision about a request; undefined: the decision comes later. */
export function recordDecision(call: RequestCall, decision: AnswerDecision | undefined): void {
  if (isAskedFor) decisions.set(call, decision ?? 'not yet');
}

/** Undefined: no extension decides. "not yet": the extension that decides runs later than the caller. */
export function decisionOf(call: RequestCall): AnswerDecision | 'not yet' | undefined {
  return decisions.get(call);
}

/** The call without the view of a plugin that records reads, such as `edge`. */
const original = /* @__PURE__ */ Symbol('original call');

/** Marks a view of a call. `viewRequest` of other plugins may copy it. */
export function viewOf<T extends object>(view: T, call: RequestCall): T {
  return Object.assign(view, { [original]: originalOf(call) });
}

/** For reads that do not change the answer, only whether and with which fields it is sent. */
export function originalOf(call: RequestCall): RequestCall {
  return (call as { readonly [original]?: RequestCall })[original] ?? call;
}

/** What an operation has taken from the points of its client, for extensions that report it. */
export interface BudgetReport {
  /** The name of the client's policy: 'default' or 'anonymous'. */
  readonly policy: string;
  /** The most points that the client can have. */
  readonly capacity: number;
  /** The points of the operation. */
  readonly cost: number;
  /** The points that are left. Undefined: the store has failed, or was not asked. */
  readonly left?: number | undefined;
}

/** A report, with the response head of its operation, also in a batch, and what header fields say of it. */
export interface BudgetEntry {
  readonly head: ResponseHead;
  readonly report: BudgetReport;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of `RateLimit`. */
  readonly limit: string | undefined;
}

const budgets = new WeakMap<RequestCall, BudgetEntry[]>();

export function recordBudget(call: RequestCall, entry: BudgetEntry): void {
  const entries = budgets.get(call);
  if (entries === undefined) budgets.set(call, [entry]);
  else entries.push(entry);
}

/** The operations of a request that took points, or were refused for them. */
export function budgetsOf(call: RequestCall): readonly BudgetEntry[] | undefined {
  return budgets.get(call);
}

/** Undefined: the operation took no points. */
export function budgetOf(call: RequestCall, head: ResponseHead): BudgetReport | undefined {
  return budgets.get(call)?.find((entry) => entry.head === head)?.report;
}

/** What an extension decided about an operation with an idempotency key, for others that report it. */
type RunDecision = 'claimed' | 'replayed' | 'refused';

/** The decisions by response head, which belongs to one operation, also in a batch. */
const runs = new WeakMap<ResponseHead, RunDecision>();

export function recordRun(head: ResponseHead, decision: RunDecision): void {
  runs.set(head, decision);
}

/** Undefined: the operation has no key. */
export function runOf(head: ResponseHead): RunDecision | undefined {
  return runs.get(head);
}
