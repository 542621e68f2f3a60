import { GraphQLError, Kind } from 'graphql';

import { completeAsyncIterable, isAsyncIterable } from '../run/shapes/async-lists.ts';
import { ListRun } from '../run/shapes/items.ts';
import { completeItems } from '../run/shapes/lists.ts';
import type { ListShape } from '../run/shapes/lists.ts';
import type { PlannedField, Position, Shape, Streaming } from '../plan/planned-field.ts';
import type { Run } from '../run/run.ts';
import { drainedWhenLeft, handleRejections } from '../run/unhandled-rejections.ts';
import { sizeOfRead } from '../costs.ts';
import { laterOf, sizeOfPath, StreamedList } from './later.ts';
import type { StreamOrigin } from './later.ts';
import type { StreamUsage } from './usage.ts';

/** A list field with `@stream`. The first items arrive with the object; each further item is delivered when it is complete. */
export class StreamedField implements Streaming {
  readonly #usage: StreamUsage;
  /** The planned field for the further items, which belong to no deferred fragment. */
  readonly #items: PlannedField;

  constructor(usage: StreamUsage, items: PlannedField) {
    this.#usage = usage;
    this.#items = items;
  }

  complete(position: Position, item: Shape, value: Iterable<unknown> | AsyncIterable<unknown>): unknown {
    const { run } = position.fieldRun;
    const count = this.#initialCount(run);
    const list = new ListRun(position, item);
    const follow = (iterator: Iterator<unknown> | AsyncIterator<unknown>, ofAsync: boolean): void => {
      this.#follow({ position, item: (this.#items.shape as ListShape).item, count, iterator, isAsync: ofAsync });
    };
    const isAsync = !Array.isArray(value) && isAsyncIterable(value);
    const isStreamed = !(Array.isArray(value) && value.length < count) && run.budget.takeParts(1, sizeOfPath(position.path));
    if (isAsync) {
      const follower = isStreamed ? { count, follow: (iterator: AsyncIterator<unknown>) => follow(iterator, true) } : undefined;
      return completeAsyncIterable(list, value, follower);
    }
    if (!isStreamed) return completeItems(list, value);
    const { items, error } = readAll(run, value);
    // An error before the first streamed item is an error of the field.
    if (error !== undefined && items.length < count) return completeItems(list, itemsOf(items, error));
    const first = completeItems(list, items.slice(0, count));
    if (error !== undefined || items.length >= count) follow(itemsOf(items.slice(count), error), false);
    return first;
  }

  #initialCount(run: Run): number {
    const { directive } = this.#usage;
    const value = directive.arguments?.find(({ name }) => name.value === 'initialCount')?.value;
    let count: unknown = 0;
    if (value?.kind === Kind.INT) count = Number(value.value);
    else if (value?.kind === Kind.VARIABLE) count = run.coerced[value.name.value] ?? 0;
    if (typeof count === 'number' && count >= 0) return count;
    throw new GraphQLError(`Expected initialCount of @stream to be 0 or more, got ${String(count)}.`, {
      extensions: { code: 'BAD_USER_INPUT' },
    });
  }

  #follow({ position, item, count, iterator, isAsync }: Following): void {
    const { run, path } = position.fieldRun;
    const stream = new StreamedList(run, { label: this.#usage.label, field: this.#items, item, path, count, iterator, isAsync });
    laterOf(run.part).lists.push(stream);
  }
}

interface Following extends Pick<StreamOrigin, 'item' | 'count' | 'iterator' | 'isAsync'> {
  readonly position: Position;
}

/** The items of an iterable, up to its error. They are read at once, because an unhandled rejection of one of them would end the process. */
function readAll(
  run: Run,
  value: Iterable<unknown>,
): { readonly items: readonly unknown[]; readonly error?: { readonly thrown: unknown } } {
  const items: unknown[] = [];
  try {
    const isArray = Array.isArray(value);
    for (const item of isArray ? value : drainedWhenLeft(value)) {
      if (!isArray) run.budget.growByContainer(sizeOfRead);
      handleRejections(item);
      items.push(item);
    }
  } catch (thrown) {
    if (run.root.endedBy !== undefined) throw thrown;
    return { items, error: { thrown } };
  }
  return { items };
}

function* itemsOf(items: readonly unknown[], error: { readonly thrown: unknown } | undefined): Generator {
  yield* items;
  if (error !== undefined) throw error.thrown;
}
