import type { GraphQLError } from 'graphql';

import { locate, toRootError } from '../run/errors.ts';
import { startField } from '../run/field-run.ts';
import { closeSource } from '../run/shapes/async-lists.ts';
import { completeItem, ListRun } from '../run/shapes/items.ts';
import { Part } from '../run/part.ts';
import { Pending, PendingContainer } from '../run/pending.ts';
import { sizeOfRead } from '../costs.ts';
import type { Path } from '../plan/path.ts';
import type { FieldRun, PlannedField, Shape } from '../plan/planned-field.ts';
import { handleRejections } from '../run/unhandled-rejections.ts';
import type { Run } from '../run/run.ts';
import { dropPart, keysOf } from './later.ts';
import type { ItemReceiver, Later, LaterList, StreamedItem } from './later.ts';

interface StreamOrigin {
  readonly label: string | undefined;
  /** The field of the items. */
  readonly field: PlannedField;
  readonly item: Shape;
  readonly path: Path;
  /** Number of items before the first streamed one. */
  readonly count: number;
  readonly iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly isAsync: boolean;
}

/** The maximum number of items that are read before the client has received them. */
const maxWaiting = 100;

/** The items of a list with `@stream` that are delivered one by one. */
export class StreamedList implements LaterList {
  readonly label: string | undefined;
  readonly path: Path;
  readonly initialCount: number;
  readonly #origin: StreamOrigin;
  readonly #run: Run;
  readonly #isEarly: boolean;
  /** The number of keys in the path of an item. */
  readonly #depth: number;
  #index: number;
  #state: 'new' | 'reading' | 'over' = 'new';
  /** The run of the next item. It is that of the previous item, unless that item needed a separate one. */
  #next: ItemRun | undefined = undefined;
  /** Items that have been read and not delivered. */
  readonly #items: CompletingItem[] = [];
  #waiting = 0;
  #room: (() => void) | undefined = undefined;
  #receiver: ItemReceiver | undefined = undefined;
  /** How the stream ends when all items have been delivered. */
  #end: { readonly error: GraphQLError | undefined } | undefined = undefined;

