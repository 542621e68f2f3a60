import type { ExecutionResult } from 'graphql';

import { executePlanned } from '../execute.ts';
import type { PlannedExecution } from '../execute.ts';
import type { CollectSelection, DivisiblePlan, DividedResult, PartsFormat, PartsPlanner } from '../plan/parts-planner.ts';
import { stateOf } from '../plan/conditions.ts';
import { Selection } from '../plan/planned-field.ts';
import type { Variant } from '../plan/variant.ts';
import { getOrCreate } from '../../shared/index.ts';
import type { Run } from '../run/run.ts';
import { collectParts } from './collect-parts.ts';
import { Deliveries } from './deliveries.ts';
import { createFormatter } from './payload-writer.ts';
import type { Later } from './later.ts';
import type { PartsFormatter, SubsequentResult } from './payload-writer.ts';
import { findPartVariables } from './usage.ts';

/** Plans operations for one format. */
function createPlanner(format: PartsFormat): PartsPlanner {
  return {
    selectionFor(plan, key, coerced) {
      const variables = getOrCreate(partVariables, plan, () => findPartVariables(plan.operation, plan.fragments));
      if (variables === null) return undefined;
      let keyOfParts = key;
      for (const name of variables) keyOfParts += stateOf(coerced, name);
      keyOfParts += format;
      const variant =
        plan.variants.get(keyOfParts) ??
        plan.addVariant(keyOfParts, [...plan.conditionVariables, ...variables], collectorOf(plan, key, format));
      return variant.root;
    },
    begin: (run, result) => begin(run, result, format),
  };
}

/** The variables that turn the directives of a plan's operation on and off; null if it has no such directives. */
const partVariables = new WeakMap<DivisiblePlan, readonly string[] | null>();

/** `key`: the states for which the variant has one part. */
function collectorOf(plan: DivisiblePlan, key: string, format: PartsFormat): CollectSelection {
  const whole = (): Variant => plan.variants.get(key) ?? plan.addVariant(key, plan.conditionVariables);
  return (settings, below) => {
    const { type, nodes } = below;
    const { fields, deferral } = collectParts(settings, below, format);
    deferral?.prepare(
      (deferred) => new Selection(plan.count(deferred), { type, nodes }),
      () => whole().collect(type, nodes),
    );
    return new Selection(plan.count(fields), { type, nodes, deferral });
  };
}

export const planners: Readonly<Record<PartsFormat, PartsPlanner>> = {
  current: /* @__PURE__ */ createPlanner('current'),
  legacy: /* @__PURE__ */ createPlanner('legacy'),
};

export type { SubsequentResult } from './payload-writer.ts';

/** The first result of an operation, and those that follow. */
export interface ExecutionInParts {
  readonly result: ExecutionResult;
  /** The results after the first; undefined if nothing follows the first. */
  readonly parts: AsyncIterator<SubsequentResult> | undefined;
}

/** Runs an operation whose execution has a planner for parts. */
export function executeInParts(execution: PlannedExecution): ExecutionInParts | Promise<ExecutionInParts> {
  const outcome = executePlanned(execution);
  return outcome instanceof Promise ? outcome.then(toParts) : toParts(outcome);
}

function toParts(outcome: ExecutionResult | DividedResult): ExecutionInParts {
  if (!('initialResult' in outcome)) return { result: outcome, parts: undefined };
  return { result: outcome.initialResult, parts: outcome.subsequentResults as AsyncIterator<SubsequentResult> };
}

function begin(run: Run, result: ExecutionResult, format: PartsFormat): ExecutionResult | DividedResult {
  const later = run.part.later as Later | undefined;
  if (later === undefined) return result;
  const data = run.endedBy === undefined ? result.data : null;
  const parts = new PartResults(run, createFormatter(format));
  // Without data, nothing is kept.
  later.keepWhatIsIn(data, 0);
  const first = parts.begin(later);
  return first === undefined ? result : { initialResult: { ...result, ...first }, subsequentResults: parts };
}

const end: IteratorResult<SubsequentResult> = { done: true, value: undefined };

/** The results after the first, each on demand. Nothing is executed before the first is requested. */
class PartResults implements AsyncIterator<SubsequentResult> {
  readonly #run: Run;
  readonly #formatter: PartsFormatter;
  readonly #deliveries: Deliveries;
  #isStarted = false;
  /** True when a result has said that nothing follows. */
  #isOver = false;
  #resolve: ((result: IteratorResult<SubsequentResult>) => void) | undefined = undefined;
  #stopListening: (() => void) | undefined = undefined;

  constructor(run: Run, formatter: PartsFormatter) {
    this.#run = run;
    this.#formatter = formatter;
    this.#deliveries = new Deliveries(formatter, () => {
      if (this.#resolve !== undefined) queueMicrotask(() => this.#send());
    });
  }

  /** Returns the properties to add to the first result; undefined if nothing follows it. */
  begin(later: Later): object | undefined {
    const announced = this.#deliveries.begin(later);
    if (announced === undefined) {
      this.#run.end();
      return undefined;
    }
    this.#run.deliveries = this.#deliveries;
    // A resolver may be running, as in whenFinished.
    this.#stopListening = this.#run.settings.invocation?.onCancel((reason) => queueMicrotask(() => this.#stopWaiting(reason)));
    return this.#formatter.first(announced);
  }

  next(): Promise<IteratorResult<SubsequentResult>> {
    if (this.#isOver) return Promise.resolve(end);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#isStarted) this.#send();
      else this.#start();
    });
  }

  return(): Promise<IteratorResult<SubsequentResult>> {
    this.#deliveries.drop();
    this.#finish();
    this.#settle(end);
    return Promise.resolve(end);
  }

  #start(): void {
    this.#isStarted = true;
    this.#deliveries.start();
  }

  #stopWaiting(reason: Error): void {
    this.#run.cancelReason = reason;
    this.#deliveries.stopWaiting(reason);
  }

  /** Sends everything that has happened, if the client awaits it. */
  #send(): void {
    if (this.#resolve === undefined || this.#isOver) return;
    const { isOver } = this.#deliveries;
    if (!isOver && !this.#formatter.isFilled) return;
    const value = this.#formatter.take(!isOver);
    if (isOver) this.#finish();
    this.#settle({ done: false, value });
  }

  #finish(): void {
    this.#isOver = true;
    this.#run.deliveries = undefined;
    this.#stopListening?.();
    this.#run.end();
  }

  #settle(result: IteratorResult<SubsequentResult>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}
