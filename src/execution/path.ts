import type { GraphQLResolveInfo } from 'graphql';

/** Where a value stands in the response: a chain from the value up to the root, as resolvers get it in `info.path`. */
export type Path = GraphQLResolveInfo['path'];

/** The path of what stands below `prev`: a field of the type `typename`, or an item of a list (no type name). */
export function addPath(prev: Path | undefined, key: string | number, typename: string | undefined): Path {
  return { prev, key, typename };
}

/** The path of the field that a list item belongs to: `info` tells of fields, also where an item is being completed. */
export function fieldPathOf(path: Path): Path {
  let at = path;
  while (typeof at.key === 'number' && at.prev !== undefined) at = at.prev;
  return at;
}
