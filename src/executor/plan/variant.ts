import type { FieldNode, GraphQLObjectType } from 'graphql';

import { getOrCreate } from '../../shared/index.ts';
import type { CollectFields, Selection } from './planned-field.ts';

/** The fields of an operation for one set of conditions. */
export class Variant {
  readonly collect: CollectFields;
  root: Selection | undefined = undefined;
  /** Selections by type and first node, wherever the field is: an interface with 30 types below another with 30 has 60 selections, not 930. */
  readonly #selections = new Map<GraphQLObjectType, Map<FieldNode, Selection>>();

  constructor(collect: CollectFields) {
    this.collect = collect;
  }

  find(type: GraphQLObjectType, nodes: readonly FieldNode[]): Selection | undefined {
    let known = this.#selections.get(type)?.get(nodes[0]!);
    while (known !== undefined && !areSame(known.nodes, nodes)) known = known.next;
    return known;
  }

  add(selection: Selection): Selection {
    const ofType = getOrCreate(this.#selections, selection.type, () => new Map<FieldNode, Selection>());
    const [first] = selection.nodes;
    selection.next = ofType.get(first!);
    ofType.set(first!, selection);
    return selection;
  }
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
