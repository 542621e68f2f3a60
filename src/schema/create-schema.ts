import { buildASTSchema, isEnumType, isScalarType, parse, type GraphQLSchema } from 'graphql';

import type { Resolvers } from './resolver-map.ts';
import { textsOf, type TypeDefs } from './type-defs.ts';

/** Either `typeDefs` with `resolvers`, or a ready `schema`. */
export interface SchemaInput<TContext = any> {
  /** The schema as text, parsed documents, or lists of them. */
  readonly typeDefs?: TypeDefs;
  /** What implements `typeDefs`: one map, or several that are merged. Default: every field is a property. */
  readonly resolvers?: Resolvers<TContext>;
  /** A schema built with graphql-js's classes, in place of `typeDefs`. */
  readonly schema?: GraphQLSchema;
}

/** How {@link createSchema} goes about it. */
export interface SchemaSettings {
  /** Build and check the whole schema first, with graphql-js and `@graphql-tools/schema`. */
  readonly checkWhole: boolean;
  /** Told, once, when `@graphql-tools/schema` cannot be found for `checkWhole`. Default: nobody is. */
  readonly warn?: (message: string) => void;
}

/** The executable schema. Throws an Error whose message says what to write instead when the input is wrong. */
export function createSchema(input: SchemaInput, _settings: SchemaSettings): GraphQLSchema {
  if (input.schema !== undefined) return input.schema;
  const schema = buildASTSchema(parse(textsOf(input.typeDefs).join('\n')));
  for (const map of [input.resolvers ?? {}].flat()) {
    for (const [name, resolvers] of Object.entries(map)) attach(schema, name, resolvers as Record<string, unknown>);
  }
  return schema;
}

/** For now on a schema built whole; the lazy one takes its place. */
function attach(schema: GraphQLSchema, name: string, resolvers: Record<string, unknown>): void {
  const type = schema.getType(name) as any;
  if (type === undefined) throw new Error(`The resolvers name a type "${name}" that typeDefs do not define.`);
  if (isScalarType(type)) Object.assign(type, resolvers);
  else if (isEnumType(type)) for (const [value, internal] of Object.entries(resolvers)) (type.getValue(value) as any).value = internal;
  else for (const [field, resolver] of Object.entries(resolvers)) attachField(type, field, resolver);
}

function attachField(type: any, field: string, resolver: unknown): void {
  if (field.startsWith('__')) type[field.slice(2)] = resolver;
  else if (typeof resolver === 'function') type.getFields()[field].resolve = resolver;
  else Object.assign(type.getFields()[field], resolver);
}
