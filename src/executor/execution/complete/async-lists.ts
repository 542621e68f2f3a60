import { locate } from './errors.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { Pending, PendingContainer } from '../pending.ts';
import { sizeOfRead } from '../plan/planned-field.ts';
import { abandon } from '../promises.ts';

/** True for lists that graphql 17 iterates asynchronously; 16 does not support them. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === 'function';
}

/** Completes the items as they arrive. */
export function completeAsyncIterable(list: ListRun, items: AsyncIterable<unknown>): Pending {
  const pending = new AsyncList(list);
  void pending.fillFrom(items);
  return pending;
}

class AsyncList extends PendingContainer {
  readonly #list: ListRun;
  #iterator: AsyncIterator<unknown> | undefined = undefined;
  #ended = false;
  #itemFailure: { readonly error: unknown } | undefined = undefined;

  constructor(list: ListRun) {
    super(list.fieldRun.run, []);
    this.run.awaitsPromises = true;
    this.#list = list;
  }

  async fillFrom(items: AsyncIterable<unknown>): Promise<void> {
    try {
      const iterator = items[Symbol.asyncIterator]();
      this.#iterator = iterator;
      for (let index = 0; ; index++) {
        let step: IteratorResult<unknown>;
        try {
          step = await iterator.next();
        } catch (error) {
          throw locate(error, this.#list);
        }
        if (step.done === true) break;
        if (this.isOver()) {
          abandon(step.value);
          void this.#close();
          return;
        }
        this.#put(index, step.value);
      }
    } catch (error) {
      void this.#close();
      super.fail(error);
      return;
    }
    this.#ended = true;
    if (this.#itemFailure === undefined) this.filled();
    else super.fail(this.#itemFailure.error);
  }

  /** As in graphql-js, a rejected item makes the list null when the source has ended: an error of the source takes precedence. */
  override fail(error: unknown): void {
    if (this.#ended) super.fail(error);
    else this.#itemFailure ??= { error };
  }

  /** An unfinished list fails as a whole: otherwise the client could not see that items are missing. */
  override stopWaiting(reason: unknown): void {
    if (this.#ended) {
      super.stopWaiting(reason);
      return;
    }
    void this.#close();
    super.fail(reason);
  }

  /** Lets the source clean up, once. Its errors are ignored. */
  async #close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    try {
      await iterator?.return?.();
    } catch {
      // Ignored.
    }
  }

  #put(index: number, item: unknown): void {
    this.#list.fieldRun.run.grow(sizeOfRead);
    const value = completeItem(this.#list, item, index);
    if (value instanceof Pending) this.waitFor(value, index);
    else this.result[index] = value;
  }
}
