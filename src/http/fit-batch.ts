import type { FormattedExecutionResult } from 'graphql';

import { excessOf } from '../message/answer-size.ts';
import type { AnswerSize } from '../message/answer-size.ts';
import { formatFailure } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/errors.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** How errors of a batch are answered, and how large all answers may be together. */
export interface BatchResponseSettings {
  readonly errors: ErrorSettings;
  readonly size: AnswerSize;
}

type Results = readonly FormattedExecutionResult[];

/** The JSON of a batch's answers, written in one go where it can be: ten small ones apart take twice as long. */
export function fitBatch(settings: BatchResponseSettings, outcomes: readonly OperationOutcome[], results: Results): string {
  const text = textOfAll(results);
  if (text !== undefined && excessOf(settings.size, text) === undefined) return text;
  const elements = results.map((result) => textOf(settings.errors, result));
  return fitElements(settings, outcomes, elements);
}

/** Undefined where JSON cannot carry one of them. */
function textOfAll(results: Results): string | undefined {
  try {
    return JSON.stringify(results);
  } catch {
    return undefined;
  }
}

/** A BigInt or a cycle that a custom scalar let through fails its own element, not its neighbours. */
function textOf(settings: ErrorSettings, result: FormattedExecutionResult): string {
  try {
    return JSON.stringify(result);
  } catch (error) {
    return JSON.stringify(formatFailure(settings, error));
  }
}

/**
 * While the answers are too large together, the largest becomes an error of its own: of queries first, for a mutation that has
 * been carried out is not told twice.
 */
function fitElements(settings: BatchResponseSettings, outcomes: readonly OperationOutcome[], elements: readonly string[]): string {
  let text = `[${elements.join(',')}]`;
  let excess = excessOf(settings.size, text);
  if (excess === undefined) return text;
  const fitting = [...elements];
  const failed = JSON.stringify(formatFailure(settings.errors, resultTooLarge(excess.bytes, excess.capacity)));
  const isMutation = (at: number): number => (outcomes[at]!.operation?.operation === 'mutation' ? 1 : 0);
  const order = [...elements.keys()].sort(
    (one, other) => isMutation(one) - isMutation(other) || elements[other]!.length - elements[one]!.length,
  );
  for (const at of order) {
    if (excess === undefined) return text;
    if (elements[at]!.length <= failed.length) continue;
    fitting[at] = failed;
    text = `[${fitting.join(',')}]`;
    excess = excessOf(settings.size, text);
  }
  return text;
}
