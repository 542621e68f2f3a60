import { Kind } from 'graphql';
import type { FragmentDefinitionNode, SelectionNode, SelectionSetNode } from 'graphql';

/**
 * How deep the braces of a selection set nest when its fragments are written out. Everything that walks a document calls
 * itself for every level, validators and executors alike, and 1,800 fragments that each spread the next one fit into
 * 15,000 tokens: enough to exhaust the stack of some. Circular fragments nest without end.
 */
export class FragmentNesting {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #limit: number;
  readonly #known = new Map<string, number>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, limit: number) {
    this.#fragments = fragments;
    this.#limit = limit;
  }

  /** Infinity when it is more than the limit, where this function stops: it calls itself, too. Each fragment is walked once. */
  of(selectionSet: SelectionSetNode, level = 1): number {
    if (level > this.#limit) return Infinity;
    let deepest = 0;
    for (const selection of selectionSet.selections) deepest = Math.max(deepest, this.#within(selection, level + 1));
    return deepest + 1 > this.#limit ? Infinity : deepest + 1;
  }

  #within(selection: SelectionNode, level: number): number {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection.selectionSet === undefined ? 0 : this.of(selection.selectionSet, level);
    const name = selection.name.value;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    const nesting = fragment === undefined ? 0 : this.of(fragment.selectionSet, level);
    this.#known.set(name, nesting);
    return nesting;
  }
}
