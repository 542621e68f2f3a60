import type { GraphQLSchema } from 'graphql';

import type { Logger } from '../types.ts';
import { makeSchema } from './make-schema.ts';

/** The options of `makeExecutableSchema` in the servers of version 2. */
export interface ExecutableSchemaOptions {
  /** Text, documents, or lists of these. */
  readonly typeDefs: any;
  readonly resolvers?: any;
  /** A class for each directive, as `SchemaDirectiveVisitor` makes them. */
  readonly schemaDirectives?: Record<string, any>;
  /** Default: the console. It is told of resolvers that match nothing. */
  readonly logger?: { log(error: Error): void } | undefined;
  /** These three are taken and change nothing. */
  readonly allowUndefinedInResolve?: boolean;
  readonly parseOptions?: object;
  readonly resolverValidationOptions?: object;
}

/** Options that would be ignored silently, and may hold rules of access. */
const refused = ['directiveResolvers', 'inheritResolversFromInterfaces', 'schemaTransforms', 'attachDirectiveResolvers'];

/**
 * Makes a schema as the servers of version 2 did, schema directives included: the one that the GraphQL tools have today
 * passes over `schemaDirectives`. Throws for options that it does not know.
 */
export function makeExecutableSchema(options: ExecutableSchemaOptions): GraphQLSchema {
  const unknown = refused.filter((name) => (options as unknown as Record<string, unknown>)[name]);
  if (unknown.length > 0) {
    throw new Error(
      `makeExecutableSchema does not know ${unknown.join(', ')}. Make the schema with @graphql-tools/schema, and change it with mapSchema of @graphql-tools/utils.`,
    );
  }
  const { typeDefs, resolvers, schemaDirectives, logger } = options;
  const log = (message: string): void => logger?.log(new Error(message));
  const whole: Logger = logger === undefined ? console : { debug: log, info: log, warn: log, error: log };
  return makeSchema({ typeDefs, resolvers, ...(schemaDirectives && { schemaDirectives }) }, whole);
}
