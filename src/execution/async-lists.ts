import { locate } from './errors.ts';
import { completeItem } from './items.ts';
import type { Path } from './path.ts';
import { Pending, PendingContainer } from './pending.ts';
import type { PlannedField, Shape } from './planned-field.ts';
import type { Run } from './run.ts';

/** Whether graphql 17 would iterate this asynchronously; 16 does not know such lists. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === 'function';
}

/** Completes the items as they come, one `next()` after another. */
export function completeAsyncIterable(run: Run, field: PlannedField, shape: Shape, items: AsyncIterable<unknown>, path: Path): Pending {
  const list = new AsyncList(run, field, shape, path);
  void list.fillFrom(items);
  return list;
}

// Turns from an error to the position of the list: through the promise of all items, or out of the loop itself.
const itemsLag = 3;
const loopLag = 1;

class AsyncList extends PendingContainer {
  readonly #field: PlannedField;
  readonly #item: Shape;
  readonly #path: Path;
  #ended = false;
  #earlyError: unknown = undefined;

  constructor(run: Run, field: PlannedField, item: Shape, path: Path) {
    super(run, [], itemsLag);
    this.#field = field;
    this.#item = item;
    this.#path = path;
  }

  async fillFrom(items: AsyncIterable<unknown>): Promise<void> {
    let iterator: AsyncIterator<unknown> | undefined;
    try {
      iterator = items[Symbol.asyncIterator]();
      for (let index = 0; ; index++) {
        let step: IteratorResult<unknown>;
        try {
          step = await iterator.next();
        } catch (error) {
          throw locate(error, this.#field, this.#path);
        }
        if (step.done === true) break;
        if (this.isOver()) return void close(iterator);
        this.#put(index, step.value);
      }
    } catch (error) {
      void close(iterator);
      this.lag += loopLag - itemsLag;
      super.childFailed(error);
      return;
    }
    this.#ended = true;
    if (this.#earlyError === undefined) this.filled();
    else super.childFailed(this.#earlyError);
  }

  /** An item that failed by a promise is heard of when the list has ended, as in graphql-js. */
  override childFailed(error: unknown): void {
    if (this.#ended) super.childFailed(error);
    else this.#earlyError ??= error;
  }

  #put(index: number, item: unknown): void {
    const value = completeItem(this.run, this.#field, this.#item, item, this.#path, index);
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
