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
  UniqueEnumValueNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueInputFieldNamesRule,
  visit,
  visitInParallel,
} from 'graphql';
import type { ASTVisitor, DefinitionNode, DocumentNode, GraphQLError } from 'graphql';

import { semanticNonNull } from './semantic-non-null.ts';

/** graphql-js's rules for schema text, without those against several definitions of a name, which the server merges. */
const rules: readonly ((context: never) => ASTVisitor)[] = [
  KnownTypeNamesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFieldDefinitionNamesRule,
  UniqueEnumValueNamesRule,
  KnownArgumentNamesRule,
  UniqueArgumentNamesRule,
  UniqueArgumentDefinitionNamesRule,
  UniqueInputFieldNamesRule,
  ProvidedRequiredArgumentsRule,
];

/** Validates merged definitions. */
export function checkDefinitions(definitions: readonly DefinitionNode[]): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  const isDefined = definitions.some((one) => one.kind === Kind.DIRECTIVE_DEFINITION && one.name.value === 'semanticNonNull');
  const implied = isDefined ? [] : parse(semanticNonNull).definitions;
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...definitions, ...implied] };
  // The part of a validation context that these rules use. graphql-js does not export SDLValidationContext.
  const context = {
    getDocument: () => document,
    ...Object.fromEntries(
      ['getSchema', 'getArgument', 'getFieldDef', 'getParentType', 'getDirective'].map((name) => [name, () => undefined]),
    ),
    hideSuggestions: false,
    reportError: (error: GraphQLError) => void errors.push(error),
  } as never;
  visit(document, visitInParallel(rules.map((rule) => rule(context))));
  return errors;
}
