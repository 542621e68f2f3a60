import { Kind } from 'graphql';
import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, OperationTypeNode } from 'graphql';

import type { KnownDocument } from './documents/document-cache.ts';
import { createError } from './errors.ts';
import { describe } from '../../shared/index.ts';

/** Returns the reason why an operation may not run; undefined lets it run. */
export type RefuseOperation = (operation: OperationDefinitionNode) => GraphQLError | undefined;

/** The choice of an operation. */
interface Choice {
  readonly name: string | undefined;
  readonly refuse: RefuseOperation | undefined;
}

/**
 * Chooses the operation to run. Throws if it may not run here. The last choice is kept with the document, because choosing again took
 * 5 % of the smallest operation's time.
 */
export function operationToRun(schema: GraphQLSchema, known: KnownDocument, { name, refuse }: Choice): OperationDefinitionNode {
  const { chosen } = known;
  if (chosen !== undefined && chosen.name === name && chosen.refuse === refuse) return chosen.operation;
  const operation = findOperation(known.document, name);
  assertRunnable(schema, operation, refuse);
  known.chosen = { operation, name, refuse };
  return operation;
}

/** Throws for an operation that may not run here. */
function assertRunnable(schema: GraphQLSchema, operation: OperationDefinitionNode, refuse: RefuseOperation | undefined): void {
  const refusal = refuse?.(operation);
  if (refusal !== undefined) throw refusal;
  if (!hasRootType(schema, operation.operation)) {
    throw createError('OPERATION_RESOLUTION_FAILURE', `The schema has no ${operation.operation} type.`);
  }
}

/** The operation to run: the named one, or the only one. */
function findOperation(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const only = document.definitions[0];
  if (operationName === undefined && document.definitions.length === 1 && only?.kind === Kind.OPERATION_DEFINITION) return only;
  return findAmong(document, operationName);
}

function findAmong(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
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

function hasRootType(schema: GraphQLSchema, operation: OperationTypeNode): boolean {
  const type = schema.getRootType(operation);
  return type !== null && type !== undefined;
}
