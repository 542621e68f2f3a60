import type { FieldNode } from 'graphql';

/** Never handed out. */
export const noNodes: FieldNode[] = [];

/** A planned field, as far as its nodes go. */
export interface NodesHolder {
  /** Those of the plan are never handed out. */
  copyNodes(): FieldNode[];
  /** The copy of the execution that used the field last, and whose it is. */
  ownNodes: FieldNode[];
  nodesOwner: OwnNodes | undefined;
}

/**
 * The arrays of nodes that one execution hands out: in `info.fieldNodes` and in the `nodes` of errors. A field has one array
 * in all of an execution, for every item of a list, and another one in the next: resolvers key their loaders by it, and may
 * write into it.
 *
 * That of the first field is here: most operations have no other, and to write into a plan, which is old, costs ten times as much as into
 * what the execution has just made. Each other one lies at its field, where it is found at once; when another execution gets there first
 * meanwhile, here, too. So a plan keeps one of these between executions, and nothing else of them.
 */
export class OwnNodes {
  /** True when the execution asks no more: then nothing need be kept for it. */
  isOver = false;
  #first: NodesHolder | undefined = undefined;
  #nodesOfFirst: FieldNode[] = noNodes;
  #displaced: Map<NodesHolder, FieldNode[]> | undefined = undefined;

  of(field: NodesHolder): FieldNode[] {
    if (field === this.#first) return this.#nodesOfFirst;
    if (field.nodesOwner === this) return field.ownNodes;
    return this.#displaced?.get(field) ?? this.#take(field);
  }

  #take(field: NodesHolder): FieldNode[] {
    if (this.#first === undefined) {
      this.#first = field;
      this.#nodesOfFirst = field.copyNodes();
      return this.#nodesOfFirst;
    }
    const { nodesOwner: owner, ownNodes } = field;
    if (owner !== undefined && !owner.isOver) (owner.#displaced ??= new Map()).set(field, ownNodes);
    field.nodesOwner = this;
    field.ownNodes = field.copyNodes();
    return field.ownNodes;
  }
}
