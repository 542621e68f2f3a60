import { locate } from './errors.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { Pending, PendingContainer } from '../pending.ts';
import { sizeOfRead } from '../plan/planned-field.ts';
import { abandon } from '../promises.ts';

/** True when graphql 17 would iterate this asynchronously; 16 does not know such lists. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === 'function';
}

/** Completes the items as they come, one `next()` after another. */
export function completeAsyncIterable(list: ListRun, items: AsyncIterable<unknown>): Pending {
  const pending = new AsyncList(list);
  void pending.fillFrom(items);
  return pending;
}

// Turns from an error to the position of the list: through the promise of all items, or out of the loop itself.
const itemsLag = 3;
const loopLag = 1;

class AsyncList extends PendingContainer {
  readonly #list: ListRun;
  #iterator: AsyncIterator<unknown> | undefined = undefined;
  #ended = false;
  #earlyFailure: { readonly index: number; readonly error: unknown } | undefined = undefined;

  constructor(list: ListRun) {
    super(list.fieldRun.run, [], itemsLag);
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
          this.#close();
          return;
        }
        this.#put(index, step.value);
      }
    } catch (error) {
      this.#close();
      this.lag += loopLag - itemsLag;
      super.childFailed(error, this.key);
      return;
    }
    this.#ended = true;
    if (this.#earlyFailure === undefined) this.filled();
    else super.childFailed(this.#earlyFailure.error, this.key);
  }

  /** Items that failed by a promise are heard of when the list has ended, the first in the list first, as in graphql-js. */
  override childFailed(error: unknown, key: string | number): void {
    const index = Number(key);
    if (this.#ended) super.childFailed(error, key);
    else if (this.#earlyFailure === undefined || index < this.#earlyFailure.index) this.#earlyFailure = { index, error };
  }

  /** A list of unknown length is not answered by half: its reader could not tell. */
  override endWait(reason: unknown): void {
    if (this.#ended) {
      super.endWait(reason);
      return;
    }
    this.#close();
    super.childFailed(reason, this.key);
  }

  /** Lets the source clean up, once. */
  #close(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    void close(iterator);
  }

  #put(index: number, item: unknown): void {
    this.#list.fieldRun.run.grow(sizeOfRead);
    const value = completeItem(this.#list, item, index);
    if (value instanceof Pending) this.waitFor(value, index);
    else this.result[index] = value;
  }
}

/** Lets a source clean up. What it says about that is of no interest any more. */
async function close(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The list has ended already.
  }
}
