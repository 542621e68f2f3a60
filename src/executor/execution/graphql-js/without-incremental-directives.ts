import { GraphQLSchema, validateSchema, visit } from 'graphql';
import type { DocumentNode } from 'graphql';

import { isGraphQL17 } from '../../graphql-version.ts';
import { isIncrementalDirective } from '../../parts/directives.ts';

interface Subject {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
}

/** The schema and document without `@defer` and `@stream`, which graphql-js 17's `execute` rejects and 16 ignores. */
export function withoutIncrementalDirectives<T extends Subject>(subject: T): T {
  if (!isGraphQL17 || !definesIncrementalDirectives(subject.schema)) return subject;
  return { ...subject, schema: schemaWithout(subject.schema), document: documentWithout(subject.document) };
}

function definesIncrementalDirectives(schema: GraphQLSchema): boolean {
  return Boolean(schema.getDirective('defer') ?? schema.getDirective('stream'));
}

const schemas = new WeakMap<GraphQLSchema, GraphQLSchema>();
const documents = new WeakMap<DocumentNode, DocumentNode>();

/** A copy with the same types. Builds the whole of a lazy schema. */
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
