import type { GraphQLResolveInfo } from 'graphql';

/** `info.path`: a linked list from a value up to the root. */
export type Path = GraphQLResolveInfo['path'];

/** The path of a field of the type `typename`, or of a list item (no type name). */
export function addPath(prev: Path | undefined, key: string | number, typename: string | undefined): Path {
  return { prev, key, typename };
}
