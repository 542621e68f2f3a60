import { AsyncLocalStorage } from 'node:async_hooks';

import type { ExecutionObserver } from '../../executor/index.ts';

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
  readonly noteBatch: NoteBatch;
}

/** Called when a batched resolver is called, with the number of its parents. */
type NoteBatch = (path: ResponsePath, parents: number) => void;

/** Runs an operation in which `currentPath` identifies the running resolver. */
export function withResolverPaths<T>(noteBatch: NoteBatch, run: () => T): T {
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

/** Sets the current path while a resolver runs, and notes the calls of batched resolvers. */
export const pathObserver: ExecutionObserver = {
  field: ({ path, parents }, resolve) => {
    const store = current.getStore();
    if (store === undefined) return resolve();
    if (parents !== undefined) store.noteBatch(keysOf(path), parents);
    return current.run({ ...store, path }, resolve);
  },
};
