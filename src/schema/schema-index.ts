import type { DirectiveDefinitionNode } from 'graphql';

import type { Place, Span } from './place.ts';
import type { TypeKind } from './sdl-scanner.ts';

/**
 * Schema text, and where in it every definition stands: all that the lazy schema needs to start with. In
 * place of a stretch of text there may be a syntax tree.
 *
 * Plain data that survives JSON, so that a build step can make it ahead of time.
 */
export interface SchemaIndex {
  readonly text: string;
  /** Where in `text` each of the given typeDefs is; a document's is empty. */
  readonly sources: readonly Span[];
  /** In the order of their first definition; each name once. */
  readonly types: readonly TypeEntry[];
  /** Directive definitions; each name once. */
  readonly directives: readonly Place<DirectiveDefinitionNode>[];
  /** The `schema { … }` definition. */
  readonly schema?: Place;
  readonly schemaExtensions: readonly Place[];
  readonly roots: RootNames;
}

/** Where a type is defined. */
export interface TypeEntry {
  readonly name: string;
  readonly kind: TypeKind;
  readonly at: Place;
  /** Extensions, and further definitions that add nothing but members. */
  readonly extensions: readonly Place[];
  /** What the type and its extensions implement, each name once. */
  readonly interfaces: readonly string[];
}

/** The names of the root types. */
export interface RootNames {
  readonly query?: string;
  readonly mutation?: string;
  readonly subscription?: string;
}

/** Every part of a type in the order of the schema: its definition, then its extensions. */
export function partsOf(entry: TypeEntry): readonly Place[] {
  return [entry.at, ...entry.extensions];
}
