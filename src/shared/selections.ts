import { Kind } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionNode } from 'graphql';

/** The fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])));
}

/** The selections for the root object of an operation, with those of its fragments, whatever their conditions. Each fragment counts once. */
export function rootSelections(document: DocumentNode, { selectionSet }: OperationDefinitionNode): readonly SelectionNode[] {
  const fragments = fragmentsOf(document);
  const sets = new Set([selectionSet]);
  // A set that is added during the loop has its turn, too.
  for (const { selections } of sets)
    for (const selection of selections)
      if (selection.kind !== Kind.FIELD)
        sets.add((selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!).selectionSet);
  return [...sets].flatMap(({ selections }) => selections);
}
