import { makeExecutableSchema } from '@graphql-tools/schema';
import { assertValidSchema } from 'graphql';

/**
 * Builds the whole schema with `@graphql-tools/schema`, has graphql-js check it, and throws it away.
 * Throws an Error that names everything that is wrong.
 *
 * Nothing imports this file: load-tools.ts loads it at run time, so that a bundle contains neither it nor
 * `@graphql-tools/schema`.
 */
export function checkWhole(texts: readonly string[], resolvers: Readonly<Record<string, object>>): void {
  assertValidSchema(makeExecutableSchema({ typeDefs: [...texts], resolvers: resolvers as never }));
}
