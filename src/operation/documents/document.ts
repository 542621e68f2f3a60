import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, validate, versionInfo } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, ValidationRule } from 'graphql';

import { withoutStacks } from '../../message/describe.ts';
import { whenReady } from '../../message/eventual.ts';
import type { Eventual } from '../../message/eventual.ts';
import { noteOwn, ownError, withOwnExtensions } from '../../message/own-errors.ts';
import { listenedChannel } from '../../message/tracing-channels.ts';
import type { ChannelName } from '../../message/tracing-channels.ts';
import { specifiedRulesForLazySchema } from '../../schema/lazy/lazy-schema.ts';
import type { BatchBudget } from '../limits/batch-budget.ts';
import { isSurelyValid } from '../../validation/fast-validator.ts';
import type { DocumentCache, KnownDocument } from './document-cache.ts';
import { measureDocument } from '../limits/document-size.ts';
import { DocumentError, withCode } from '../errors.ts';
import type { OperationHooks } from '../hooks.ts';
import { assertLimits, assertMeasurable, maxComparisons, tooManyComparisons } from '../limits/limits.ts';
import type { LimitSettings } from '../limits/limits.ts';
import { assertNames, assertNesting } from '../limits/nesting.ts';

/** The settings for reading a document. */
export interface DocumentSettings extends LimitSettings {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentCache;
  /** Rules beside the specified ones. */
  readonly validationRules: readonly ValidationRule[];
  readonly introspection: boolean;
  /** True when documents that are surely valid are spared the specified rules. */
  readonly fastValidation: boolean;
  /** Texts of documents that were found valid for this schema when it was built. */
  readonly knownDocuments: ReadonlySet<string> | undefined;
  /** Leave "Did you mean …?" out of errors: it tells strangers the names of the schema. */
  readonly hideSuggestions: boolean;
}

/** The hooks that hear of a document being parsed and validated. */
export type DocumentHooks = Pick<OperationHooks, 'aroundParsing' | 'aroundValidation'>;

/**
 * Source text → valid document, or the error of a text that does not parse: thrown through all stages, it would take a
 * tenth of the time of its answer. Throws what else is wrong with it. Only valid documents are remembered: errors are
 * cheap to find again, and could fill the cache.
 */
export function loadDocument(
  settings: DocumentSettings,
  source: string,
  hooks: DocumentHooks | undefined,
  budget: BatchBudget | undefined,
): Eventual<KnownDocument | GraphQLError> {
  const known = settings.documents.get(source);
  if (known === undefined) return readDocument({ settings, source, hooks, budget });
  budget?.spendTokens(known.weight);
  return known;
}

interface Reading {
  readonly settings: DocumentSettings;
  readonly source: string;
  readonly hooks: DocumentHooks | undefined;
  readonly budget: BatchBudget | undefined;
}

interface Checked extends Reading {
  readonly document: DocumentNode;
  /** Those of its largest operation, fragments written out: known when it has been validated. */
  fields: number;
}

function readDocument(reading: Reading): Eventual<KnownDocument | GraphQLError> {
  if (reading.hooks !== undefined)
    return whenReady(
      reading.hooks.aroundParsing(() => parseOrThrow(reading)),
      checkDocument,
      reading,
    );
  const document = parseDocument(reading);
  return document instanceof GraphQLError ? document : checkDocument(document, reading);
}

function checkDocument(document: DocumentNode, reading: Reading): Eventual<KnownDocument> {
  const { hooks } = reading;
  const checked = { ...reading, document, fields: 0 };
  if (hooks !== undefined) {
    return whenReady(
      hooks.aroundValidation(document, () => validateDocument(checked)),
      keepDocument,
      checked,
    );
  }
  validateDocument(checked);
  return keepDocument(undefined, checked);
}

function keepDocument(_valid: void, { settings, source, budget, document, fields }: Checked): KnownDocument {
  const tokens = tokensOf(document);
  const known = { document, weight: Math.max(tokens, fields), plan: { plan: undefined }, chosen: undefined };
  settings.documents.set(source, known);
  budget?.spendTokens(known.weight - tokens);
  return known;
}

function parseOrThrow(reading: Reading): DocumentNode {
  const document = parseDocument(reading);
  if (document instanceof GraphQLError) throw document;
  return document;
}