  constructor(run: Run, origin: StreamOrigin) {
    this.label = origin.label;
    this.path = origin.path;
    this.initialCount = origin.count;
    this.#origin = origin;
    this.#run = run;
    this.#index = origin.count;
    this.#depth = keysOf(origin.path).length + 1;
    this.#isEarly = run.settings.parts!.early;
    if (this.#isEarly) queueMicrotask(() => void this.#read());
  }

  start(receiver: ItemReceiver): void {
    this.#receiver = receiver;
    this.#deliver();
    void this.#read();
  }

  /** Called when the client has received this number of items, so that further ones may be read. */
  received(count: number): void {
    this.#waiting -= count;
    this.#room?.();
    this.#room = undefined;
  }

  /** Drops the list, which is not needed any more. */
  drop(): void {
    if (this.#state !== 'over') this.#close();
    for (const { part, pending, later } of this.#items.splice(0)) {
      if (later === undefined) dropPart(part, pending);
      else later.drop();
    }
  }

  /** Settles a canceled list with the items that have arrived. */
  stopWaiting(reason: Error): void {
    const isReading = this.#end === undefined;
    if (isReading) {
      this.#end = { error: this.#located(reason) };
      if (this.#state !== 'over') this.#close();
    }
    // A copy, because items that settle are delivered at once.
    for (const { pending } of this.#items.slice()) if (pending !== undefined) pending.run.stopWaiting(pending, reason);
    this.#deliver();
  }

  async #read(): Promise<void> {
    if (this.#state !== 'new') return;
    this.#state = 'reading';
    const { iterator, isAsync } = this.#origin;
    try {
      const { cancelReason } = this.#run.root;
      if (cancelReason !== undefined) throw cancelReason;
      while (this.#isReading) {
        if (this.#waiting >= maxWaiting) await new Promise<void>((resolve) => (this.#room = resolve));
        if (!this.#isReading) return;
        const step = isAsync ? await iterator.next() : (iterator.next() as IteratorResult<unknown>);
        if (!this.#isReading) {
          if (step.done !== true) handleRejections(step.value);
          return;
        }
        if (step.done === true) {
          this.#state = 'over';
          this.#finish(undefined);
          return;
        }
        this.#waiting++;
        const item = this.#complete(step.value);
        this.#items.push(item);
        // Available items are delivered together.
        if (!isAsync && item.isDone && this.#waiting < maxWaiting) continue;
        this.#deliver();
        if (!item.isDone && !this.#isEarly) await new Promise<void>((resolve) => (item.onDone = resolve));
      }
    } catch (error) {
      if (!this.#isReading) return;
      this.#close();
      this.#finish(this.#located(error));
    }
  }

  /** False once the list is closed, which may happen during an `await`. */
  get #isReading(): boolean {
    return this.#state === 'reading';
  }

  #complete(value: unknown): CompletingItem {
    const index = this.#index++;
    const { run, part, list } = (this.#next ??= this.#runItem());
    run.budget.grow(sizeOfRead);
    const completed = completeItem(list, value, index);
    const isDone = !(completed instanceof Pending);
    if (!isDone || part.errors !== undefined || part.later !== undefined) this.#next = undefined;
    const item = new CompletingItem(part, this.#depth);
    if (isDone) {
      item.take(completed);
      return item;
    }
    // An object instead of an array, because the item has its index in the whole list.
    const result: Record<number, unknown> = {};
    const container = new PendingContainer(run, result, undefined);
    part.onFinish = () => {
      item.take(result[index]);
      this.#deliver();
    };
    item.pending = container;
    container.waitFor(completed, index);
    container.filled();
    return item;
  }

  #runItem(): ItemRun {
    const { field, item, path } = this.#origin;
    const part = new Part();
    const run = this.#run.derive(part, undefined);
    const list = new ListRun(startField(run, field, { path: path.prev }), item);
    return { run, part, list };
  }

  #deliver(): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    let count = 0;
    while (this.#items[count]?.isDone === true && this.#items[count]!.part.failure === undefined) count++;
    if (count > 0) receiver.onItems(this.#items.splice(0, count));
    const [next] = this.#items;
    if (next?.isDone === true) {
      if (this.#state !== 'over') this.#close();
      this.drop();
      receiver.onFailure(next.part.failure!);
      this.#receiver = undefined;
      return;
    }
    if (this.#items.length > 0 || this.#end === undefined) return;
    this.#receiver = undefined;
    const { error } = this.#end;
    if (error === undefined) receiver.onEnd();
    else receiver.onFailure(error);
  }

  #finish(error: GraphQLError | undefined): void {
    this.#end ??= { error };
    this.#deliver();
  }

  #close(): void {
    this.#state = 'over';
    this.#room?.();
    closeSource(this.#origin.iterator, this.#run.settings.invocation);
  }

  #located(error: unknown): GraphQLError {
    const fieldRun: FieldRun = startField(this.#run, this.#origin.field, { path: this.path.prev });
    return toRootError(locate(error, fieldRun));
  }
}

interface ItemRun {
  readonly run: Run;
  readonly part: Part;
  readonly list: ListRun;
}

/** An item that has been read. */
class CompletingItem implements StreamedItem {
  readonly part: Part;
  item: unknown = undefined;
  isDone = false;
  pending: Pending | undefined = undefined;
  errors: readonly GraphQLError[] | undefined = undefined;
  later: Later | undefined = undefined;
  onDone: (() => void) | undefined = undefined;
  /** The number of keys in the path of the item. */
  readonly #depth: number;

  constructor(part: Part, depth: number) {
    this.part = part;
    this.#depth = depth;
  }

  take(item: unknown): void {
    this.item = item;
    this.errors = this.part.errors;
    this.later = (this.part.later as Later | undefined)?.keepWhatIsIn(item, this.#depth);
    this.isDone = true;
    this.onDone?.();
  }
}
