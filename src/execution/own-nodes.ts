import type { FieldNode } from 'graphql';

import type { PlannedField } from './plan/planned-field.ts';

/**
 * The arrays of nodes that one execution hands out: in `info.fieldNodes` and in the `nodes` of errors. A field has one array
 * in all of an execution, for every item of a list, and another one in the next: resolvers key their loaders by it, and may
 * write into it.
 *
 * Each array lies at its field, where it is found at once; when another execution gets there first meanwhile, here. So a plan keeps one of
 * these between executions, and nothing else of them.
 */
export class OwnNodes {
  /** Whether the execution asks no more: then nothing need be kept for it. */
  isOver = false;
  #displaced: Map<PlannedField, FieldNode[]> | undefined = undefined;

  of(field: PlannedField): FieldNode[] {
    if (field.nodesOwner === this) return field.ownNodes;
    return this.#displaced?.get(field) ?? this.#take(field);
  }

  #take(field: PlannedField): FieldNode[] {
    const { nodesOwner: owner, ownNodes } = field;
    if (owner !== undefined && !owner.isOver) (owner.#displaced ??= new Map()).set(field, ownNodes);
    field.nodesOwner = this;
    field.ownNodes = field.nodes.slice();
    return field.ownNodes;
  }
}
