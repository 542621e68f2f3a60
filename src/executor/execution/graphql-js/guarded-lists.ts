import { getNullableType, isLeafType, isNonNullType } from 'graphql';
import type { GraphQLOutputType } from 'graphql';

import { abandon, drainedWhenLeft, handleRejections, isOfCollection } from '../promises.ts';
import type { Path } from '../plan/path.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { isPromiseLike } from '../../../shared/index.ts';

// Lists for graphql-js, which does not handle all of their promises: an unhandled rejection would end the process.

/**
 * Maps an iterable lazily. It is read up to a hundred items ahead, to handle rejections of promises that graphql-js reads later or
 * never; arrays, maps and sets are read at once. A generator may be infinite, and reading it may have side effects.
 */
export function each(items: Iterable<unknown>, watch: (item: unknown) => unknown): Iterable<unknown> {
  return {
    [Symbol.iterator]: () => {
      const source = items[Symbol.iterator]();
      const iterator = drainedWhenLeft({ [Symbol.iterator]: () => source })[Symbol.iterator]();
      const most = isOfCollection(source) ? Infinity : maxAhead;
      let ahead: (() => IteratorResult<unknown>)[] = [];
      let taken = 0;
      let isOver = false;
      const read = (): void => {
        while (!isOver && ahead.length - taken < most) {
          const step = stepOf(iterator);
          isOver = step.isLast;
          ahead.push(step.take);
        }
      };
      const take = (): IteratorResult<unknown> => {
        const step = ahead[taken++]?.() ?? over;
        // Not `shift`, which would move all items each time.
        if (taken === maxTaken) [ahead, taken] = [ahead.slice(taken), 0];
        return step;
      };
      const close = (): IteratorResult<unknown> => {
        for (const left of ahead.splice(taken)) leave(left);
        if (!isOver) iterator.return?.();
        isOver = true;
        return over;
      };
      read();
      return {
        next: () => {
          read();
          const step = take();
          if (step.done === true) return step;
          try {
            return { done: false, value: watch(step.value) };
          } catch (error) {
            // graphql-js would read to the end.
            close();
            throw error;
          }
        },
        return: close,
      };
    },
  };
}

const maxAhead = 100;
const maxTaken = 1_000;
const over: IteratorResult<unknown> = { done: true, value: undefined };

/** The next step of an iterator. `take` throws the error of the iterator. */
function stepOf(iterator: Iterator<unknown>): { readonly isLast: boolean; readonly take: () => IteratorResult<unknown> } {
  try {
    const step = iterator.next();
    handleRejections(step.value);
    return { isLast: step.done === true, take: () => step };
  } catch (error) {
    const take = (): never => {
      throw error;
    };
    return { isLast: true, take };
  }
}

function leave(take: () => IteratorResult<unknown>): void {
  try {
    abandon(take().value);
  } catch {
    // Ignored: the list is no longer needed.
  }
}

/** All items. `onItem` may throw, to stop infinite lists. An error is thrown again when graphql-js reads the items. */
export function readAll(items: Iterable<unknown>, onItem: () => void): unknown[] | Iterable<unknown> {
  const all: unknown[] = [];
  try {
    for (const item of drainedWhenLeft(items)) {
      all.push(item);
      onItem();
    }
  } catch (error) {
    abandon(all);
    // Fails the list at this position, not the lists around it.
    return {
      [Symbol.iterator]: () => {
        throw error;
      },
    };
  }
  handleRejections(all);
  return all;
}

/** Maps each item. If one fails, the others are abandoned. */
export function mapItems(items: readonly unknown[], watch: (item: unknown) => unknown): unknown[] {
  try {
    return items.map(watch);
  } catch (error) {
    abandon(items);
    throw error;
  }
}

/** Makes all items asynchronous: graphql 16 drops pending items when a non-null item fails synchronously. */
export function asPromises(items: unknown[], type: GraphQLOutputType | undefined): unknown[] {
  if (isGraphQL17 || !isNonNullType(type)) return items;
  if (isLeafType(getNullableType(type)) && !items.some(isPromiseLike)) return items;
  return items.map((item) => (isPromiseLike(item) ? item : Promise.resolve(item)));
}

/** All items of an asynchronous iterator, mapped by `take`. */
export async function collect(iterator: AsyncIterator<unknown>, take: (item: unknown) => unknown): Promise<unknown[]> {
  const all: unknown[] = [];
  try {
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) all.push(take(step.value));
  } catch (error) {
    abandon(iterator.return?.());
    throw error;
  }
  return all;
}

/** Number of lists around a field, less one: see sizeInLists. */
export function listsAround(path: Path | undefined): number {
  let lists = -1;
  for (let at = path; at !== undefined; at = at.prev) if (typeof at.key === 'number') lists++;
  return Math.max(0, lists);
}
