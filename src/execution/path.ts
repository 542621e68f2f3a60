import type { GraphQLResolveInfo } from 'graphql';

/** Where a value stands in the response: a chain from the value up to the root, as resolvers get it in `info.path`. */
export type Path = GraphQLResolveInfo['path'];

/** The path of what stands below `prev`: a field of the type `typename`, or an item of a list (no type name). */
export function addPath(prev: Path | undefined, key: string | number, typename: string | undefined): Path {
  return { prev, key, typename };
}
