import type { GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql';

import type { OptionProblem } from '../../checks/option-check.ts';
import { isRecord } from '../../../shared/index.ts';
import type { ServerOptions } from '../../../server/index.ts';

/**
 * Finds non-null fields of Query and Mutation without a resolver: every operation that selects one fails. (option-check.ts
 * checks the fields of Subscription.) Returns none with `rootValue` or `fieldResolver`, which may provide the values.
 */
export function findUnresolvedRootFields({ resolvers, rootValue, fieldResolver }: ServerOptions, schema: GraphQLSchema): OptionProblem[] {
  if (rootValue !== undefined || fieldResolver !== undefined) return [];
  const maps = ([resolvers] as unknown[]).flat(Number.POSITIVE_INFINITY).filter(isRecord);
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) => (type ? unresolvedFields(type, maps) : []));
}

function unresolvedFields(type: GraphQLObjectType, maps: readonly Readonly<Record<string, unknown>>[]): OptionProblem[] {
  const ofType = maps.map((map) => map[type.name]).filter(isRecord);
  return Object.values(type.getFields())
    .filter(
      ({ name, type: fieldType, resolve }) => isNonNull(fieldType) && !resolve && ofType.every((fields) => fields[name] === undefined),
    )
    .map(({ name, type: fieldType }) => ({
      path: ['resolvers', type.name, name],
      message: `${type.name}.${name} has the non-null type ${String(fieldType)} but no resolver, so every operation that selects it fails. Write ${type.name}: { ${name}: () => … }.`,
    }));
}

/** Compares the text, because a schema built in code uses the classes of the graphql in its bundle. */
function isNonNull(type: GraphQLOutputType): boolean {
  return String(type).endsWith('!');
}
