import type { ExecutionInvocation } from '../../../shared/index.ts';
import { completeItem } from './items.ts';
import type { ListRun } from './items.ts';
import { Pending, PendingContainer } from '../pending.ts';
import { sizeOfRead } from '../../costs.ts';
import { handleRejections } from '../unhandled-rejections.ts';

/** True for lists that graphql 17 iterates asynchronously; 16 does not support them. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === 'function';
}

/** The reader of the items after the first `count`. */
export interface Follower {
  readonly count: number;
  follow(iterator: AsyncIterator<unknown>): void;
}

/** Completes all items as they arrive, or only the first ones. Throws if the iteration cannot begin. */
export function completeAsyncIterable(list: ListRun, items: AsyncIterable<unknown>, follower?: Follower): unknown {
  const iterator = items[Symbol.asyncIterator]();
  if (follower?.count === 0) {
    follower.follow(iterator);
    return [];
  }
  const first = iterator.next();
  const pending = new AsyncList(list, iterator, follower);
  void pending.fillFrom(first);
  return pending;
}

class AsyncList extends PendingContainer {
  readonly #list: ListRun;
  #iterator: AsyncIterator<unknown> | undefined;
  readonly #follower: Follower | undefined;
  #ended = false;

  constructor(list: ListRun, iterator: AsyncIterator<unknown>, follower: Follower | undefined) {
    super(list.fieldRun.run, [], list.position);
    this.run.root.awaitsPromises = true;
    this.#list = list;
    this.#iterator = iterator;
    this.#follower = follower;
  }

  async fillFrom(first: Promise<IteratorResult<unknown>>): Promise<void> {
    try {
      let next = first;
      for (let index = 0; ; index++) {
        const { done, value } = await next;
        // Any true value counts, as in `for await`.
        if (done) break;
        if (this.isOver()) {
          handleRejections(value);
          this.#close();
          return;
        }
        this.#put(index, value);
        if (index + 1 === this.#follower?.count) {
          this.#follower.follow(this.#iterator!);
          break;
        }
        next = this.#iterator!.next();
      }
      this.#ended = true;
      this.filled();
    } catch (error) {
      this.fail(error);
    }
  }

  /** A list that has failed is not read on. */
  override fail(error: unknown): void {
    this.#close();
    super.fail(error);
  }

  /** An unfinished list fails as a whole: otherwise the client could not see that items are missing. */
  override stopWaiting(reason: unknown): void {
    if (!this.#ended) this.fail(reason);
    // A list that has failed stops waiting, too: this closes the sources in its items.
    super.stopWaiting(reason);
  }

  /** Lets the source clean up, once. Its errors are ignored. */
  #close(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    if (iterator !== undefined && !this.#ended) closeSource(iterator, this.run.settings.invocation);
  }

  #put(index: number, item: unknown): void {
    this.#list.fieldRun.run.budget.grow(sizeOfRead);
    const value = completeItem(this.#list, item, index);
    if (value instanceof Pending) this.waitFor(value, index);
    else this.result[index] = value;
  }
}

/** Ends a source. Calls `return` synchronously. `close` of the handler waits until the source has cleaned up. */
export function closeSource(source: Iterator<unknown> | AsyncIterator<unknown>, invocation: ExecutionInvocation | undefined): void {
  const closing = callReturn(source);
  invocation?.closeAfter?.(closing);
}

async function callReturn(source: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // The error is ignored, because no client is left to read it.
  }
}
