import type { DirectiveDefinitionNode } from 'graphql';

import type { DefinitionLocation, ScannedMember, Span, TypeKind } from './location.ts';

/**
 * Schema text, and where in it every definition stands: all that the lazy schema needs to start with. In
 * place of a stretch of text there may be a syntax tree.
 *
 * A build step can make it ahead of time: see build-artefact.ts.
 */
export interface SchemaIndex {
  readonly text: string;
  /** Where in `text` each of the given typeDefs is; a document's is empty. */
  readonly sources: readonly Span[];
  /** In the order of their first definition; each name once. */
  readonly types: TypeEntries;
  /** Directive definitions; each name once. */
  readonly directives: readonly DefinitionLocation<DirectiveDefinitionNode>[];
  /** The `schema { … }` definition. */
  readonly schema?: DefinitionLocation;
  readonly schemaExtensions: readonly DefinitionLocation[];
  readonly roots: RootNames;
  /** The members of a definition in the text, where they are known; undefined: they must be looked for. */
  readonly members?: (at: DefinitionLocation) => readonly ScannedMember[] | undefined;
}

/** Types by their names: the part of a Map that is used. */
export type TypeEntries = Pick<ReadonlyMap<string, TypeEntry>, 'get' | 'has'> & {
  keys(): Iterable<string>;
  values(): Iterable<TypeEntry>;
};

/** Where a type is defined. */
export interface TypeEntry {
  readonly name: string;
  readonly kind: TypeKind;
  readonly at: DefinitionLocation;
  /** Extensions, and further definitions that add nothing but members. */
  readonly extensions: readonly DefinitionLocation[];
  /** The interfaces of the type and its extensions, each name once. */
  readonly interfaces: readonly string[];
}

/** The names of the root types. */
export interface RootNames {
  readonly query?: string;
  readonly mutation?: string;
  readonly subscription?: string;
}

/** Every part of a type in the order of the schema: its definition, then its extensions. */
export function partsOf(entry: TypeEntry): readonly DefinitionLocation[] {
  return [entry.at, ...entry.extensions];
}
