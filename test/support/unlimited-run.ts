import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { Run } from '../../src/executor/run/run.ts';

/** A new run of an operation without fragments, limits or variables. */
export function unlimitedRun(schema: GraphQLSchema, operation: OperationDefinitionNode): Run {
  const settings = { schema, operation, rootValue: undefined, contextValue: undefined, hideSuggestions: true };
  return new Run(settings, { fragments: {}, propagatesErrors: true });
}
