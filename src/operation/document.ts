import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate, versionInfo } from 'graphql';
import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';

import type { DocumentCache } from './document-cache.ts';
import { DocumentError, withCode } from './errors.ts';
import type { OperationHooks } from './hooks.ts';
import { assertNesting } from './nesting.ts';

/** What reading a document needs. */
export interface DocumentSettings {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentCache;
  /** Rules beside the specified ones. */
  readonly validationRules: readonly ValidationRule[];
  readonly introspection: boolean;
  /** Leave "Did you mean …?" out of errors: it tells strangers the names of the schema. */
  readonly hideSuggestions: boolean;
  readonly maxTokens: number;
  /** How deep braces, brackets and parentheses may nest. */
  readonly maxNesting: number;
}

/** Source text → valid document. Only valid documents are remembered: errors are cheap to find again, and could fill the cache. */
export async function loadDocument(settings: DocumentSettings, source: string, hooks: OperationHooks | undefined): Promise<DocumentNode> {
  const known = settings.documents.get(source);
  if (known !== undefined) return known;

  const parsed = hooks === undefined ? parseDocument(settings, source) : await hooks.aroundParsing(() => parseDocument(settings, source));
  if (hooks === undefined) validateDocument(settings, parsed);
  else await hooks.aroundValidation(parsed, () => validateDocument(settings, parsed));
  settings.documents.set(source, parsed);
  return parsed;
}

function parseDocument(settings: DocumentSettings, source: string): DocumentNode {
  // The parser calls itself for every level: deep nesting would end in a RangeError, whose stack is not ours to spend.
  assertNesting(source, settings.maxNesting);
  try {
    return parse(source, { maxTokens: settings.maxTokens });
  } catch (error) {
    throw error instanceof GraphQLError ? withCode(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
}

function validateDocument(settings: DocumentSettings, document: DocumentNode): void {
  const rules = [...specifiedRules, ...settings.validationRules, ...(settings.introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  const errors = validate(settings.schema, document, rules, { hideSuggestions: settings.hideSuggestions } as object);
  if (errors.length === 0) return;
  throw new DocumentError(
    errors.map((error) => withCode(settings.hideSuggestions ? withoutSuggestion(error) : error, 'GRAPHQL_VALIDATION_FAILED')),
  );
}

/** graphql 16 cannot leave suggestions out itself (`hideSuggestions` came with 17). */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (versionInfo.major >= 17) return error;
  const message = error.message.replace(/ Did you mean .*\?/s, '');
  if (message === error.message) return error;
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}
