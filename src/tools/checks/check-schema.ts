import { makeExecutableSchema } from '@graphql-tools/schema';
import { assertValidSchema, parse } from 'graphql';
import type { DefinitionNode, GraphQLSchema } from 'graphql';

import type { CheckWhole } from '../../executor/schema/index.ts';
import { checkBatches } from './check-batches.ts';
import { semanticNonNull } from './semantic-non-null.ts';

/**
 * Builds the whole schema with `@graphql-tools/schema`, unless it is given, has graphql-js check it, and throws it away.
 * Throws an Error that names everything that is wrong.
 *
 * Nothing imports this file: load-tools.ts loads it at run time, so that a bundle contains neither it nor
 * `@graphql-tools/schema`.
 */
export const checkWhole: CheckWhole = (texts, resolvers, { schema = makeSchema(texts, resolvers), isBatched, warn }) => {
  const foreign = checkBatches(schema, isBatched);
  if (foreign.length > 0) warn?.(otherCopy(foreign));
};

function otherCopy(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  return (
    `batch() of ${paths.slice(0, 3).join(', ')}${more} is from another copy of graphql-functions than this server, such as its CommonJS ` +
    'build, so it is called for each parent. Load batch and createHandler in the same way, by import or by require().'
  );
}

function makeSchema(texts: readonly string[], resolvers: Readonly<Record<string, object>>): GraphQLSchema {
  const whole = usesSemanticNonNull(texts) ? [...texts, semanticNonNull] : texts;
  const typeDefs = whole.flatMap((text) => parse(text).definitions.map(withInterfaces));
  const schema = makeExecutableSchema({ typeDefs, resolvers: resolvers as never });
  assertValidSchema(schema);
  return schema;
}

/**
 * In graphql 17, an interface loses its interfaces when it is merged with a definition that has no list of interfaces, not even an empty
 * one.
 */
function withInterfaces(definition: DefinitionNode): DefinitionNode {
  return 'interfaces' in definition ? { ...definition, interfaces: definition.interfaces ?? [] } : definition;
}

/** True if the schema uses the directive without a definition. It needs none, like the directives of the specification. */
function usesSemanticNonNull(texts: readonly string[]): boolean {
  return texts.some((text) => /@semanticNonNull\b/.test(text)) && !texts.some((text) => /\bdirective\s+@semanticNonNull\b/.test(text));
}
