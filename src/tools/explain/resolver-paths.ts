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
  readonly note: NoteResolver;
}

/** Called when a resolver is called. Returns the function to call when it has ended. */
type NoteResolver = (call: ResolverCall) => () => void;

/** A call of a resolver of the schema. Default resolvers are not noted. */
export interface ResolverCall {
  /** The path of the field, without the indexes of lists. */
  readonly path: ResponsePath;
  /** The number of parents of a batched resolver; undefined for others. */
  readonly parents: number | undefined;
}

/** Runs an operation in which `currentPath` identifies the running resolver. */
export function withResolverPaths<T>(note: NoteResolver, run: () => T): T {
  return current.run({ path: undefined, note }, run);
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

/** Sets the current path while a resolver runs, and notes the resolvers of the schema. */
export const pathObserver: ExecutionObserver = {
  field: ({ path, parents, definition }, resolve) => {
    const store = current.getStore();
    if (store === undefined) return resolve();
    const run = (): unknown => current.run({ ...store, path }, resolve);
    if (definition.resolve === undefined) return run();
    return untilEnd(run, store.note({ path: keysOf(path).filter((key) => typeof key === 'string'), parents }));
  },
};

/** Calls `end` when the result is there. A thenable that is no promise may be a query, which runs each time it is awaited: it ends at once. */
function untilEnd(run: () => unknown, end: () => void): unknown {
  let value: unknown;
  try {
    value = run();
    return value;
  } finally {
    if (value instanceof Promise) value.then(end, end);
    else end();
  }
}
