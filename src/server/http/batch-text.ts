import type { FormattedExecutionResult } from 'graphql';

import { excessOf } from '../../shared/index.ts';
import type { AnswerSize } from '../../shared/index.ts';
import { formatFailure } from '../operation/format-errors.ts';
import type { ErrorSettings } from '../operation/format-errors.ts';
import { resultTooLarge } from '../operation/limits/answer-limit.ts';
import type { OperationOutcome } from '../operation/types.ts';

/** How errors of a batch are formatted, and the size limits of the whole answer. */
export interface BatchResponseSettings {
  readonly errors: ErrorSettings;
  readonly size: AnswerSize;
}

type Results = readonly FormattedExecutionResult[];

/** The JSON of a batch's answers, written at once if possible: ten small ones written separately take twice as long. */
export function textOfBatch(settings: BatchResponseSettings, outcomes: readonly OperationOutcome[], results: Results): string {
  const text = textOfAll(results);
  if (text !== undefined && excessOf(settings.size, text) === undefined) return text;
  return fitElements(
    settings,
    outcomes,
    results.map((result) => textOf(settings.errors, result)),
  );
}

/** Undefined if one of them cannot be written as JSON. */
function textOfAll(results: Results): string | undefined {
  try {
    return JSON.stringify(results);
  } catch {
    return undefined;
  }
}

/** A BigInt or a cycle, as from a custom scalar, fails only its element. */
function textOf(settings: ErrorSettings, result: FormattedExecutionResult): string {
  try {
    return JSON.stringify(result);
  } catch (error) {
    return JSON.stringify(formatFailure(settings, error));
  }
}

/**
 * While the answers together are too large, replaces the largest with an error: queries first, because the result of a mutation cannot be
 * requested again.
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
