import type { DefinitionNode } from 'graphql';

/** A stretch of schema text: from `start` up to, not including, `end`. A definition's span includes its description. */
export type Span = readonly [start: number, end: number];

/** Where something is defined: in the text, or in a syntax tree, when the user gave one or merging made one. */
export type DefinitionLocation<Node extends object = DefinitionNode> = Span | Node;

/** True when a place is the syntax tree itself. */
export function isParsed<Node extends object>(place: DefinitionLocation<Node>): place is Node {
  return !Array.isArray(place);
}

/** The kinds of definitions, by their keyword in the text. */
export type DefinitionKind = TypeKind | 'schema' | 'directive';

/** The kinds of types, by their keywords. */
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
  /** Neither a description nor directives: nothing but members to merge with another definition of the name. */
  readonly bare: boolean;
}

/** A field, input field or enum value in the text of a type. */
export interface ScannedMember {
  readonly name: string;
  readonly at: Span;
}