function parseDocument({ settings, source, budget }: Reading): DocumentNode | GraphQLError {
  // The parser calls itself for every level: deep nesting would end in a RangeError, whose stack is not ours to spend.
  assertNesting(source, settings.maxNesting, settings.maxTokens);
  assertNames(source);
  try {
    const document = parseWithoutStack(source, Math.min(settings.maxTokens, budget?.tokens ?? Infinity));
    budget?.spendTokens(tokensOf(document));
    return document;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    // How many tokens were read is not said; there cannot be more than characters.
    if (error.extensions['code'] === undefined) budget?.spendTokens(error.positions?.[0] ?? source.length);
    return noteOwn(withCode(error, 'GRAPHQL_PARSE_FAILED'));
  }
}

/**
 * Characters of a document whose errors have locations. graphql-js counts the lines of the whole text for each node of each
 * error: 4 ms where it is 100 KB of line breaks, a hundred times over.
 */
const maxLocated = 16_384;

/**
 * Errors of a larger document, of one in a batch, and where names are suggested, before validation is given up: a hundred of each
 * of ten took 500 ms, and a hundred wrong values of an enum with 500, each compared with all of them, 100 ms.
 */
const maxErrorsOfDear = 20;

/**
 * The stack of a syntax error is the parser's own, which is of no use, and twice as dear as the rest of the
 * error (10 of 22 µs): anybody can ask for it.
 */
function parseWithoutStack(source: string, maxTokens: number): DocumentNode {
  return withoutStacks(() => toldBefore17('parse', { source }, () => parse(source, { maxTokens, noLocation: source.length > maxLocated })));
}

/** Aliased fields of operations, fragments written out, where there is a limit to them. */
const aliasesIn = new WeakMap<OperationDefinitionNode, number>();

/** How many fields of an operation of a valid document have aliases; 0 where that is not limited. */
export function aliasesOf(operation: OperationDefinitionNode): number {
  return aliasesIn.get(operation) ?? 0;
}

function tokensOf(document: DocumentNode): number {
  return document.tokenCount ?? 0;
}

function validateDocument(checked: Checked): void {
  const { settings, source, budget, document } = checked;
  const size = measureDocument(document, settings);
  assertMeasurable(settings, document, size);
  if (budget !== undefined) budget.spendComparisons(size.comparisons);
  else if (size.comparisons > maxComparisons) throw tooManyComparisons();

  const rules = rulesFor(settings, document, source);
  const { schema, hideSuggestions } = settings;
  const areDear = source.length > maxLocated || budget !== undefined || !hideSuggestions;
  const options = { hideSuggestions, ...(areDear && { maxErrors: maxErrorsOfDear }) } as object;
  const errors =
    rules.length === 0
      ? told('validate', { schema, document }, () => [])
      : toldBefore17('validate', { schema, document }, () => validate(schema, document, rules, options));
  if (errors.length > 0) {
    throw new DocumentError(
      errors.map((error) =>
        withCode(settings.hideSuggestions ? withoutSuggestion(ownFinding(error)) : ownFinding(error), 'GRAPHQL_VALIDATION_FAILED'),
      ),
    );
  }
  assertLimits(settings, size);
  if (settings.maxAliases !== undefined) for (const [operation, { aliases }] of size.operations) aliasesIn.set(operation, aliases);
  checked.fields = Math.max(...Array.from(size.operations.values(), (operation) => operation.fields));
}

/** An error of a rule of graphql-js was made for it. One of the user's, or of a scalar, may be the same for all documents. */
function ownFinding(error: GraphQLError): GraphQLError {
  return error.nodes === undefined ? ownError(error) : withOwnExtensions(error);
}

/** Runs, and tells the channel of it. */
function told<T>(name: ChannelName, context: object, run: () => T): T {
  const channel = listenedChannel(name);
  return channel === undefined ? run() : channel.traceSync(run, context);
}

/** graphql 17 tells of itself. */
function toldBefore17<T>(name: ChannelName, context: object, run: () => T): T {
  return versionInfo.major >= 17 ? run() : told(name, context, run);
}

/** The rules that graphql-js has to check. A document that is known or surely valid has no introspection in it, so that rule is spared too. */
function rulesFor(
  { schema, fastValidation, knownDocuments, validationRules, introspection }: DocumentSettings,
  document: DocumentNode,
  source: string,
): readonly ValidationRule[] {
  if (fastValidation && (knownDocuments?.has(source) === true || isSurelyValid(schema, document))) return validationRules;
  return [...specifiedRulesForLazySchema, ...validationRules, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
}

/** graphql 16 cannot leave suggestions out itself (`hideSuggestions` came with 17). */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (versionInfo.major >= 17) return error;
  const message = error.message.replace(/ Did you mean .*\?/s, '');
  if (message === error.message) return error;
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, originalError, extensions });
}
