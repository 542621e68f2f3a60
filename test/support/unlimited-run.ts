import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { Run } from '../../src/executor/execution/run.ts';

/** A run of an operation without fragments, limits or variables so far. */
export function unlimitedRun(schema: GraphQLSchema, operation: OperationDefinitionNode): Run {
  const settings = { schema, operation, rootValue: undefined, contextValue: undefined, hideSuggestions: true };
  return new Run(settings, { fragmentDefinitions: [], propagatesErrors: true });
}
