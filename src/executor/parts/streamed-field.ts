import { GraphQLError, Kind } from 'graphql';

import { closeSource, completeAsyncIterable, isAsyncIterable } from '../run/shapes/async-lists.ts';
import { ListRun } from '../run/shapes/items.ts';
import { completeItems } from '../run/shapes/lists.ts';
import type { ListShape } from '../run/shapes/lists.ts';
import type { PlannedField, Position, Shape, Streaming } from '../plan/planned-field.ts';
import type { Run } from '../run/run.ts';
import { laterOf } from './later.ts';
import { ReadAhead } from './read-ahead.ts';
import { StreamedList } from './streamed-list.ts';
import type { StreamUsage } from './usage.ts';

/** A list field with `@stream`: its first items are part of the object, each other one is delivered when it is complete. */
export class StreamedField implements Streaming {
  readonly #usage: StreamUsage;
  /** The field of the items that follow, which belong to no deferred fragment. */
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
    const isStreamed = !(Array.isArray(value) && value.length < count) && run.budget.takeParts(1);
    if (isAsync) {
      const follower = isStreamed ? { count, follow: (iterator: AsyncIterator<unknown>) => follow(iterator, true) } : undefined;
      return completeAsyncIterable(list, value, follower);
    }
    if (!isStreamed) return completeItems(list, value);
    if (Array.isArray(value)) {
      const items = completeItems(list, value.slice(0, count));
      follow(new ReadAhead(value.slice(count)[Symbol.iterator]()), false);
      return items;
    }
    const first = new FirstItems(value[Symbol.iterator](), count);
    try {
      const items = completeItems(list, first);
      if (first.isFull) follow(new ReadAhead(first.iterator), false);
      return items;
    } catch (error) {
      if (first.isFull) closeSource(first.iterator, position.fieldRun.run.settings.invocation);
      throw error;
    }
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

interface Following {
  readonly position: Position;
  readonly item: Shape;
  readonly count: number;
  readonly iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly isAsync: boolean;
}

/** The first items of an iterable that is read on later. */
class FirstItems implements Iterable<unknown> {
  readonly iterator: Iterator<unknown>;
  readonly #count: number;
  #read = 0;
  #ended = false;

  constructor(iterator: Iterator<unknown>, count: number) {
    this.iterator = iterator;
    this.#count = count;
  }

  /** True if further items may follow. */
  get isFull(): boolean {
    return this.#read === this.#count && !this.#ended;
  }

  [Symbol.iterator](): Iterator<unknown> {
    return {
      next: () => {
        if (this.#read === this.#count) return { done: true, value: undefined };
        const step = this.iterator.next();
        if (step.done === true) this.#ended = true;
        else this.#read++;
        return step;
      },
      return: () => {
        this.#ended = true;
        return this.iterator.return?.() ?? { done: true, value: undefined };
      },
    };
  }
}
