import { buildSchema, execute, parse, validate } from 'graphql';
import type { DocumentNode, GraphQLError, GraphQLObjectType } from 'graphql';

import type { Contestant } from '../event.ts';

/**
 * graphql-js alone: buildSchema with its default checks, a cache of parsed and validated documents, execute, JSON.stringify. No limits,
 * no CSRF prevention, no content negotiation, no masking of errors.
 */
export const create: Contestant = (input) => {
  const run = createRunner(input);
  return async (event) => {
    const body = JSON.parse(event.body);
    const result = Array.isArray(body) ? await Promise.all(body.map(run)) : await run(body);
    return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) };
  };
};

interface GraphQLParams {
  readonly query: string;
  readonly variables?: any;
  readonly operationName?: string;
}

/** Runs operations: parsed and validated once, kept by their text. */
function createRunner({ typeDefs, resolvers }: Parameters<Contestant>[0]): (params: GraphQLParams) => Promise<unknown> {
  const schema = buildSchema(typeDefs);
  for (const [type, fields] of Object.entries(resolvers)) {
    for (const [field, resolve] of Object.entries(fields))
      (schema.getType(type) as GraphQLObjectType).getFields()[field]!.resolve = resolve;
  }
  const documents = new Map<string, DocumentNode>();

  return async ({ query, variables, operationName }) => {
    let document = documents.get(query);
    if (document === undefined) {
      try {
        document = parse(query);
      } catch (error) {
        return { errors: [error] };
      }
      const errors: readonly GraphQLError[] = validate(schema, document);
      if (errors.length > 0) return { errors };
      if (documents.size < 1000) documents.set(query, document);
    }
    return execute({ schema, document, variableValues: variables, operationName, contextValue: {} } as never);
  };
}
