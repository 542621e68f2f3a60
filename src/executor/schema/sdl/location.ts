import type { DefinitionNode } from 'graphql';

/** A range of schema text; `end` is exclusive. A definition's span includes its description. */
export type Span = readonly [start: number, end: number];

/** A definition in the text, or as a syntax tree if the user passed one. */
export type DefinitionLocation<Node extends object = DefinitionNode> = Span | Node;

export function isParsed<Node extends object>(place: DefinitionLocation<Node>): place is Node {
  return !Array.isArray(place);
}

export type DefinitionKind = TypeKind | 'schema' | 'directive';

export type TypeKind = 'type' | 'interface' | 'union' | 'enum' | 'input' | 'scalar';

/** One definition or extension, in the text or in a document. */
export interface FoundDefinition<At extends DefinitionLocation = DefinitionLocation> {
  readonly kind: DefinitionKind;
  /** Empty for `schema`. */
  readonly name: string;
  readonly extends: boolean;
  readonly at: At;
  /** Names after `implements`. */
  readonly interfaces: readonly string[];
}

/** A field, input field or enum value in the text of a type. */
export interface ScannedMember {
  readonly name: string;
  readonly at: Span;
}
