import type { FragmentDefinitionNode, GraphQLResolveInfo } from 'graphql';

import { abandon } from './promises.ts';

/** `never` with the types of graphql 16, which has no async helpers. */
export type AsyncHelpers = GraphQLResolveInfo extends { readonly getAsyncHelpers: () => infer Helpers } ? Helpers : never;

/** The result of `info.getAsyncHelpers()`. `track` only handles rejections: graphql-js tracks for a hook that plans do not run. */
export function createAsyncHelpers(): AsyncHelpers {
  return {
    promiseAll: (values) => {
      const all = Promise.all(values);
      all.then(undefined, () => abandon(values));
      return all as Promise<Awaited<(typeof values)[number]>[]>;
    },
    track: (values) => abandon(values),
  };
}

/** `info.fragments`. */
export function fragmentsByName(fragments: readonly FragmentDefinitionNode[]): Record<string, FragmentDefinitionNode> {
  const record = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const fragment of fragments) record[fragment.name.value] = fragment;
  return record;
}
