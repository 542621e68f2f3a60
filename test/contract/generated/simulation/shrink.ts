import type { Plan } from './history.ts';

/**
 * Leaves out steps, faults and features as long as the history still fails. Chances depend on the names of steps, so what remains happens
 * as before.
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(plan: Plan): Generator<Plan> {
  const { steps, setting } = plan;
  if (steps.length > 3) {
    const half = Math.floor(steps.length / 2);
    yield { ...plan, steps: steps.slice(half) };
    yield { ...plan, steps: steps.slice(0, half) };
  }
  for (let at = 0; at < steps.length; at++) yield { ...plan, steps: steps.toSpliced(at, 1) };
  for (let at = 0; at < setting.faults.length; at++) yield { ...plan, setting: { ...setting, faults: setting.faults.toSpliced(at, 1) } };
  for (const name of ['hasBudget', 'hasStoredResponses'] as const)
    if (setting[name]) yield { ...plan, setting: { ...setting, [name]: false } };
  if (setting.hasStore && setting.cdn !== undefined) yield { ...plan, setting: { ...setting, hasStore: false } };
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at]!;
    if (step.kind === 'write' && step.copies > 1) yield { ...plan, steps: steps.with(at, { ...step, copies: 1 }) };
    if ('batch' in step && step.batch !== undefined) yield { ...plan, steps: steps.with(at, { ...step, batch: undefined }) };
    if ('leavesAfter' in step && step.leavesAfter !== undefined)
      yield { ...plan, steps: steps.with(at, { ...step, leavesAfter: undefined }) };
  }
}
