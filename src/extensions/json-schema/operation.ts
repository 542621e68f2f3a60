import { getDirectiveValues, Kind, visit } from 'graphql';
import type { DocumentNode, GraphQLDirective, GraphQLSchema, OperationDefinitionNode } from 'graphql';

/**
 * Returns the only operation of a document. Throws unless it has one answer that a schema can describe. `what`: the purpose of the
 * operation in messages, for example "tool".
 */
export function operationWithOneAnswer(document: DocumentNode, what: string): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation === undefined || operations.length > 1) throw new Error(`expected one operation, got ${operations.length}.`);
  if (operation.operation === 'subscription') throw new Error(`a ${what} has one answer, and this is a subscription.`);
  visit(document, {
    Field({ name }) {
      if (/^__(?:schema|type)$/.test(name.value)) throw new Error(`it selects ${name.value}.`);
    },
    Directive({ name }) {
      if (/^(?:defer|stream)$/.test(name.value)) throw new Error(`a ${what} has one answer, without @${name.value}.`);
    },
  });
  return operation;
}

/** An error about a trusted document, whose place `check` finds by the id. */
export function documentError(documentId: string, what: string, cause: unknown): Error {
  const message = `The trusted document "${documentId}" cannot be a ${what}: ${(cause as Error).message}`;
  return Object.assign(new Error(message, { cause }), { documentId });
}

/** Returns the arguments of a directive on the operation of a document. Undefined without it: a text may have its name in a comment or a string. */
export function directiveValues(document: DocumentNode, directive: GraphQLDirective): Readonly<Record<string, unknown>> | undefined {
  for (const node of document.definitions) {
    const values = node.kind === Kind.OPERATION_DEFINITION ? getDirectiveValues(directive, node as never) : undefined;
    if (values !== undefined) return values;
  }
  return undefined;
}

/** Returns the description of the operation, which graphql 16.15 and 17 parse, or else the description of its first field. */
export function descriptionOf(operation: OperationDefinitionNode, schema: GraphQLSchema): string | undefined {
  const { description } = operation as { readonly description?: { readonly value: string } };
  if (description !== undefined) return description.value;
  const field = operation.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  return (field && schema.getRootType(operation.operation)?.getFields()[field.name.value]?.description) ?? undefined;
}
