import { getNullableType, isLeafType, isNonNullType } from 'graphql';
import type { GraphQLOutputType } from 'graphql';

import { abandon, drainedWhenLeft, handleRejections, isThenable } from '../promises.ts';
import type { Path } from '../plan/planned-field.ts';
import { isGraphQL17 } from './version.ts';

// Lists as graphql-js may have them: in such a form that it lets go of no promise of theirs. A rejection that nobody handles ends
// the process, and with it every other request in it.

/** One after another, as they are asked for: what is iterated may be a generator. */
export function* each(items: Iterable<unknown>, watch: (item: unknown) => unknown): Generator {
  for (const item of drainedWhenLeft(items)) yield watch(item);
}

/** All items. Told of each, so that a list without an end comes to one. */
export function gathered(items: Iterable<unknown>, onItem: () => void): unknown[] {
  const all: unknown[] = [];
  try {
    for (const item of drainedWhenLeft(items)) {
      all.push(item);
      onItem();
    }
  } catch (error) {
    abandon(all);
    throw error;
  }
  handleRejections(all);
  return all;
}

/** Maps each item. Where one fails, the others are abandoned. */
export function mapped(items: readonly unknown[], watch: (item: unknown) => unknown): unknown[] {
  try {
    return items.map(watch);
  } catch (error) {
    abandon(items);
    throw error;
  }
}

/**
 * graphql 16 leaves a list at the first item that fails at once where null is not allowed, and lets go of the items before it that
 * it was waiting for. Here none fails at once: each is waited for.
 */
export function allOrNone(items: unknown[], type: GraphQLOutputType | undefined): unknown[] {
  if (isGraphQL17 || !isNonNullType(type)) return items;
  if (isLeafType(getNullableType(type)) && !items.some(isThenable)) return items;
  return items.map((item) => (isThenable(item) ? item : Promise.resolve(item)));
}

/** All items of a list that comes bit by bit, each as `take` returns it when it comes. */
export async function collect(iterator: AsyncIterator<unknown>, take: (item: unknown) => unknown): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) all.push(take(step.value));
  return all;
}

/** Lists that a field stands in but for one: see sizeInLists. */
export function listsAround(path: Path | undefined): number {
  let lists = -1;
  for (let at = path; at !== undefined; at = at.prev) if (typeof at.key === 'number') lists++;
  return Math.max(0, lists);
}
