import { GraphQLError, NoFragmentCyclesRule, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import type { DocumentSize } from './document-size.ts';
import { maxNesting } from './nesting.ts';
import { createError, DocumentError, withCode } from '../errors.ts';

/** Limits for a document with its fragments expanded. */
export interface LimitSettings {
  readonly schema: GraphQLSchema;
  /** Lexical tokens of the text. Also limits fields, because with fragments a few tokens can select many. */
  readonly maxTokens: number;
}

/**
 * Pairs of fields that graphql-js may compare for one request, about 1 µs and 1 KB of garbage each. A hundred fragments on one object
 * that all select `id` and `__typename` make 10,000 pairs.
 */
export const maxComparisons = 50_000;

/** Throws if {@link measureDocument} gave up: the document is too large to be validated, or its fragments are circular. */
export function assertMeasurable(settings: LimitSettings, document: DocumentNode, size: DocumentSize): void {
  if (size.comparisons < Infinity) return;
  const circles = validate(settings.schema, document, [NoFragmentCyclesRule]);
  if (circles.length > 0) throw new DocumentError(circles.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')));
  assertFields(settings, size);
  throw tooManyComparisons();
}

/** Throws if an operation has too many fields. Takes the result of {@link measureDocument}. */
export function assertFields({ maxTokens }: LimitSettings, { operations }: DocumentSize): void {
  const tooLarge = [...operations].filter(([, fields]) => fields > maxTokens);
  if (tooLarge.length === 0) return;
  const message = `Expected the operation to have at most ${maxTokens} fields, and to nest at most ${maxNesting} levels deep, when its fragments are written out.`;
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  throw new DocumentError(tooLarge.map(([operation]) => new GraphQLError(message, { nodes: operation, extensions })));
}

/** The error for a document or batch that repeats fields too often. */
export function tooManyComparisons(limit: number = maxComparisons): GraphQLError {
  return createError(
    'GRAPHQL_VALIDATION_FAILED',
    `Expected fewer repeated fields: merging those with the same name would take more than ${Math.floor(limit)} comparisons.`,
  );
}
