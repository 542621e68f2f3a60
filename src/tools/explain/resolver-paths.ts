import { AsyncLocalStorage } from 'node:async_hooks';

import type { DocumentNode, GraphQLFieldResolver, GraphQLSchema } from 'graphql';

import { wrapResolvers } from '../../executor/index.ts';
import type { Around } from '../../executor/index.ts';

/** The keys and indexes from the root of the response to a field. */
export type ResponsePath = readonly (string | number)[];

interface Link {
  readonly prev: Link | undefined;
  readonly key: string | number;
}

/** The path of the field that is being resolved, or undefined between fields. No store outside of an explained operation. */
const current = new AsyncLocalStorage<{ readonly path: Link | undefined }>();

/** Runs an operation in which `currentPath` identifies the running resolver. */
export function withResolverPaths<T>(run: () => T): T {
  return current.run({ path: undefined }, run);
}

/** The path of the field whose resolver is running, also after it has awaited something. */
export function currentPath(): ResponsePath | undefined {
  let link = current.getStore()?.path;
  if (link === undefined) return undefined;
  const path: (string | number)[] = [];
  for (; link !== undefined; link = link.prev) path.unshift(link.key);
  return path;
}

/**
 * Wraps the resolvers that an operation may call, so that they set the current path. Both executors read a field's resolver at
 * each call; outside of an explained operation, a wrapped resolver only checks for a store.
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
