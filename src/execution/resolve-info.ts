import type { GraphQLResolveInfo } from 'graphql';

import { isGraphQL17 } from './graphql-js/installed.ts';
import type { Path } from './path.ts';
import type { PlannedField } from './plan/planned-field.ts';
import type { Run } from './run.ts';

/** The fourth argument of a resolver: everything graphql-js puts there, in the installed major's shape. */
export function resolveInfo(run: Run, field: PlannedField, path: Path): GraphQLResolveInfo {
  const { definition } = field;
  const { schema, fragments, rootValue, operation, variableValues, getAbortSignal, getAsyncHelpers } = run;
  const fieldName = definition.name;
  const fieldNodes = field.nodes;
  const returnType = definition.type;
  const { parentType } = field;
  // Written out twice: a spread would cost as much as the rest of a small field.
  const info = isGraphQL17
    ? {
        fieldName,
        fieldNodes,
        returnType,
        parentType,
        path,
        schema,
        fragments,
        rootValue,
        operation,
        variableValues,
        getAbortSignal,
        getAsyncHelpers,
      }
    : { fieldName, fieldNodes, returnType, parentType, path, schema, fragments, rootValue, operation, variableValues };
  return info as GraphQLResolveInfo;
}
