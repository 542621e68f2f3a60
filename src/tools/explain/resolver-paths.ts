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
const current = new AsyncLocalStorage<RunningResolver>();

interface RunningResolver {
  readonly path: Link | undefined;
  readonly noteBatch: (batch: BatchedCall) => void;
}

/** A call of a batched resolver. */
export interface BatchedCall {
  /** Without the indexes of lists. */
  readonly path: ResponsePath;
  readonly parents: number;
}

/** Runs an operation in which `currentPath` identifies the running resolver. */
export function withResolverPaths<T>(noteBatch: (batch: BatchedCall) => void, run: () => T): T {
  return current.run({ path: undefined, noteBatch }, run);
}

/** The path of the field whose resolver is running, also after it has awaited something. */
export function currentPath(): ResponsePath | undefined {
  const link = current.getStore()?.path;
  return link && keysOf(link);
}

function keysOf(last: Link): ResponsePath {
  const path: (string | number)[] = [];
  for (let link: Link | undefined = last; link !== undefined; link = link.prev) path.unshift(link.key);
  return path;
}

/**
 * Wraps the resolvers that an operation may call, so that they set the current path. Both executors read a field's resolver at
 * each call; outside of an explained operation, a wrapped resolver only checks for a store.
 */
export function markResolvers(schema: GraphQLSchema, document: DocumentNode): void {
  wrapResolvers(schema, document, marking);
}

const marking: Around = { resolve: (original, isBatched) => marked(original as GraphQLFieldResolver<unknown, unknown>, isBatched) };

function marked(resolve: GraphQLFieldResolver<unknown, unknown>, isBatched: boolean): GraphQLFieldResolver<unknown, unknown> {
  return (source, values, contextValue, info) => {
    const store = current.getStore();
    if (store === undefined) return resolve(source, values, contextValue, info);
    const { path } = info;
    if (isBatched) store.noteBatch({ path: keysOf(path), parents: (source as readonly unknown[]).length });
    return current.run({ ...store, path }, () => resolve(source, values, contextValue, info));
  };
}
