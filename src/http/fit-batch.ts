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

/**
 * The JSON of a batch's answers. While they are too large together, the largest becomes an error of its own: of queries
 * first, for a mutation that has been carried out is not told twice.
 */
export function fitBatch(settings: BatchResponseSettings, outcomes: readonly OperationOutcome[], elements: readonly string[]): string {
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
