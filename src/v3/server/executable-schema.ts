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
  /** Receives warnings about resolvers that match nothing. Default: the console. */
  readonly logger?: { log(error: Error): void } | undefined;
  /** Accepted without effect. */
  readonly allowUndefinedInResolve?: boolean;
  readonly parseOptions?: object;
  readonly resolverValidationOptions?: object;
}

/** Refused, because they may contain access rules that would be ignored silently. */
const refused = ['directiveResolvers', 'inheritResolversFromInterfaces', 'schemaTransforms', 'attachDirectiveResolvers'];

/**
 * Builds a schema as the servers of version 2 did, including `schemaDirectives`, which `@graphql-tools/schema` 8 and newer ignore.
 * Throws for unknown options.
 */
export function makeExecutableSchema(options: ExecutableSchemaOptions): GraphQLSchema {
  const unknown = refused.filter((name) => (options as unknown as Record<string, unknown>)[name]);
  if (unknown.length > 0) {
    throw new Error(
      `makeExecutableSchema does not support ${unknown.join(', ')}. Make the schema with @graphql-tools/schema, and change it with mapSchema of @graphql-tools/utils.`,
    );
  }
  const { typeDefs, resolvers, schemaDirectives, logger } = options;
  const log = (message: string): void => logger?.log(new Error(message));
  const whole: Logger = logger === undefined ? console : { debug: log, info: log, warn: log, error: log };
  return makeSchema({ typeDefs, resolvers, ...(schemaDirectives && { schemaDirectives }) }, whole);
}
