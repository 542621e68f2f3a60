import { GraphQLSchema, validateSchema, visit } from 'graphql';
import type { DocumentNode } from 'graphql';

import { isGraphQL17 } from './version.ts';

/** The directives that ask for an answer in several parts. Whoever answers once runs what they stand at as if they were not there. */
export function isIncrementalDirective(directive: string): boolean {
  return directive === 'defer' || directive === 'stream';
}

interface Subject {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
}

/**
 * The same schema and document without `@defer` and `@stream`. graphql-js 17's `execute` refuses a schema that has
 * them, and an operation that uses them; 16 knows nothing of either.
 */
export function withoutIncrementalDirectives<T extends Subject>(subject: T): T {
  if (!isGraphQL17 || !definesIncrementalDirectives(subject.schema)) return subject;
  return { ...subject, schema: schemaWithout(subject.schema), document: documentWithout(subject.document) };
}

function definesIncrementalDirectives(schema: GraphQLSchema): boolean {
  return Boolean(schema.getDirective('defer') ?? schema.getDirective('stream'));
}

// Both made once: what graphql-js has to run, it runs again.
const schemas = new WeakMap<GraphQLSchema, GraphQLSchema>();
const documents = new WeakMap<DocumentNode, DocumentNode>();

/** With the very same types. It makes all of them, also of a lazy schema: few operations are left to graphql-js. */
function schemaWithout(schema: GraphQLSchema): GraphQLSchema {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const config = schema.toConfig();
  const directives = config.directives.filter(({ name }) => !isIncrementalDirective(name));
  const copy = new GraphQLSchema({ ...config, directives, assumeValid: validateSchema(schema).length === 0 });
  schemas.set(schema, copy);
  return copy;
}

function documentWithout(document: DocumentNode): DocumentNode {
  const known = documents.get(document);
  if (known !== undefined) return known;
  const copy = visit(document, { Directive: ({ name }) => (isIncrementalDirective(name.value) ? null : undefined) });
  documents.set(document, copy);
  return copy;
}
