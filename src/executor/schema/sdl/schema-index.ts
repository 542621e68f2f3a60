import type { DirectiveDefinitionNode, DirectiveExtensionNode } from 'graphql';

import type { DefinitionLocation, Span, TypeKind } from './location.ts';

/** Schema text and the locations of all definitions. */
export interface SchemaIndex {
  readonly text: string;
  /** The spans of the given typeDefs in `text`; empty for documents. */
  readonly sources: readonly Span[];
  /** The types in the order of their first definition; each name once. */
  readonly types: ReadonlyMap<string, TypeEntry>;
  /** Directive definitions; each name once. */
  readonly directives: readonly DefinitionLocation<DirectiveDefinitionNode>[];
  readonly directiveExtensions: readonly DefinitionLocation<DirectiveExtensionNode>[];
  /** The `schema { … }` definition. */
  readonly schema?: DefinitionLocation;
  readonly schemaExtensions: readonly DefinitionLocation[];
  readonly roots: RootNames;
}

/** The locations of a type's definitions. */
export interface TypeEntry {
  readonly name: string;
  readonly kind: TypeKind;
  readonly at: DefinitionLocation;
  /** Extensions and further definitions. */
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

/** The definition of a type and its extensions. */
export function partsOf(entry: TypeEntry): readonly DefinitionLocation[] {
  return [entry.at, ...entry.extensions];
}
