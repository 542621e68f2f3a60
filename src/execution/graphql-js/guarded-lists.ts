import { getNullableType, isLeafType, isNonNullType } from 'graphql';
import type { GraphQLOutputType } from 'graphql';

import { abandon, drainedWhenLeft, handleRejections, isOfCollection, isThenable } from '../promises.ts';
import type { Path } from '../plan/planned-field.ts';
import { isGraphQL17 } from './version.ts';

// Lists as graphql-js may have them: in such a form that it lets go of no promise of theirs. A rejection that nobody handles ends
// the process, and with it every other request in it.

/**
 * One after another, as they are asked for: what is iterated may be a generator without an end. It is read a little ahead, because it
 * may hold promises that have failed already, and graphql-js may never come to read them, or only when its client has read what is before.
 * What has an end, and is there already, is read at once. Of a generator this cannot be: its next item may be a call to a database,
 * and nobody sees what it holds. So a promise that it holds must be handled by its maker where it comes more than a hundred items later.
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
        // Not one by one from the front: of 100,000 items each would be moved as often.
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
            // graphql-js would read on, to the end.
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

/** The next item, or what the iterator throws in its place: told when it is taken. */
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
    // What it would have thrown is of no interest any more.
  }
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
  try {
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) all.push(take(step.value));
  } catch (error) {
    abandon(iterator.return?.());
    throw error;
  }
  return all;
}

/** Lists that a field stands in but for one: see sizeInLists. */
export function listsAround(path: Path | undefined): number {
  let lists = -1;
  for (let at = path; at !== undefined; at = at.prev) if (typeof at.key === 'number') lists++;
  return Math.max(0, lists);
}
