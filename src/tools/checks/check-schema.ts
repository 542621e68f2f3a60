import { makeExecutableSchema } from '@graphql-tools/schema';
import { assertValidSchema, parse, print } from 'graphql';
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
export const checkWhole: CheckWhole = (whole, { isBatched, warn }) => {
  const foreign = checkBatches('schema' in whole ? whole.schema : makeSchema(whole), isBatched);
  if (foreign.length > 0) warn?.(otherCopy(foreign));
};

function otherCopy(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  return (
    `batch() of ${paths.slice(0, 3).join(', ')}${more} is from another copy of graphql-functions than this server, such as its CommonJS ` +
    'build, so it is called for each parent. Load batch and createHandler in the same way, by import or by require().'
  );
}

type Parts = Extract<Parameters<CheckWhole>[0], { readonly typeDefs: unknown }>;

/** Takes text, because a bundle uses another copy of graphql, and @graphql-tools/schema changes the documents that it merges. */
function makeSchema({ typeDefs, resolvers }: Parts): GraphQLSchema {
  const texts = typeDefs.map((source) => (typeof source === 'string' ? source : print(source)));
  const whole = usesSemanticNonNull(texts) ? [...texts, semanticNonNull] : texts;
  const schema = makeExecutableSchema({
    typeDefs: whole.flatMap((text) => parse(text).definitions.map(withInterfaces)),
    resolvers: Object.fromEntries(resolvers.names().map((name) => [name, mapOf(resolvers.get(name)!)])) as never,
  });
  assertValidSchema(schema);
  return schema;
}

/** The resolvers of a type as one map without a prototype, so that a field `toString` has no resolver by accident. */
function mapOf(resolvers: NonNullable<ReturnType<Parts['resolvers']['get']>>): object {
  if (resolvers.scalar !== undefined) return resolvers.scalar;
  const entries = Array.from(resolvers.names(), (name) => [name, resolvers.get(name)]);
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
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
