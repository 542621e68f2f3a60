import { Kind } from 'graphql';
import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { createError } from './errors.ts';
import { describe } from '../../shared/index.ts';

/** Returns the reason why an operation may not run; undefined lets it run. */
export type RefuseOperation = (operation: OperationDefinitionNode) => GraphQLError | undefined;

/** The choice of an operation. */
interface Choice {
  readonly name: string | undefined;
  readonly refuse: RefuseOperation | undefined;
}

/** Chooses the operation to run. Throws if it may not run here. */
export function operationToRun(schema: GraphQLSchema, document: DocumentNode, { name, refuse }: Choice): OperationDefinitionNode {
  const operation = findOperation(document, name);
  const refusal = refuse?.(operation);
  if (refusal !== undefined) throw refusal;
  if (!schema.getRootType(operation.operation)) {
    throw createError('OPERATION_RESOLUTION_FAILURE', `The schema has no ${operation.operation} type.`);
  }
  return operation;
}

/** The operation to run: the named one, or the only one. */
function findOperation(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [first, second] = operations;
  if (first === undefined) {
    throw createError('OPERATION_RESOLUTION_FAILURE', 'Expected the document to contain an operation, but it has only fragments.');
  }
  if (operationName !== undefined) {
    const named = operations.find((operation) => operation.name?.value === operationName);
    if (named !== undefined) return named;
    throw createError('OPERATION_RESOLUTION_FAILURE', `The document has no operation with this name: ${describe(operationName)}.`);
  }
  if (second !== undefined) {
    throw createError(
      'OPERATION_RESOLUTION_FAILURE',
      `The document has ${operations.length} operations: send operationName to say which one to run.`,
    );
  }
  return first;
}
