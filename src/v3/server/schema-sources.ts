import type { DocumentNode, GraphQLSchema } from 'graphql';

/** typeDefs in a flat list. Lists may hold functions that return more of it. */
export function sourcesOf(typeDefs: unknown): (string | DocumentNode)[] {
  if (Array.isArray(typeDefs)) return typeDefs.flatMap((one) => sourcesOf(one));
  if (typeof typeDefs === 'function') return sourcesOf((typeDefs as () => unknown)());
  return [typeDefs as string | DocumentNode];
}

/** The text of schema definitions; empty for a document that was made without one. */
export function sdlOf(source: string | DocumentNode): string {
  return typeof source === 'string' ? source : (source?.loc?.source.body ?? '');
}

/** The options that a schema comes from. */
interface SchemaOptions {
  readonly schema?: GraphQLSchema | undefined;
  readonly typeDefs?: unknown;
  readonly modules?: readonly (DocumentNode | { readonly typeDefs: unknown })[] | undefined;
}

/** True when the schema has the scalar that belongs to the option `uploads`. */
export function usesUpload({ schema, typeDefs, modules = [] }: SchemaOptions): boolean {
  if (schema) return schema.getType('Upload') !== undefined;
  const parts = [typeDefs, ...modules.map((module) => ('kind' in module ? module : module.typeDefs))].filter(Boolean);
  return sourcesOf(parts).some((source) => /\bUpload\b/.test(sdlOf(source)));
}
