import type { FormattedExecutionResult } from 'graphql';

import { resultTooLarge } from '../../../executor/index.ts';
import { HeaderMap, excessOf, removeLifetimes } from '../../../shared/index.ts';
import type { AnswerSize, HTTPResponse } from '../../../shared/index.ts';
import { formatFailure } from '../../operation/format-errors.ts';
import type { ErrorSettings } from '../../operation/format-errors.ts';
import type { OperationOutcome } from '../../operation/types.ts';
import { addHeaders } from '../response-head.ts';
import { respond, takeHead } from './response.ts';

/** How errors of a batch are formatted, and the size limits of the whole answer. */
interface BatchSettings {
  readonly errors: ErrorSettings;
  readonly size: AnswerSize;
}

/** The outcomes of a batch → one response with an array in the same order, which is no GraphQL response and so not labeled as one. */
export function toBatchResponse(settings: BatchSettings, outcomes: readonly OperationOutcome[]): HTTPResponse {
  const headers = new HeaderMap();
  const results = outcomes.map((outcome) => {
    try {
      const taken = takeHead(outcome);
      // Most elements set none.
      if (!taken.headers.isEmpty) addHeaders(headers, taken.headers);
      return taken.result;
    } catch (error) {
      // Only this element fails.
      return formatFailure(settings.errors, error);
    }
  });
  // The cache-control of one element does not apply to the others.
  removeLifetimes(headers);
  return respond({ status: 200, headers, mediaType: 'application/json', text: textOfBatch(settings, results) });
}

/**
 * The JSON of a batch's answers, written at once if possible: ten small ones written separately take twice as long. If they are too large
 * together, each answer that exceeds its share becomes an error.
 */
function textOfBatch({ errors, size }: BatchSettings, results: readonly FormattedExecutionResult[]): string {
  try {
    const text = JSON.stringify(results);
    if (excessOf(size, text) === undefined) return text;
  } catch {
    // A value that JSON cannot hold, such as a BigInt of a custom scalar, fails only its element.
  }
  const { platform, maxBytes } = size;
  const maxResultBytes = (platform.maxResultBytes ?? Infinity) / results.length;
  const share = { platform: { ...platform, maxResultBytes }, maxBytes: maxBytes / results.length };
  const elements = results.map((result) => {
    try {
      const text = JSON.stringify(result);
      const excess = excessOf(share, text);
      if (excess === undefined) return text;
      throw resultTooLarge(excess.bytes, excess.capacity);
    } catch (error) {
      return JSON.stringify(formatFailure(errors, error));
    }
  });
  return `[${elements.join(',')}]`;
}
