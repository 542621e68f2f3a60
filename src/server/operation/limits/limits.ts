import { GraphQLError, NoFragmentCyclesRule, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { DocumentSize, Size } from './document-size.ts';
import { maxNesting } from './nesting.ts';
import { createError, DocumentError, withCode } from '../errors.ts';

/** Limits for a document with its fragments expanded. */
export interface LimitSettings {
  /** Levels of fields. Undefined: only their nesting is limited. */
  readonly maxDepth: number | undefined;
  /** Aliased fields. Undefined: unlimited. */
  readonly maxAliases: number | undefined;
  /** Lexical tokens of the text. Also limits fields, because with fragments a few tokens can select many. */
  readonly maxTokens: number;
}

/**
 * Pairs of fields that graphql-js may compare for one request, about 1 µs and 1 KB of garbage each. A hundred fragments on one object
 * that all select `id` and `__typename` make 10,000 pairs.
 */
export const maxComparisons = 50_000;

/** Throws if {@link measureDocument} gave up: the document is too large to be validated, or its fragments are circular. */
export function assertMeasurable(
  settings: LimitSettings & { readonly schema: GraphQLSchema },
  document: DocumentNode,
  size: DocumentSize,
): void {
  if (size.comparisons < Infinity) return;
  const circles = validate(settings.schema, document, [NoFragmentCyclesRule]);
  throw new DocumentError(
    circles.length > 0 ? circles.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')) : problemsIn(settings, size),
  );
}

/** Throws if a valid document exceeds the limits. Takes the result of {@link measureDocument}. */
export function assertLimits(settings: LimitSettings, size: DocumentSize): void {
  const problems = problemsIn(settings, size);
  if (problems.length > 0) throw new DocumentError(problems);
}

/** The error for a document or batch that repeats fields too often. */
export function tooManyComparisons(): GraphQLError {
  return createError(
    'GRAPHQL_VALIDATION_FAILED',
    `Expected fewer repeated fields: merging those with the same name would take more than ${maxComparisons} comparisons.`,
  );
}

function problemsIn(settings: LimitSettings, { operations, comparisons }: DocumentSize): readonly GraphQLError[] {
  const problems = [...operations].flatMap(([operation, size]) => problemsOf(settings, operation, size));
  return problems.length === 0 && comparisons > maxComparisons ? [tooManyComparisons()] : problems;
}

function problemsOf(settings: LimitSettings, operation: OperationDefinitionNode, size: Size): GraphQLError[] {
  const { maxTokens, maxDepth = Infinity, maxAliases = Infinity } = settings;
  const problems: string[] = [];
  if (size.fields > maxTokens) {
    problems.push(`to have at most ${maxTokens} fields, and to nest at most ${maxNesting} levels deep, when its fragments are written out`);
  }
  if (size.depth > maxDepth) problems.push(`to have at most ${maxDepth} levels of fields, got ${shown(size.depth)}`);
  if (size.aliases > maxAliases) problems.push(`to have at most ${maxAliases} aliases, got ${shown(size.aliases)}`);
  return problems.map((problem) => tooMuch(`Expected the operation ${problem}.`, operation));
}

/** The error for an operation that exceeds a limit. */
export function tooMuch(message: string, operation: OperationDefinitionNode): GraphQLError {
  return new GraphQLError(message, { nodes: operation, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}

/** Formats a number for a message: with fragments it can be astronomical. */
export function shown(amount: number): string {
  return amount < 1e9 ? String(amount) : 'more than a billion';
}
