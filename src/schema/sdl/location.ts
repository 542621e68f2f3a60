import type { DefinitionNode } from 'graphql';

/** A stretch of schema text: from `start` up to, not including, `end`. A definition's span includes its description. */
export type Span = readonly [start: number, end: number];

/** Where something is defined: in the text, or in a syntax tree, when the user gave one or merging made one. */
export type DefinitionLocation<Node extends object = DefinitionNode> = Span | Node;

/** True when a place is the syntax tree itself. */
export function isParsed<Node extends object>(place: DefinitionLocation<Node>): place is Node {
  return !Array.isArray(place);
}
