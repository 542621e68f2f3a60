import {
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownTypeNamesRule,
  Kind,
  parse,
  ProvidedRequiredArgumentsRule,
  UniqueArgumentDefinitionNamesRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueInputFieldNamesRule,
  visit,
  visitInParallel,
} from 'graphql';
import type { ASTVisitor, DefinitionNode, DocumentNode, GraphQLError } from 'graphql';

import { semanticNonNull } from '../../checks/semantic-non-null.ts';

/**
 * graphql-js's rules for schema text. Rules against duplicate names are omitted, because the server merges
 * definitions.
 */
const rules: readonly ((context: never) => ASTVisitor)[] = [
  KnownTypeNamesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  KnownArgumentNamesRule,
  UniqueArgumentNamesRule,
  UniqueArgumentDefinitionNamesRule,
  UniqueInputFieldNamesRule,
  ProvidedRequiredArgumentsRule,
];

/** Validates definitions and lists the names of types that none of them defines. */
export function checkDefinitions(definitions: readonly DefinitionNode[]): { errors: readonly GraphQLError[]; unknown: readonly string[] } {
  const errors: GraphQLError[] = [];
  const isDefined = definitions.some((one) => one.kind === Kind.DIRECTIVE_DEFINITION && one.name.value === 'semanticNonNull');
  const implied = isDefined ? [] : parse(semanticNonNull).definitions;
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...definitions, ...implied] };
  // The part of a validation context that these rules use. graphql-js does not export SDLValidationContext.
  const context = {
    getDocument: () => document,
    getSchema: nothing,
    getArgument: nothing,
    getFieldDef: nothing,
    getParentType: nothing,
    getDirective: nothing,
    hideSuggestions: false,
    reportError: (error: GraphQLError) => void errors.push(error),
  } as never;
  visit(document, visitInParallel(rules.map((rule) => rule(context))));
  const unknown = errors.flatMap(({ message }) => /^Unknown type "(\w+)"/.exec(message)?.[1] ?? []);
  return { errors, unknown: [...new Set(unknown)] };
}

function nothing(): undefined {
  return undefined;
}
