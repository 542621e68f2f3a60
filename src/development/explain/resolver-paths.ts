import { AsyncLocalStorage } from 'node:async_hooks';

import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema } from 'graphql';

import { wrapResolvers } from '../../execution/graphql-js/wrap-resolvers.ts';
import type { Around } from '../../execution/graphql-js/wrap-resolvers.ts';

/** Names and numbers from the root of the answer to a field. */
export type ResponsePath = readonly (string | number)[];

interface Link {
  readonly prev: Link | undefined;
  readonly key: string | number;
}

/** The path of the field that is being resolved, or undefined between fields; nothing outside of an explained operation. */
const current = new AsyncLocalStorage<{ readonly path: Link | undefined }>();

/** Runs an operation whose resolvers can be told apart. */
export function withResolverPaths<T>(run: () => T): T {
  return current.run({ path: undefined }, run);
}

/** The path of the field whose resolver has led here, through whatever it awaited. */
export function currentPath(): ResponsePath | undefined {
  let link = current.getStore()?.path;
  if (link === undefined) return undefined;
  const path: (string | number)[] = [];
  for (; link !== undefined; link = link.prev) path.unshift(link.key);
  return path;
}

/**
 * Makes the resolvers that an operation may call say where they are. Either executor reads a field's resolver anew at every
 * call, and outside of an explained operation a marked one only looks whether it is in one.
 */
export function markResolvers(schema: GraphQLSchema, document: DocumentNode): void {
  wrapResolvers(schema, document, marking);
}

const marking: Around = { resolve: (original) => marked(original as GraphQLFieldResolver<unknown, unknown>) };

function marked(resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> {
  return (source, values, contextValue, info) => {
    if (current.getStore() === undefined) return resolve(source, values, contextValue, info);
    return current.run({ path: info.path }, () => resolve(source, values, contextValue, info));
  };
}
