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

/** The operation to run: the named one, or the only one. Throws if it may not run here. */
export function operationToRun(schema: GraphQLSchema, { definitions }: DocumentNode, { name, refuse }: Choice): OperationDefinitionNode {
  let found: OperationDefinitionNode | undefined;
  let operations = 0;
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operations++;
    if (name === undefined || definition.name?.value === name) found ??= definition;
  }
  if (operations === 0)
    throw createError('OPERATION_RESOLUTION_FAILURE', 'Expected the document to contain an operation, but it has only fragments.');
  if (found === undefined)
    throw createError('OPERATION_RESOLUTION_FAILURE', `The document has no operation with this name: ${describe(name)}.`);
  if (name === undefined && operations > 1)
    throw createError(
      'OPERATION_RESOLUTION_FAILURE',
      `The document has ${operations} operations: send operationName to say which one to run.`,
    );
  // Every schema has a query type.
  if (found.operation === 'query') return found;
  const refusal = refuse?.(found);
  if (refusal !== undefined) throw refusal;
  if (schema.getRootType(found.operation)) return found;
  throw createError('OPERATION_RESOLUTION_FAILURE', `The schema has no ${found.operation} type.`);
}
