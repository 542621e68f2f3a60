import { getNamedType, isAbstractType, isInterfaceType, isObjectType } from 'graphql';
import type { GraphQLNamedType } from 'graphql';

import type { Composite, Field, VisibleSchema } from './visible-schema.ts';

/** A way from the root of queries to a type: by the fields of `step` and of those before it. */
export interface Path {
  readonly type: GraphQLNamedType;
  readonly before: Path | undefined;
  /** The field of `before.type`. Undefined: the root, or `before` narrowed to one of its possible types. */
  readonly field: Field | undefined;
}

/** The most paths to a type. */
export const maxPaths = 5;

/** The shortest paths to each type, shortest first, by fields that `isAllowed`. A type condition counts as a step. No path visits a type twice. */
export function findPaths(
  visible: VisibleSchema,
  isAllowed: (type: Composite, field: Field) => boolean,
): ReadonlyMap<GraphQLNamedType, readonly Path[]> {
  const root = visible.schema.getQueryType()!;
  const found = new Map<GraphQLNamedType, Path[]>();
  const queue: Path[] = [];
  const add = (path: Path): void => {
    const known = found.get(path.type);
    if (known === undefined) found.set(path.type, [path]);
    else if (known.length < maxPaths) known.push(path);
    else return;
    queue.push(path);
  };
  if (visible.types.has(root)) add({ type: root, before: undefined, field: undefined });
  for (const path of queue) {
    const { type } = path;
    const next: Path[] = visible.possibleTypesOf(type).map((one) => ({ type: one, before: path, field: undefined }));
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of visible.fieldsOf(type).values()) {
        const named = getNamedType(field.type);
        if ((isObjectType(named) || isAbstractType(named)) && isAllowed(type, field)) next.push({ type: named, before: path, field });
      }
    for (const one of next) if (!visits(path, one.type)) add(one);
  }
  return found;
}

function visits(path: Path | undefined, type: GraphQLNamedType): boolean {
  for (let at = path; at !== undefined; at = at.before) if (at.type === type) return true;
  return false;
}

/** For example `Query.search.nodes[Issue]`, where `[Issue]` stands for `... on Issue`. */
export function textOf({ type, before, field }: Path): string {
  if (before === undefined) return type.name;
  return textOf(before) + (field === undefined ? `[${type.name}]` : `.${field.name}`);
}
